"""What the plots of several objectives show, as numbers and texts. The backends only draw it.

The front consists of the feasible trials that no other feasible trial dominates: none is at least
as good in all objectives, and better in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from optuna import Study
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.boxes import Boxes
from optuna_bkop._coordination.records import STARTUP, batch_labels
from optuna_bkop._domain import Domain, find_conditions
from optuna_bkop._model.objectives import BEYOND, fit_objectives
from optuna_bkop._model.pareto import nondominated
from optuna_bkop._settings import Settings
from optuna_bkop._study.directions import maximized, reference_of
from optuna_bkop._study.history import History, read_history
from optuna_bkop._study.search_space import union_space
from optuna_bkop._study.trial_cache import TrialCache
from optuna_bkop._study.unit_cube import UnitCube


@dataclass(frozen=True)
class HypervolumeHistory:
    """The hypervolume of all COMPLETE trials so far, against their number.

    Attributes:
        title: Title of the figure.
        x: Numbers of trials so far (n,): 1, ..., n.
        y: Hypervolumes (n,), in the product of the objectives' units.
        starts: Entries (b,) of ``x`` at which a planned batch begins.
    """

    title: str
    x: NDArray[np.int64]
    y: FloatArray
    starts: NDArray[np.int64]


@dataclass(frozen=True)
class Front:
    """Trials in the plane of two objectives, in the units and directions of the objectives.

    Attributes:
        title: Title of the figure.
        labels: Names of both objectives.
        trials: Values (n, 2) of the COMPLETE trials that are not on the front, feasible or not.
        front: Values (f, 2) of the trials on the front, ascending in the first objective.
        coming: Values (q, 2) that the models expect of the running trials: posterior means.
        lower: Values (q, 2) that are one posterior deviation worse than expected.
        upper: Values (q, 2) that are one posterior deviation better than expected.
    """

    title: str
    labels: tuple[str, str]
    trials: FloatArray
    front: FloatArray
    coming: FloatArray
    lower: FloatArray
    upper: FloatArray


def hypervolume_history(
    study: Study, reference_point: Sequence[float] | None
) -> HypervolumeHistory:
    """Return the hypervolume of feasible trials with finite values, after each COMPLETE trial.

    Args:
        study: A study with several objectives.
        reference_point: One number per objective, in its own units and direction. If None, it lies
            beyond the worst values on the final front, by `BEYOND` times the front's extent.

    Raises:
        ValueError: The study has one objective or no finished trial, the reference point has
            another number of objectives, or it is None and no trial is feasible with finite
            values.
    """
    history, _ = _read(study)
    given = reference_of(study, reference_point)
    is_met = ~np.any(history.constraints > 0, axis=1) & np.isfinite(history.values).all(axis=1)
    V = history.values
    if given is None:
        front = V[is_met][nondominated(V[is_met])]
        if not len(front):
            raise ValueError("A study with a feasible trial of finite values is needed.")
        given = front.min(axis=0) - BEYOND * np.ptp(front, axis=0)
    ideal = np.maximum(V[is_met].max(axis=0, initial=-np.inf), given)
    boxes = Boxes.above(given, V[:0])
    total, volumes = boxes.volume(ideal), []
    for values, is_one_met in zip(V, is_met, strict=True):
        boxes = boxes.below(values) if is_one_met else boxes
        volumes.append(total - boxes.volume(ideal))
    labels = batch_labels(study.get_trials(deepcopy=False))
    names = [labels[number] for number in history.numbers.tolist()]
    planned = [
        row
        for row, name in enumerate(names)
        if name not in names[:row] and name != STARTUP and not name.startswith("trial")
    ]
    x = np.arange(1, len(V) + 1)
    title = f"Hypervolume of {len(V)} trials, {len(planned)} planned batches"
    return HypervolumeHistory(title, x, np.array(volumes), x[planned])


def front(study: Study, objectives: tuple[int, int]) -> Front:
    """Return the front of a study, and what the models expect of the trials that run.

    Args:
        study: A study with several objectives.
        objectives: Indices of two different objectives, counted from 0.

    Raises:
        ValueError: The study has one objective or no finished trial, or an index is out of range.
    """
    history, cube = _read(study)
    n_objectives = history.values.shape[1]
    if len(objectives) != 2 or len(set(objectives) & set(range(n_objectives))) != 2:
        raise ValueError(f"`objectives` must be two of 0 .. {n_objectives - 1}, got {objectives}.")
    signs = np.where(maximized(study), 1.0, -1.0)
    feasible = np.flatnonzero(~np.any(history.constraints > 0, axis=1))
    on_front = feasible[nondominated(history.values[feasible])]
    others = np.delete(np.arange(len(history)), on_front)
    columns = list(objectives)
    values = signs * history.values
    ends = values[on_front][:, columns]
    running = [t for t in study.get_trials(deepcopy=False) if t.state == TrialState.RUNNING]
    coming, lower, upper = _expected(history, cube, running, len(feasible) > 0)
    names = getattr(study, "metric_names", None) or [f"objective {k}" for k in range(n_objectives)]
    return Front(
        f"{len(on_front)} of {len(history)} trials are on the front, {len(coming)} run",
        (names[columns[0]], names[columns[1]]),
        values[others][:, columns],
        ends[np.argsort(ends[:, 0])],
        (signs * coming)[:, columns],
        (signs * lower)[:, columns],
        (signs * upper)[:, columns],
    )


def _read(study: Study) -> tuple[History, UnitCube]:
    if len(study.directions) < 2:
        raise ValueError("A study with several objectives is needed, got one objective.")
    finished = TrialCache().read(study.get_trials(deepcopy=False))
    space, _ = union_space(finished) if finished else ({}, set())
    cube = UnitCube(space)
    history = read_history(finished, cube, maximize=maximized(study))
    if not len(history):
        raise ValueError("A study with at least one finished trial is needed, got none.")
    return history, cube


def _expected(
    history: History, cube: UnitCube, running: Sequence[FrozenTrial], is_feasible: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return expected values (q, m) of running trials, and values one deviation worse and better.

    All values are to be maximised. The arrays are empty, (0, m), if no trial is feasible or no
    running trial has parameters.
    """
    domain = Domain(cube.parameters, find_conditions(history.U, cube.parameters))
    known = [cube.encode(trial.params, trial.distributions) for trial in running if trial.params]
    if not known or not is_feasible:
        return (np.empty((0, history.values.shape[1])),) * 3
    U = np.vstack(known)
    fitted = fit_objectives(
        history.U, history.values, history.constraints, domain=domain, settings=Settings()
    )
    columns = []
    for model, bend in zip(fitted.models, fitted.data.bends, strict=True):
        mean, std = model.mean_and_std(domain.features(U))
        columns.append([bend.inverse(mean + shift) for shift in (0.0, -std, std)])
    mean, lower, upper = (np.column_stack(parts) for parts in zip(*columns, strict=True))
    return mean, lower, upper
