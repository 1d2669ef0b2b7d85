"""One trial's question, answered: the straight line from the trials read to its parameters.

history -> lattice point, if in startup -> a free point of a published plan, if nothing new is
known -> else fit -> maximise jointly -> publish -> take a point that nobody else holds
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import optuna
from optuna import Study
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop import _plan
from optuna_bkop._candidates import distinct
from optuna_bkop._clock import Watch
from optuna_bkop._domain import Domain, find_conditions
from optuna_bkop._history import Finished, TrialReader, concurrency, read_history
from optuna_bkop._kernels import FloatArray
from optuna_bkop._models import Fitted, Settings, fit_models
from optuna_bkop._plan import Bounds, Entry, Point, View
from optuna_bkop._space import UnitCube
from optuna_bkop._startup import lattice_point, seed_of
from optuna_bkop._strategies import choose_batch
from optuna_bkop._threads import one_thread

_logger = optuna.logging.get_logger(f"optuna.{__name__}")

#: A running trial is taken for dead when it is this many times older than the longest finished.
_STALE_TIMES = 5.0
#: Where Optuna looks for heartbeats it will have found out long before; but a trial that was begun
#: without any has none to miss, and is taken for dead after so many times as long.
_HEARTBEAT_TIMES = 10.0
#: A trial without a point is expected to ask within so many seconds, or times the last ask.
_ASK_SECONDS, _ASK_TIMES = 5.0, 2.0
#: So many trials may be expected to ask at once, or times those that ran at once lately.
_N_ASKING, _ASKING_TIMES = 16, 2
#: Lately is: among so many of the last trials.
_N_RECENT = 64
#: A read of the trials that is older than so many seconds is not used again.
_FRESH_SECONDS = 0.1
#: A startup point that was given back is replaced by one so many indices on, in another copy of
#: the lattice.
_FAR = 1_000_003
#: So many of the last trials without a value are remembered.
_MAX_LOST = 100


@dataclass(frozen=True)
class Options:
    """The sampler's arguments that concern an ask.

    Attributes:
        batch_size: How many points are planned together; None: as many as run at once.
        n_startup_trials: Size of the lattice.
        stale_after: Seconds before a running trial may be taken for dead.
        settings: How batches are chosen.
    """

    batch_size: int | None
    n_startup_trials: int
    stale_after: float
    settings: Settings


@dataclass
class Memory:
    """Caches of what is in the storage, and what only this worker knows: how long it has waited.

    Waiting decides who is taken for dead or is expected to ask; two workers may differ in this
    and then plan differently, which the protocol allows for.
    """

    reader: TrialReader = field(default_factory=TrialReader)
    watches: dict[str, Watch] = field(default_factory=dict)
    fitted: tuple[object, Fitted] | None = None
    last_ask: float = 0.0
    said_exhausted: bool = False
    ahead: tuple[object, float, Sequence[FrozenTrial], Finished] | None = None

    def read_ahead(self, study: Study, trial: FrozenTrial) -> Finished:
        """Read the trials for the space of a trial; its ask, which follows, need not again."""
        trials = study.get_trials(deepcopy=False)
        finished = self.reader.read(trials)
        self.ahead = (study.study_name, trial.number), time.monotonic(), trials, finished
        return finished

    def read(self, study: Study, trial: FrozenTrial) -> tuple[Sequence[FrozenTrial], Finished]:
        """Read the trials, unless they were just read ahead for this trial."""
        ahead, self.ahead = self.ahead, None
        if ahead is not None and ahead[0] == (study.study_name, trial.number):
            if time.monotonic() - ahead[1] < _FRESH_SECONDS:
                return ahead[2:]
        trials = study.get_trials(deepcopy=False)
        return trials, self.reader.read(trials)


class Ask:
    """The question of one trial.

    Args:
        study: The study.
        trial: The trial that asks.
        cube: The search space.
        root: What all randomness follows from.
        options: The sampler's arguments.
        memory: The sampler's caches.
    """

    def __init__(
        self,
        study: Study,
        trial: FrozenTrial,
        cube: UnitCube,
        *,
        root: str,
        options: Options,
        memory: Memory,
    ) -> None:
        self._study = study
        self._trial = trial
        self._cube = cube
        self._root = root
        self._options = options
        self._memory = memory
        self._space = _plan.Space(f"{seed_of('space', cube.signature):032x}"[:16], cube.dim)

    def answer(self) -> dict[str, Any]:
        """The parameters of the trial."""
        begun = time.monotonic()
        point = _plan.claim_point(
            self._study, self._trial, self._space, self._look, self._choose, self._others
        )
        self._memory.last_ask = time.monotonic() - begun
        return self._cube.decode(_plan.from_integers(point))

    def _look(self, rivals: frozenset[int]) -> View:
        """Read the trials. All that this ask knows is from its last read."""
        study, cube, options = self._study, self._cube, self._options
        self._trials, finished = self._memory.read(study, self._trial)
        maximize = study.directions[0] == StudyDirection.MAXIMIZE
        self._history = read_history(finished, cube, maximize=maximize)
        conditions = find_conditions(self._history.U, cube.parameters)
        self._domain = Domain(cube.parameters, conditions)
        # A plan is of its study and its values. The generator's seed is not, so that one seed
        # gives the same in every study, and whatever the values' unit.
        self._known = self._history.fingerprint(cube.signature)
        self._fingerprint = self._history.fingerprint(
            cube.signature, study.study_name, self._history.values.tobytes()
        )
        beside = finished.beside(self._history)
        self._ended = [trial for trial in beside if trial.state.is_finished()]
        recent = [t for t in self._trials[-_N_RECENT:] if t.state.is_finished()]
        n_lately = concurrency(recent, seen=_plan.seen_running)
        # Workers may have left since: what counts is the last two rounds.
        self._n_at_once = concurrency(recent[-2 * n_lately :], seen=_plan.seen_running)
        bound = max(options.stale_after, _STALE_TIMES * finished.longest)
        if _plan.has_heartbeat(study):
            bound *= _HEARTBEAT_TIMES
        return _plan.read_view(
            beside,
            self._trial.number,
            self._fingerprint,
            self._space,
            watch=self._memory.watches.setdefault(study.study_name, Watch()),
            bounds=Bounds(
                running=bound,
                asking=max(_ASK_SECONDS, _ASK_TIMES * self._memory.last_ask),
                n_asking=max(_N_ASKING, options.batch_size or 0, _ASKING_TIMES * self._n_at_once),
            ),
            rivals=rivals,
        )

    def _others(self) -> list[FrozenTrial]:
        return self._memory.reader.unread(self._study.get_trials(deepcopy=False))

    def _choose(self, view: View, given_back: int) -> Entry:
        """A point, and what was planned with it, if anything."""
        n_known, n_startup = len(self._history), self._options.n_startup_trials
        self._say_if_exhausted()
        if (
            n_known < max(1, n_startup // 2)
            or n_known + len(view.running) < n_startup
            or given_back == _plan.MAX_GIVEN_BACK
        ):
            index = self._trial.number + given_back * _FAR
            return Entry(self._lattice_points(view, index, 1)[0])
        if len(view.free) > view.place:
            return Entry(view.free[view.place], of=self._fingerprint)
        points = self._planned(view)
        point = (*view.free, *points)[view.place]
        # A trial publishes one part of a plan; that it needs more is a rare accident.
        plan = () if view.is_owner else tuple(points)
        return Entry(point, self._fingerprint, plan, self._fingerprint, view.plan)

    def _say_if_exhausted(self) -> None:
        n_points = self._domain.n_points
        if self._memory.said_exhausted or len(self._history) < n_points:
            return
        if len(set(self._domain.keys(self._history.U))) >= n_points:
            self._memory.said_exhausted = True
            _logger.warning(
                f"All {int(n_points)} points of the search space have been evaluated; from now "
                "on points are suggested again."
            )

    def _planned(self, view: View) -> list[Point]:
        """Points chosen jointly, for this trial and for those that run beside it."""
        U_held = self._points(view.running)
        batch_size = self._options.batch_size or max(self._n_at_once, len(view.running) + 1)
        q = max(view.n_asking + 1, batch_size - len(U_held)) - len(view.free)
        rng = np.random.default_rng(seed_of(self._root, "plan", self._known))
        try:
            with one_thread(), np.errstate(all="ignore"):
                U_free = [self._published(point) for point in view.free]
                U_held = np.vstack([U_held, *U_free, self._lost()])
                n_finished = len(self._history) + len(self._ended)
                n_before = n_finished + len(view.running) + len(view.free)
                batch = choose_batch(self._fitted(), U_held, q, rng=rng, n_before=n_before)
            return [_plan.to_integers(u) for u in batch]
        except Exception as error:
            # Whatever goes wrong with the numbers, the study goes on.
            _logger.warning(
                f"Trial#{self._trial.number} is sampled from the lattice, because the model "
                f"failed: {type(error).__name__}: {error}"
            )
            return self._lattice_points(view, self._trial.number, q)

    def _fitted(self) -> Fitted:
        history = self._history
        failed = [trial for trial in self._ended if trial.state == TrialState.FAIL]
        U_failed = self._points(failed[-_MAX_LOST:])
        data = history.U, history.values, history.constraints, U_failed
        # A sampler may serve several studies, whose trials have the same numbers.
        key = (self._fingerprint, *(array.tobytes() for array in data))
        if self._memory.fitted is None or self._memory.fitted[0] != key:
            fitted = fit_models(*data, domain=self._domain, settings=self._options.settings)
            self._memory.fitted = (key, fitted)
        return self._memory.fitted[1]

    def _lattice_points(self, view: View, index: int, n: int) -> list[Point]:
        """Points of the study's lattice from ``index`` on, taken ones replaced by others."""
        n_startup = self._options.n_startup_trials
        U = [lattice_point(self._root, self._cube.names, index + i, n_startup) for i in range(n)]
        U_held = np.vstack([self._points(view.running), self._lost()])
        taken = {*self._domain.keys(self._history.U), *self._domain.keys(U_held)}
        rng = np.random.default_rng(seed_of(self._root, "startup", str(index)))
        batch = distinct(self._domain.snap(np.array(U)), taken, self._domain, rng)
        return [_plan.to_integers(u) for u in batch]

    def _lost(self) -> FloatArray:
        """The points (p, d) of trials that lately ended without a value.

        They are held like running ones. Nothing was learnt of the value there, so the model would
        choose them again, and again.
        """
        return self._points(self._ended[-_MAX_LOST:])

    def _published(self, point: Point) -> FloatArray:
        """A published point (d,), on the grid again that its integers have rounded."""
        u: FloatArray = self._domain.snap(_plan.from_integers(point)[None])[0]
        return u

    def _points(self, trials: Sequence[FrozenTrial]) -> FloatArray:
        """The points (p, d) of trials: as published, or as far as already suggested."""
        rows = np.full((len(trials), self._cube.dim), np.nan)
        for row, trial in zip(rows, trials, strict=True):
            point = _plan.read_point(trial, self._space)
            if point is not None:
                row[:] = self._published(point)
            suggested = self._cube.encode(trial.params, trial.distributions)
            row[:] = np.where(np.isnan(suggested), row, suggested)
        points: FloatArray = rows[~np.isnan(rows).all(axis=1)]
        return points
