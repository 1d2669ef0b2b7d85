"""One read of a study, frozen: everything that an ask knows about its trials."""

from __future__ import annotations

from dataclasses import dataclass

from optuna import Study
from optuna.trial import FrozenTrial

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain, find_conditions
from optuna_bkop._study.directions import maximized
from optuna_bkop._study.enqueued import fixed_params, known_point
from optuna_bkop._study.history import History, read_history
from optuna_bkop._study.timestamps import duration
from optuna_bkop._study.trial_cache import TrialCache
from optuna_bkop._study.unit_cube import UnitCube

#: Number of latest trials from which `Snapshot.recent` is taken: enough for two rounds of 32.
_N_RECENT = 64


@dataclass(frozen=True)
class Snapshot:
    """Everything that one read of a study tells.

    A fingerprint is a short text that is equal for equal things.

    Attributes:
        history: The data: trials with a value.
        domain: The parameters, with the conditions that the data show.
        trials_known: Fingerprint of the trials in ``history``. Equal in all studies with the same
            trial numbers and search space, whatever the unit of the values.
        fingerprint: Fingerprint of study, trials and values: what a plan is based on.
        others: All trials that are not part of ``history``, in the order of their numbers.
        ended: The finished trials among ``others``: failed; pruned without an estimated value; or
            COMPLETE with NaN as value or without any parameter of the search space.
        recent: The finished trials among the latest 64 of the study, in the order of their
            numbers.
        finished: Numbers of all finished trials.
        longest: Duration of the longest finished trial in seconds; 0 if none is finished.
        u_enqueued: The point (d,) of the trial that asks, if it was enqueued with all parameters
            that are active in it; otherwise None.
    """

    history: History
    domain: Domain
    trials_known: str
    fingerprint: str
    others: tuple[FrozenTrial, ...]
    ended: tuple[FrozenTrial, ...]
    recent: tuple[FrozenTrial, ...]
    finished: frozenset[int]
    longest: float
    u_enqueued: FloatArray | None


def take_snapshot(study: Study, trial: FrozenTrial, cube: UnitCube, cache: TrialCache) -> Snapshot:
    """Read a study for a trial that asks.

    Args:
        study: The study.
        trial: The trial that asks.
        cube: The search space of the trial.
        cache: Remembers finished trials.
    """
    finished = cache.read_study(study, trial)
    history = read_history(finished, cube, maximize=maximized(study))
    others = finished.without(history.numbers)
    domain = Domain(cube.parameters, find_conditions(history.U, cube.parameters))
    ended = tuple(other for other in others if other.state.is_finished())
    return Snapshot(
        history=history,
        domain=domain,
        trials_known=history.fingerprint(cube.signature),
        fingerprint=history.fingerprint(
            cube.signature, study.study_name, history.values.tobytes()
        ),
        others=tuple(others),
        ended=ended,
        recent=tuple(t for t in finished.trials[-_N_RECENT:] if t.state.is_finished()),
        finished=frozenset(history.numbers.tolist()).union(t.number for t in ended),
        longest=max([finished.longest, *map(duration, ended)]),
        u_enqueued=domain.completed(known_point(trial, cube)) if fixed_params(trial) else None,
    )
