"""Caches finished trials: each is read once, because it does not change any more."""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from optuna import Study
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._arrays import FloatArray
from optuna_bkop._study.enqueued import fixed_params
from optuna_bkop._study.learning_curves import summarize
from optuna_bkop._study.timestamps import duration
from optuna_bkop._study.unit_cube import UnitCube

#: Maximum number of finished trials and of search spaces in the cache. When more are read, the
#: cache starts anew.
_MAX_CACHED, _MAX_CUBES = 200_000, 16
#: Attribute in which Optuna's samplers store the constraints of `constraints_func`.
CONSTRAINTS = "constraints"
#: Seconds for which a read of the trials may be used again by the ask that follows it. Optuna 5
#: asks for the search space just before; Optuna 4 does when the trial begins, maybe long before.
_FRESH_SECONDS = 0.01
#: Columns of the table of finished trials: the number; the index of the search space; the duration
#: in seconds; whether the trial is COMPLETE; the step of its last report, NaN if there is none.
NUMBER, SPACE, SECONDS, COMPLETE, LAST_STEP = range(5)


@dataclass(frozen=True)
class FinishedTrials:
    """The COMPLETE and PRUNED trials of one read.

    Attributes:
        cache: The cache that holds them.
        rows: Their rows in the cache (n,), in the order of trial numbers.
        trials: All trials of the read, whatever their state, in the order of trial numbers.
        others: The trials of the read that are neither COMPLETE nor PRUNED.
    """

    cache: TrialCache
    rows: NDArray[np.int64]
    trials: Sequence[FrozenTrial]
    others: Sequence[FrozenTrial]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def table(self) -> FloatArray:
        """A copy of the table (n, 5) of the trials, one row per trial.

        The columns are NUMBER, the trial number; SPACE, an index of the search space; SECONDS, the
        duration; COMPLETE, 1 if the trial is COMPLETE and 0 if PRUNED; and LAST_STEP, the step of
        its last report, NaN without a report.
        """
        return self.cache.table(self.rows)

    def values(self, n_objectives: int) -> FloatArray:
        """Return the values (n, m) of the trials, as told; NaN if a trial does not have m."""
        return self.cache.values(self.rows, n_objectives)

    @property
    def longest(self) -> float:
        """Duration of the longest trial in seconds; 0 if there is none."""
        return float(self.table[:, SECONDS].max(initial=0.0))

    def without(self, numbers: NDArray[np.int64]) -> list[FrozenTrial]:
        """Return all trials of the read except those with these numbers, ordered by number."""
        unused = self.rows[~np.isin(self.table[:, NUMBER], numbers)]
        trials = [*self.others, *self.cache.trials(unused)]
        return sorted(trials, key=lambda trial: trial.number)


def all_trials(study: Study) -> Sequence[FrozenTrial]:
    """Return all trials of a study, in the order of their numbers.

    Hyperband shows a sampler only the trials of its bracket; this function shows all of them. The
    trials are not copies and must not be changed.
    """
    return Study.get_trials(study, deepcopy=False)


def study_key(study: Study) -> Hashable:
    """Return a key that differs for any two studies of this process, whatever their names.

    The key has a weak reference to the storage, so that a cache does not keep the storage alive. A
    reference to a storage that is gone equals no other.
    """
    return weakref.ref(study._storage), study._study_id


def birth_of(trials: Iterable[FrozenTrial]) -> str:
    """Return when the first of a study's trials, by number, began, as a text in ISO format.

    The text is equal for all workers of a study. Enqueued trials are ignored, because they exist
    before they begin: the text is empty until the first other trial begins, and constant after.
    """
    for trial in trials:
        if trial.datetime_start is not None and not fixed_params(trial):
            return trial.datetime_start.isoformat()
    return ""


