"""One trial's question, answered: the straight line from the trials read to its parameters.

history -> lattice point, if in startup -> a free point of a published plan, if nothing new is
known -> else fit -> maximise jointly -> publish -> take a point that nobody else holds
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import optuna
from optuna import Study
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from optuna_bkop import _plan
from optuna_bkop._candidates import distinct
from optuna_bkop._domain import Domain, find_conditions
from optuna_bkop._history import TrialReader, concurrency, read_history
from optuna_bkop._kernels import FloatArray
from optuna_bkop._plan import Point, View
from optuna_bkop._space import UnitCube
from optuna_bkop._startup import lattice_point, seed_of
from optuna_bkop._strategies import Fitted, Settings, choose_batch, fit_models
from optuna_bkop._warp import warp

_logger = optuna.logging.get_logger(f"optuna.{__name__}")

#: A running trial is taken for dead when it is this many times older than the longest finished.
_STALE_TIMES = 5.0
#: A startup point that was given back is replaced by one so many indices on, in another copy of
#: the lattice.
_FAR = 1_000_003


@dataclass(frozen=True)
class Options:
    """The sampler's arguments that concern an ask.

    Attributes:
        batch_size: How many points are planned together; None: as many as run at once.
        n_startup_trials: Size of the lattice.
        stale_after: Seconds before a running trial may be taken for dead.
        warping: Of the values.
        settings: How batches are chosen.
    """

    batch_size: int | None
    n_startup_trials: int
    stale_after: float
    warping: str
    settings: Settings


@dataclass
class Memory:
    """Caches: nothing in them that another worker could not compute from the storage."""

    reader: TrialReader = field(default_factory=TrialReader)
    fitted: tuple[str, Fitted] | None = None
    said_exhausted: bool = False


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
        self._trials = study.get_trials(deepcopy=False)
        records = memory.reader.read(self._trials)
        maximize = study.directions[0] == StudyDirection.MAXIMIZE
        self._history = read_history(records, cube, maximize=maximize)
        self._fingerprint = self._history.fingerprint(cube.signature)
        conditions = find_conditions(self._history.U, cube.parameters)
        self._domain = Domain(cube.parameters, conditions)
        longest = max((record.seconds for record in records), default=0.0)
        self._stale_bound = max(options.stale_after, _STALE_TIMES * longest)

    def answer(self) -> dict[str, Any]:
        """The parameters of the trial."""
        n_known, n_startup = len(self._history), self._options.n_startup_trials
        n_running = len(self._view(self._trials).running)
        in_startup = n_known < max(1, n_startup // 2) or n_known + n_running < n_startup
        choose = self._startup_point if in_startup else self._planned_point
        self._say_if_exhausted()
        point = _plan.claim_point(self._study, self._trial, self._space, self._read, choose)
        return self._cube.decode(_plan.from_integers(point))

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

    def _read(self) -> View:
        return self._view(self._study.get_trials(deepcopy=False))

    def _view(self, trials: Sequence[FrozenTrial]) -> View:
        return _plan.read_view(
            trials, self._trial.number, self._fingerprint, self._space, bound=self._stale_bound
        )

    def _startup_point(self, view: View, given_back: int) -> Point:
        return self._lattice_points(view, self._trial.number + given_back * _FAR, 1)[0]

    def _planned_point(self, view: View, given_back: int) -> Point:
        if len(view.free) > view.place:
            return view.free[view.place]
        points = self._planned(view)
        _plan.publish_plan(self._study, self._trial, points, self._fingerprint)
        return points[view.place]

    def _planned(self, view: View) -> list[Point]:
        """Points chosen jointly, for this trial and for those that run beside it."""
        U_held = self._held(view)
        batch_size = self._options.batch_size or concurrency(self._trials)
        q = max(view.place + 1, batch_size - len(U_held))
        rng = np.random.default_rng(seed_of(self._root, "plan", self._fingerprint))
        try:
            batch = choose_batch(self._fitted(), U_held, q, rng=rng)
        except Exception as error:
            # Whatever goes wrong with the numbers, the study goes on.
            _logger.warning(
                f"Trial#{self._trial.number} is sampled from the lattice, because the model "
                f"failed: {type(error).__name__}: {error}"
            )
            return self._lattice_points(view, self._trial.number, q)
        return [_plan.to_integers(u) for u in batch]

    def _fitted(self) -> Fitted:
        if self._memory.fitted is None or self._memory.fitted[0] != self._fingerprint:
            fitted = fit_models(
                self._history.U,
                warp(self._history.values, self._options.warping),
                self._history.constraints,
                domain=self._domain,
                settings=self._options.settings,
            )
            self._memory.fitted = (self._fingerprint, fitted)
        return self._memory.fitted[1]

    def _lattice_points(self, view: View, index: int, n: int) -> list[Point]:
        """Points of the study's lattice from ``index`` on, taken ones replaced by others."""
        n_startup = self._options.n_startup_trials
        U = [lattice_point(self._root, self._cube.names, index + i, n_startup) for i in range(n)]
        U_held = self._held(view)
        taken = {*self._domain.keys(self._history.U), *self._domain.keys(U_held)}
        rng = np.random.default_rng(seed_of(self._root, "startup", str(index)))
        batch = distinct(self._domain.snap(np.array(U)), taken, self._domain, rng)
        return [_plan.to_integers(u) for u in batch]

    def _held(self, view: View) -> FloatArray:
        """The points (p, d) of running trials: as published, or as far as already suggested."""
        rows = np.full((len(view.running), self._cube.dim), np.nan)
        for row, trial in zip(rows, view.running, strict=True):
            point = _plan.read_point(trial, self._space)
            if point is not None:
                row[:] = _plan.from_integers(point)
            suggested = self._cube.encode(trial.params, trial.distributions)
            row[:] = np.where(np.isnan(suggested), row, suggested)
        held: FloatArray = rows[~np.isnan(rows).all(axis=1)]
        return held
