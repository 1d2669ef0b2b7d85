"""What is known of a study: one read of its trials -> points, values, constraints.

COMPLETE trials are data. PRUNED trials are data if their intermediate values are comparable with
final ones: in at least half of the COMPLETE trials that reported any, the final value lies between
the smallest and the largest reported. A pruned trial then counts with its last reported value, but
as no better than the median of the COMPLETE ones, because it was stopped for looking poor. FAIL
trials and NaN have no value; that they failed is known to `_ask`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._clock import timestamp
from optuna_bkop._kernels import FloatArray
from optuna_bkop._space import UnitCube

#: Finished trials and search spaces that are remembered; beyond, the memory starts anew.
_MAX_REMEMBERED, _MAX_CUBES = 200_000, 16
#: Columns of what is remembered of a finished trial: its number; its value, NaN if it has none;
#: its search space's index; how long it ran; whether it is COMPLETE; the last value that it
#: reported, NaN if none; whether its value lies among the reported ones, NaN if none.
_NUMBER, _VALUE, _SPACE, _SECONDS, _COMPLETE, _LAST, _WITHIN = range(7)


@dataclass(frozen=True)
class History:
    """The data of a study.

    Attributes:
        numbers: The trials' numbers (n,), ascending.
        U: Their points (n, d); NaN where a parameter was not asked for.
        values: Their values (n,), to be maximised; may be infinite.
        constraints: Their constraints (n, k), at most 0 where feasible; NaN where not given.
    """

    numbers: NDArray[np.int64]
    U: FloatArray
    values: FloatArray
    constraints: FloatArray

    def __len__(self) -> int:
        return len(self.numbers)

    def fingerprint(self, *more: str | bytes) -> str:
        """A short text that is the same exactly if the data (and ``more``) are.

        Finished trials of a study do not change, so their numbers say which they are.
        """
        digest = hashlib.blake2b(self.numbers.tobytes(), digest_size=8)
        for part in more:
            digest.update(b"\x1f" + (part if isinstance(part, bytes) else part.encode()))
        return digest.hexdigest()


class TrialReader:
    """Reads finished trials once: they do not change. Nothing else is remembered.

    A read of many trials must cost little, so what is kept of them is kept in arrays, a row for
    each trial in the order of their first reading.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._trials: list[FrozenTrial] = []
        # By identity, which is quick and almost always enough, and by name, for storages that
        # make new objects in every read.
        self._row_of_object: dict[int, int] = {}
        self._row_of_name: dict[object, int] = {}
        self._table = np.empty((256, 7))
        self._spaces: dict[tuple[str, ...], int] = {}
        self._constraints: dict[str, dict[int, float]] = {}
        self._points: dict[str, FloatArray] = {}

    def read(self, trials: Sequence[FrozenTrial]) -> Finished:
        """The COMPLETE and PRUNED trials, in the order of their numbers, and the others."""
        if len(self._trials) > max(_MAX_REMEMBERED, 2 * len(trials)):
            self._forget()
        rows: list[int] = []
        others: list[FrozenTrial] = []
        known = self._row_of_object
        for trial in trials:
            row = known.get(id(trial))
            if row is not None:
                rows.append(row)
            elif trial.state == TrialState.COMPLETE or trial.state == TrialState.PRUNED:
                rows.append(self._remember(trial))
            else:
                others.append(trial)
        return Finished(self, np.array(rows, dtype=np.int64), others)

    def unread(self, trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
        """Those that were not COMPLETE or PRUNED in any earlier read."""
        known = self._row_of_object
        return [trial for trial in trials if id(trial) not in known]

    def _remember(self, trial: FrozenTrial) -> int:
        name = (trial._trial_id, trial.number, trial.datetime_complete)
        row = self._row_of_name.get(name, len(self._trials))
        # A sampler may serve several studies, in storages that give the same names.
        if row < len(self._trials) and _is_same(self._trials[row], trial):
            del self._row_of_object[id(self._trials[row])]
            self._trials[row] = trial
        else:
            row = len(self._trials)
            self._trials.append(trial)
            if row == len(self._table):
                self._table = np.concatenate([self._table, np.empty_like(self._table)])
            # Texts, because the choices of a categorical parameter need not be hashable.
            space = tuple(sorted(map(repr, trial.distributions.items())))
            self._table[row] = _columns(trial, self._spaces.setdefault(space, row))
            for key, value in _constraints(trial).items():
                self._constraints.setdefault(key, {})[row] = value
        self._row_of_object[id(trial)] = self._row_of_name[name] = row
        return row

    def table(self, rows: NDArray[np.int64]) -> FloatArray:
        """What is remembered of some trials (n, 7)."""
        return self._table[rows]

    def points(self, rows: NDArray[np.int64], cube: UnitCube) -> FloatArray:
        """The points (n, d) of some trials in a cube."""
        U = self._points.get(cube.signature, np.empty((0, cube.dim)))
        new = [cube.encode(t.params, t.distributions) for t in self._trials[len(U) :]]
        if new:
            while len(self._points) >= _MAX_CUBES:
                del self._points[next(iter(self._points))]
            self._points.pop(cube.signature, None)
            U = self._points[cube.signature] = np.vstack([U, *new])
        points: FloatArray = U[rows]
        return points

    def constraints(self, rows: NDArray[np.int64]) -> FloatArray:
        """The constraints (n, k) of some trials, in the order of their names."""
        columns = [np.empty((len(rows), 0))]
        for _, given in sorted(self._constraints.items()):
            column = np.full(len(self._trials), np.nan)
            column[list(given)] = list(given.values())
            if not np.isnan(column[rows]).all():
                columns.append(column[rows, None])
        return np.hstack(columns)

    def trials(self, rows: NDArray[np.int64]) -> list[FrozenTrial]:
        """Some trials."""
        return [self._trials[row] for row in rows]


@dataclass(frozen=True)
class Finished:
    """The COMPLETE and PRUNED trials of one read.

    Attributes:
        reader: Who has read them.
        rows: Where it keeps them (n,).
        others: All other trials of the read.
    """

    reader: TrialReader
    rows: NDArray[np.int64]
    others: list[FrozenTrial]

    def __len__(self) -> int:
        return len(self.rows)

    def beside(self, history: History) -> list[FrozenTrial]:
        """All trials of the read that are no data, in the order of their numbers."""
        numbers = self.reader.table(self.rows)[:, _NUMBER]
        unused = self.rows[~np.isin(numbers, history.numbers)]
        trials = [*self.others, *self.reader.trials(unused)]
        return sorted(trials, key=lambda trial: trial.number)

    @property
    def longest(self) -> float:
        """How many seconds the longest ran."""
        return float(self.reader.table(self.rows)[:, _SECONDS].max(initial=0.0))


def read_history(finished: Finished, cube: UnitCube, *, maximize: bool) -> History:
    """The data that finished trials hold for the space of ``cube``."""
    table = finished.reader.table(finished.rows)
    U = finished.reader.points(finished.rows, cube)
    values = np.where(table[:, _COMPLETE] > 0, table[:, _VALUE], _pruned_values(table, maximize))
    is_data = ~np.isnan(values) & ~np.isnan(U).all(axis=1)
    return History(
        numbers=table[is_data, _NUMBER].astype(np.int64),
        U=U[is_data],
        values=values[is_data] if maximize else -values[is_data],
        constraints=finished.reader.constraints(finished.rows[is_data]),
    )


def union_space(finished: Finished) -> tuple[dict[str, BaseDistribution], set[str]]:
    """All parameters of finished trials with their distribution, and the names left out.

    A name that had different distributions is left out: the model cannot cover it.
    """
    space: dict[str, BaseDistribution] = {}
    dynamic: set[str] = set()
    # A search space has the row of the first trial that had it for its index.
    spaces = np.unique(finished.reader.table(finished.rows)[:, _SPACE]).astype(np.int64)
    for trial in finished.reader.trials(spaces):
        for name, distribution in trial.distributions.items():
            if space.setdefault(name, distribution) != distribution:
                dynamic.add(name)
    known = sorted(set(space) - dynamic)
    return {name: space[name] for name in known if not space[name].single()}, dynamic


def concurrency(
    trials: Sequence[FrozenTrial],
    n_recent: int = 64,
    seen: Callable[[FrozenTrial], int | None] = lambda trial: None,
) -> int:
    """How many trials ran at once lately: the most that were running when one began.

    Args:
        trials: Finished ones, in the order of their numbers.
        n_recent: How many of the last ones count.
        seen: How many a trial itself saw running, the dead included. That decides between trials
            which ran one after the other and at once within a second, where a storage keeps no
            smaller units of time (MySQL).
    """
    spans = [
        (start, timestamp(trial.datetime_complete), seen(trial))
        for trial in trials[-n_recent:]
        if (start := timestamp(trial.datetime_start)) is not None
    ]
    # What is unknown is NaN.
    begun, ended, n_seen = np.array(spans, dtype=float).reshape(-1, 3).T
    ended = np.where(np.isnan(ended), np.inf, ended)
    # Row i: of those that had begun when trial i began, how many ended after that, or not before?
    had_begun = begun <= begun[:, None]
    after = (had_begun & (ended > begun[:, None])).sum(axis=1)
    # Of two that begin at the same moment, one may have the later time and the lower number.
    # Whoever has the highest has seen all others.
    known = had_begun | np.tri(len(begun), dtype=bool)
    not_before = (known & (ended >= begun[:, None])).sum(axis=1)
    at_once = np.where(np.isnan(n_seen), after, np.minimum(n_seen, not_before))
    return int(at_once.max(initial=1))


def _constraints(trial: FrozenTrial) -> dict[str, float]:
    """A trial's constraints. Anyone may have written them: what is not a number is absent."""
    numbers: dict[str, float] = {}
    try:
        for name, value in trial.constraints.items():
            if isinstance(value, (int, float)):
                numbers[name] = float(value)
    except (AttributeError, OverflowError, TypeError, ValueError):
        return {}
    return numbers


def _is_same(one: FrozenTrial, other: FrozenTrial) -> bool:
    return one.params == other.params and repr(one.values) == repr(other.values)


def _columns(trial: FrozenTrial, space: int) -> tuple[float, ...]:
    value = float(trial.values[0]) if trial.values else math.nan
    begun, ended = timestamp(trial.datetime_start), timestamp(trial.datetime_complete)
    reported = trial.intermediate_values
    return (
        trial.number,
        value,
        space,
        0.0 if begun is None or ended is None else ended - begun,
        trial.state == TrialState.COMPLETE,
        reported[max(reported)] if reported else math.nan,
        min(reported.values()) <= value <= max(reported.values()) if reported else math.nan,
    )


def _pruned_values(table: FloatArray, maximize: bool) -> FloatArray:
    """The values (n,) that pruned trials count with; NaN if intermediate values do not count."""
    complete = table[(table[:, _COMPLETE] > 0) & ~np.isnan(table[:, _VALUE])]
    within = complete[~np.isnan(complete[:, _WITHIN]), _WITHIN]
    if not len(within) or 2 * within.sum() < len(within):
        return np.full(len(table), np.nan)
    median = np.median(complete[:, _VALUE])
    # The worse of the two; NaN stays NaN.
    return (np.minimum if maximize else np.maximum)(table[:, _LAST], median)
