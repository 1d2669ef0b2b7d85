"""One ask, from top to bottom: the straight line from a read of the trials to a point.

    snapshot of the study -> view of the other trials -> the point of an enqueued trial
        -> lattice point, if in startup
        -> a free point of the plan, if nothing new is known -> else wait, if another trial plans
        -> else fit -> choose a batch jointly
        -> claim my point -> again, if another trial has taken it at the same moment

docs/architecture.md explains the rooms that this passes through, docs/protocol.md the claim.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
import optuna
from optuna import Study
from optuna.trial import FrozenTrial

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.candidates import distinct
from optuna_bkop._batch.front import choose_on_front
from optuna_bkop._batch.nearby import choose_nearby
from optuna_bkop._batch.strategies import choose_batch
from optuna_bkop._coordination.claim import Claim, claim_point
from optuna_bkop._coordination.view import View, read_view
from optuna_bkop._memory import Memory
from optuna_bkop._model.chart import ChartedDomain
from optuna_bkop._model.fitted import Fitted, fit_models
from optuna_bkop._model.objectives import FittedObjectives, fit_objectives
from optuna_bkop._model.training_set import is_feasible
from optuna_bkop._readings import reading_of
from optuna_bkop._seeds import derived_rng
from optuna_bkop._settings import Options
from optuna_bkop._study.snapshot import Snapshot, take_snapshot
from optuna_bkop._study.trial_cache import study_key
from optuna_bkop._study.unit_cube import UnitCube

_logger = optuna.logging.get_logger(f"optuna.{__name__}")

#: Maximum number of attempts to take a point. In the last one the trial takes a lattice point that
#: belongs to its number.
_MAX_ATTEMPTS = 8
#: In attempt k a startup trial takes the lattice point k times this many indices on, in another
#: shifted copy of the lattice. A prime far above the number of trials of any study.
_FAR = 1_000_003
#: After this many failures of the model in a row, one warning says that it is not in use.
_MAX_FALLBACKS = 3


@dataclass(frozen=True)
class Ask:
    """What one trial asks for.

    Attributes:
        number: Number of the trial.
        cube: Its search space.
        root: Text from which all randomness follows.
        options: The sampler's arguments.
        reference_point: Reference point (m,) of the hypervolume, to be maximised as the values. If
            None, it lies a little beyond the worst values on the front.
    """

    number: int
    cube: UnitCube
    root: str
    options: Options
    reference_point: FloatArray | None = None


def suggest(study: Study, trial: FrozenTrial, ask: Ask, memory: Memory) -> FloatArray:
    """Return a point (d,) of the unit cube for a trial, and publish it on the trial.

    Args:
        study: The study.
        trial: The trial that asks.
        ask: Its number and search space, the root of randomness, and the sampler's arguments.
        memory: The sampler's caches.
    """
    started = time.monotonic()
    worker = memory.worker(study.study_name)
    claim: Claim | None = None
    attempt, waited = 0, 0.0
    while True:
        attempt_started = time.monotonic()
        is_last = attempt == _MAX_ATTEMPTS - 1
        snapshot = take_snapshot(study, trial, ask.cube, memory.trials)
        view = read_view(
            study,
            snapshot,
            trial.number,
            ask.cube,
            watch=memory.watch(study),
            stale_after=ask.options.stale_after,
            batch_size=ask.options.batch_size,
            last_ask=memory.last_ask,
            waited=waited,
            worker=worker,
            rivals=frozenset() if claim is None else claim.rivals,
        )
        _warn_if_exhausted(study, snapshot, memory)
        if snapshot.u_enqueued is not None:
            # The user has chosen the point. The trial does not use the plan and keeps its point.
            U, is_plan, is_last = snapshot.u_enqueued[None], False, True
        elif is_last or _is_startup(snapshot, view, ask):
            U, is_plan = _lattice_points(ask, snapshot, view, memory, 1, attempt), False
        elif view.has_free_point:
            U, is_plan = np.empty((0, ask.cube.dim)), True
        elif view.wait:
            # Another trial is planning for all. To plan, too, would slow both down.
            time.sleep(view.wait)
            waited += view.wait
            continue
        else:
            U, is_plan = _plan(ask, snapshot, view, memory), True
        claim = claim_point(
            study,
            trial,
            ask.cube,
            view,
            U,
            is_plan=is_plan,
            earlier=claim,
            keep=is_last,
            worker=worker,
            seconds=time.monotonic() - attempt_started,
        )
        if is_last or not claim.rivals:
            memory.last_ask = time.monotonic() - started - waited
            return claim.u
        attempt += 1


def _is_startup(snapshot: Snapshot, view: View, ask: Ask) -> bool:
    """Return whether the trial belongs to the startup.

    The startup ends when ``n_startup_trials`` trials are finished or running, half as many are
    finished, and at least one has a value. Trials without a value count: a study in which most
    trials fail must reach its model, too.
    """
    n_known, n_startup = len(snapshot.history.values), ask.options.n_startup_trials
    n_finished = n_known + len(snapshot.ended)
    return n_known == 0 or n_finished < n_startup // 2 or n_finished + view.n_running < n_startup


def _plan(ask: Ask, snapshot: Snapshot, view: View, memory: Memory) -> FloatArray:
    """Choose points (q, d) jointly, for this trial and for others that will ask.

    If the model fails, the points are lattice points: a study must not die of a failed
    factorisation.
    """
    batch_size = ask.options.batch_size or max(view.n_at_once, view.n_running + 1)
    n_needed = max(view.plan.n_asking + 1, batch_size - len(view.U_running))
    q = n_needed + view.n_ahead - len(view.U_free)
    # The seed does not depend on the study's name or on values. One seed gives the same points in
    # every study, whatever the unit of the values.
    rng = derived_rng(ask.root, "plan", snapshot.trials_known)
    n_finished = len(snapshot.history.values) + len(snapshot.ended)
    # Trials that are about to ask are not counted: workers that plan at once see other ones, and
    # the count decides how points are chosen.
    n_before = n_finished + len(view.U_running) + len(view.U_free)
    try:
        with memory.one_thread(), np.errstate(all="ignore"):
            detailed = reading_of(range(n_before, n_before + q), ask.options.settings)
            fitted = _fit(ask, snapshot, view, memory, detailed)
            if view.n_ahead:
                fitted = _hasty(fitted)
            if isinstance(fitted, FittedObjectives):
                U = choose_on_front(fitted, view.U_held, q, rng=rng, n_before=n_before)
            elif isinstance(fitted.domain, ChartedDomain):
                U = choose_nearby(
                    fitted,
                    fitted.domain.chart,
                    snapshot.history.U,
                    view.U_held,
                    q,
                    domain=snapshot.domain,
                    rng=rng,
                    n_before=n_before,
                )
            else:
                U = choose_batch(fitted, view.U_held, q, rng=rng, n_before=n_before)
            if not np.isfinite(U).all():
                raise FloatingPointError(f"The batch is not finite: {U.tolist()}")
    except Exception as error:
        _warn_fallback(ask, memory, error)
        return _lattice_points(ask, snapshot, view, memory, q)
    memory.n_fallbacks = 0
    return U


def _hasty(fitted: Fitted | FittedObjectives) -> Fitted | FittedObjectives:
    """Return the models with settings by which a plan is made as fast as possible.

    The plain and the detailed models each maximise their points jointly once. If some of the
    points are copies of others, `fill` replaces them at a third of the cost.
    """
    return replace(fitted, settings=replace(fitted.settings, max_joint=0))


def _fit(
    ask: Ask, snapshot: Snapshot, view: View, memory: Memory, detailed: bool | None
) -> Fitted | FittedObjectives:
    """Return the models of the data, which are fitted once for all asks with the same data.

    ``detailed`` is what `reading_of` returns: True for models with a second, short length scale,
    False for models without, None for both kinds side by side (`Fitted.detailed` and
    `Fitted.models`). With several objectives it has no effect, unless no trial is feasible yet:
    then only the constraint violation is modelled, which is one objective.
    """
    history = snapshot.history
    data = history.U, history.values, history.constraints, view.U_failed
    # One sampler may serve several studies, whose trials have the same numbers.
    key = (snapshot.fingerprint, *(array.tobytes() for array in data))
    if memory.fitted is None or memory.fitted[0] != key:
        memory.fitted = (key, {})
    known = memory.fitted[1]
    U, values, constraints, U_failed = data
    has_front = values.shape[1] > 1 and bool(is_feasible(constraints).any())
    reading = False if has_front else detailed
    if reading not in known:
        domain, settings, cache = snapshot.domain, ask.options.settings, memory.fits
        if has_front:
            known[reading] = fit_objectives(
                U,
                values,
                constraints,
                U_failed,
                domain=domain,
                settings=settings,
                reference_point=ask.reference_point,
                cache=cache,
            )
        else:
            known[reading] = fit_models(
                U,
                values[:, 0],
                constraints,
                U_failed,
                domain=domain,
                settings=settings,
                cache=cache,
                detailed=reading,
                rng=derived_rng(ask.root, "neighbourhood", snapshot.trials_known),
            )
    return known[reading]


def _lattice_points(
    ask: Ask, snapshot: Snapshot, view: View, memory: Memory, n: int, attempt: int = 0
) -> FloatArray:
    """Return n points (n, d) of the study's lattice; observed and held ones are replaced.

    In the first attempt, 0, the first one is the point of the trial's number. Later attempts take
    points of other copies of the lattice.
    """
    lattice = memory.lattice(ask.options.n_startup_trials, ask.cube.dim)
    index = ask.number + attempt * _FAR
    U = [lattice.point(ask.root, ask.cube.names, index + i) for i in range(n)]
    domain = snapshot.domain
    taken = {*domain.keys(snapshot.history.U), *domain.keys(view.U_held)}
    rng = derived_rng(ask.root, "startup", str(index))
    return distinct(domain.snap(np.array(U)), taken, domain, rng)


def _warn_if_exhausted(study: Study, snapshot: Snapshot, memory: Memory) -> None:
    """Warn once per study when all points of a finite space have been evaluated."""
    n_points = snapshot.domain.n_points
    if len(snapshot.history.values) < n_points or study_key(study) in memory.exhausted:
        return
    if len(set(snapshot.domain.keys(snapshot.history.U))) >= n_points:
        memory.exhausted.add(study_key(study))
        _logger.warning(
            f"All {int(n_points)} points of the search space have been evaluated; from now on "
            "points are suggested again."
        )


def _warn_fallback(ask: Ask, memory: Memory, error: Exception) -> None:
    """Log a failure of the model; the traceback is logged at debug level."""
    memory.n_fallbacks += 1
    what = f"{type(error).__name__}: {error}"
    if memory.n_fallbacks < _MAX_FALLBACKS:
        _logger.warning(
            f"Trial#{ask.number} is sampled from the lattice, because the model failed: {what}"
        )
    elif memory.n_fallbacks == _MAX_FALLBACKS:
        _logger.warning(
            f"The model has failed {_MAX_FALLBACKS} times in a row and is not in use: trials are "
            f"sampled from the lattice until it works again. The last error was {what}"
        )
    _logger.debug(f"The model failed in Trial#{ask.number}.", exc_info=error)
