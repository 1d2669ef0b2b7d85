"""What is known of a study: one read of its trials -> points, values, constraints.

COMPLETE trials are data. PRUNED trials are data if their intermediate values are comparable with
final ones: in at least half of the COMPLETE trials that reported any, the final value lies between
the smallest and the largest reported. A pruned trial then counts with its last reported value, but
as no better than the median of the COMPLETE ones, because it was stopped for looking poor. FAIL
trials and NaN are no data.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._kernels import FloatArray
from optuna_bkop._space import UnitCube

#: Finished trials that are remembered; beyond, the memory starts anew.
_MAX_REMEMBERED = 200_000

Space = frozenset[tuple[str, BaseDistribution]]


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

    def fingerprint(self, *more: str) -> str:
        """A short text that is the same exactly if the data (and ``more``) are.

        Finished trials do not change, so their numbers say which they are.
        """
        digest = hashlib.blake2b(self.numbers.tobytes(), digest_size=8)
        for text in more:
            digest.update(b"\x1f" + text.encode())
        return digest.hexdigest()


@dataclass
class Record:
    """What is kept of a finished trial, so that it is read only once."""

    trial: FrozenTrial
    value: float
    space: Space
    constraints: dict[str, float]
    seconds: float
    points: dict[str, FloatArray] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether the trial has a value of its own."""
        return self.trial.state == TrialState.COMPLETE

    def point(self, cube: UnitCube) -> FloatArray:
        """The trial's point (d,) in ``cube``."""
        if cube.signature not in self.points:
            self.points[cube.signature] = cube.encode(self.trial.params, self.trial.distributions)
        return self.points[cube.signature]


class TrialReader:
    """Reads finished trials once: they do not change. Nothing else is remembered."""

    def __init__(self) -> None:
        self._records: dict[object, Record] = {}

    def read(self, trials: Sequence[FrozenTrial]) -> list[Record]:
        """Records of the COMPLETE and PRUNED trials, in the order of their numbers."""
        if len(self._records) > _MAX_REMEMBERED:
            self._records.clear()
        records = []
        for trial in trials:
            if trial.state == TrialState.COMPLETE or trial.state == TrialState.PRUNED:
                # The time makes the key one study's, should a sampler serve several.
                key = (trial.number, trial.datetime_complete)
                record = self._records.get(key)
                if record is None:
                    record = self._records[key] = _record(trial)
                records.append(record)
        return records


def read_history(records: Sequence[Record], cube: UnitCube, *, maximize: bool) -> History:
    """The data that finished trials hold for the space of ``cube``."""
    pruned = _pruned_values(records, maximize)
    rows: list[tuple[Record, float]] = []
    for record in records:
        value = record.value if record.is_complete else pruned.get(record.trial.number, math.nan)
        if not math.isnan(value) and not np.isnan(record.point(cube)).all():
            rows.append((record, value))

    sign = 1.0 if maximize else -1.0
    keys = sorted({key for record, _ in rows for key in record.constraints})
    constraints = [[record.constraints.get(key, math.nan) for key in keys] for record, _ in rows]
    return History(
        numbers=np.array([record.trial.number for record, _ in rows], dtype=np.int64),
        U=np.array([record.point(cube) for record, _ in rows]).reshape(len(rows), cube.dim),
        values=np.array([sign * value for _, value in rows]),
        constraints=np.array(constraints, dtype=float).reshape(len(rows), len(keys)),
    )


def union_space(records: Sequence[Record]) -> tuple[dict[str, BaseDistribution], set[str]]:
    """All parameters of finished trials with their distribution, and the names left out.

    A name that had different distributions is left out: the model cannot cover it.
    """
    space: dict[str, BaseDistribution] = {}
    dynamic: set[str] = set()
    for name, distribution in frozenset().union(*{record.space for record in records}):
        if space.setdefault(name, distribution) != distribution:
            dynamic.add(name)
    known = sorted(set(space) - dynamic)
    return {name: space[name] for name in known if not space[name].single()}, dynamic


def concurrency(trials: Sequence[FrozenTrial], n_recent: int = 64) -> int:
    """How many trials ran at once lately: the most that were running when one began."""
    spans = [
        (trial.datetime_start, trial.datetime_complete)
        for trial in trials[-n_recent:]
        if trial.datetime_start is not None
    ]
    at_start = [
        sum(begun <= now and (ended is None or ended > now) for begun, ended in spans)
        for now, _ in spans
    ]
    return max(at_start, default=1)


def _record(trial: FrozenTrial) -> Record:
    values = trial.values
    duration = trial.duration
    return Record(
        trial=trial,
        value=float(values[0]) if values else math.nan,
        space=frozenset(trial.distributions.items()),
        constraints={
            key: float(value)
            for key, value in trial.constraints.items()
            if isinstance(value, (int, float))
        },
        seconds=0.0 if duration is None else duration.total_seconds(),
    )


def _pruned_values(records: Sequence[Record], maximize: bool) -> dict[int, float]:
    """Number -> the value that a pruned trial counts with, if intermediate values count."""
    pruned = [r.trial for r in records if not r.is_complete and r.trial.intermediate_values]
    if not pruned:
        return {}
    complete = [r for r in records if r.is_complete and not math.isnan(r.value)]
    reported = [(r.value, r.trial.intermediate_values.values()) for r in complete]
    within = [min(steps) <= value <= max(steps) for value, steps in reported if steps]
    if not within or 2 * sum(within) < len(within):
        return {}
    median = float(np.median([r.value for r in complete]))
    worse = min if maximize else max
    last = {t.number: t.intermediate_values[max(t.intermediate_values)] for t in pruned}
    return {
        number: worse(value, median) for number, value in last.items() if not math.isnan(value)
    }