class TrialCache:
    """Reads the trials of studies and remembers those that are COMPLETE or PRUNED.

    Reading must be fast with many trials, so the cache keeps arrays, with one row per trial in the
    order of first reading. ``rows`` (n,) in its methods are indices of such rows.
    """

    def __init__(self) -> None:
        self._births: dict[Hashable, str] = {}
        self._clear()

    def _clear(self) -> None:
        self._ahead: tuple[object, float, FinishedTrials] | None = None
        self._trials: list[FrozenTrial] = []
        # Rows by object identity, which is fast and usually enough, and by identifying data, for
        # storages that create new objects in every read.
        self._row_of_object: dict[int, int] = {}
        self._row_of_data: dict[object, int] = {}
        self._table = np.empty((256, 5))
        self._values: dict[int, FloatArray] = {}
        self._spaces: dict[tuple[str, ...], int] = {}
        self._constraints: dict[str, dict[int, float]] = {}
        self._points: dict[str, FloatArray] = {}
        self._reports: dict[int, FloatArray] = {}

    def read_ahead(self, study: Study, trial: FrozenTrial) -> FinishedTrials:
        """Read the trials to find the search space of a trial that asks.

        If `read_study` follows for the same trial within a hundredth of a second, it uses this
        read.
        """
        finished = self._read_all(study)
        self._ahead = (study_key(study), trial.number), time.monotonic(), finished
        return finished

    def read_study(self, study: Study, trial: FrozenTrial) -> FinishedTrials:
        """Return the finished trials of a study, for a trial that asks.

        If `read_ahead` has read them for the same trial less than a hundredth of a second ago,
        that read is returned, once. Otherwise the trials are read from the storage.
        """
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == (study_key(study), trial.number):
            if time.monotonic() - ahead[1] < _FRESH_SECONDS:
                return ahead[2]
        return self._read_all(study)

    def birth(self, study: Study, trial: FrozenTrial) -> str:
        """Return `birth_of` the study of a trial that asks."""
        key = study_key(study)
        if key not in self._births:
            self.read_ahead(study, trial)
        return self._births[key]

    def _read_all(self, study: Study) -> FinishedTrials:
        trials = all_trials(study)
        self._births[study_key(study)] = birth_of(trials)
        return self.read(trials)

    def read(self, trials: Sequence[FrozenTrial]) -> FinishedTrials:
        """Return the COMPLETE and PRUNED trials among these, which must be ordered by number."""
        if len(self._trials) > max(_MAX_CACHED, 2 * len(trials)):
            self._clear()
        rows: list[int] = []
        others: list[FrozenTrial] = []
        known = self._row_of_object
        for trial in trials:
            row = known.get(id(trial))
            if row is not None:
                rows.append(row)
            elif trial.state == TrialState.COMPLETE or trial.state == TrialState.PRUNED:
                rows.append(self._add(trial))
            else:
                others.append(trial)
        return FinishedTrials(self, np.array(rows, dtype=np.int64), trials, others)

    def _add(self, trial: FrozenTrial) -> int:
        data = (trial._trial_id, trial.number, trial.datetime_complete)
        row = self._row_of_data.get(data, len(self._trials))
        # One sampler may serve several studies whose storages give the same identifiers.
        if row < len(self._trials) and _is_same(self._trials[row], trial):
            del self._row_of_object[id(self._trials[row])]
            self._trials[row] = trial
        else:
            row = len(self._trials)
            self._trials.append(trial)
            if row == len(self._table):
                self._table = np.concatenate([self._table, np.empty_like(self._table)])
            # As text, because the choices of a categorical parameter need not be hashable.
            space = tuple(sorted(map(repr, trial.distributions.items())))
            self._table[row] = _columns(trial, self._spaces.setdefault(space, row))
            for key, value in constraints_of(trial).items():
                self._constraints.setdefault(key, {})[row] = value
        self._row_of_object[id(trial)] = self._row_of_data[data] = row
        return row

    def table(self, rows: NDArray[np.int64]) -> FloatArray:
        """Return the table (n, 5) of the trials in some rows (see `FinishedTrials.table`)."""
        return self._table[rows]

    def values(self, rows: NDArray[np.int64], n_objectives: int) -> FloatArray:
        """Return the values (n, m) of the trials in some rows; NaN where there are not m."""
        known = self._values.get(n_objectives, np.empty((0, n_objectives)))
        missing = [math.nan] * n_objectives
        new = [
            trial.values if trial.values and len(trial.values) == n_objectives else missing
            for trial in self._trials[len(known) :]
        ]
        if new:
            known = self._values[n_objectives] = np.vstack([known, *new])
        values: FloatArray = known[rows]
        return values

    def points(self, rows: NDArray[np.int64], cube: UnitCube) -> FloatArray:
        """Return the points (n, d) of the trials in some rows; NaN where they lack a parameter."""
        U = self._points.get(cube.signature, np.empty((0, cube.dim)))
        new = [cube.encode(t.params, t.distributions) for t in self._trials[len(U) :]]
        if new:
            while len(self._points) >= _MAX_CUBES:
                del self._points[next(iter(self._points))]
            self._points.pop(cube.signature, None)
            U = self._points[cube.signature] = np.vstack([U, *new])
        points: FloatArray = U[rows]
        return points

    def reports(self, rows: NDArray[np.int64], step: int) -> FloatArray:
        """Return last, lowest, highest and mean report (n, 4) up to a step; NaN without any."""
        known = self._reports.get(step, np.empty((0, 4)))
        new = [summarize(t.intermediate_values, step) for t in self._trials[len(known) :]]
        if new:
            known = self._reports[step] = np.vstack([known, *new])
        summaries: FloatArray = known[rows]
        return summaries

    def constraints(self, rows: NDArray[np.int64]) -> FloatArray:
        """Return the constraints (n, k) of some rows, ordered by their names; NaN if unknown.

        There is a column for each constraint that is known for at least one of the rows.
        """
        columns = [np.empty((len(rows), 0))]
        for _, given in sorted(self._constraints.items()):
            column = np.full(len(self._trials), np.nan)
            column[list(given)] = list(given.values())
            if not np.isnan(column[rows]).all():
                columns.append(column[rows, None])
        return np.hstack(columns)

    def trials(self, rows: NDArray[np.int64]) -> list[FrozenTrial]:
        """Return the trials in some rows."""
        return [self._trials[row] for row in rows]


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """Return a trial's constraints by name. Anyone may have set them: non-numbers are ignored."""
    numbers: dict[str, float] = {}
    try:
        # As `FrozenTrial.constraints`, which Optuna 4 does not have: one attribute with those of a
        # `constraints_func`, and one for each that was set by name.
        stored = trial.system_attrs.get(CONSTRAINTS) or ()
        given = {str(index): value for index, value in enumerate(stored)}
        prefix = f"{CONSTRAINTS}:"
        for key, value in trial.system_attrs.items():
            if key.startswith(prefix):
                given[key.removeprefix(prefix)] = value
        for name, value in given.items():
            if isinstance(value, (int, float)):
                numbers[name] = float(value)
    except (AttributeError, OverflowError, TypeError, ValueError):
        return {}
    return numbers


def _is_same(one: FrozenTrial, other: FrozenTrial) -> bool:
    return (
        one.state == other.state
        and one.params == other.params
        and repr(one.values) == repr(other.values)
        and repr(one.intermediate_values) == repr(other.intermediate_values)
        and repr(constraints_of(one)) == repr(constraints_of(other))
    )


def _columns(trial: FrozenTrial, space: int) -> tuple[float, ...]:
    reported = trial.intermediate_values
    return (
        trial.number,
        space,
        duration(trial),
        trial.state == TrialState.COMPLETE,
        max(reported) if reported else math.nan,
    )
