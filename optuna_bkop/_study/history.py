"""The data of a study: points, values and constraints of its finished trials.

COMPLETE trials are data. PRUNED trials are data once any trial is COMPLETE: their final values are
estimated from the reports (see `learning_curves`). Trials that FAIL, or whose value is NaN, are no
data; the model of failures uses the former. With several objectives Optuna has no reports, and
PRUNED trials are no data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._study.learning_curves import MAX_EXACT_STEPS, estimate_final, rounded_step
from optuna_bkop._study.trial_cache import (
    COMPLETE,
    LAST_STEP,
    NUMBER,
    FinishedTrials,
)
from optuna_bkop._study.unit_cube import UnitCube


@dataclass(frozen=True)
class History:
    """The data of a study: its trials that have a value.

    Attributes:
        numbers: Trial numbers (n,), ascending.
        U: Points (n, d) in the unit cube; NaN where a trial does not have the parameter.
        values: Values (n, m) of m objectives, to be maximised; may be infinite.
        constraints: Constraint values (n, k); feasible if at most 0, NaN if unknown.
    """

    numbers: NDArray[np.int64]
    U: FloatArray
    values: FloatArray
    constraints: FloatArray

    def __len__(self) -> int:
        return len(self.numbers)

    def fingerprint(self, *more: str | bytes) -> str:
        """Return a short text that differs whenever the numbers of the trials or ``more`` differ.

        Finished trials of a study do not change, so their numbers identify them.
        """
        digest = hashlib.blake2b(self.numbers.tobytes(), digest_size=8)
        for part in more:
            digest.update(b"\x1f" + (part if isinstance(part, bytes) else part.encode()))
        return digest.hexdigest()


def read_history(finished: FinishedTrials, cube: UnitCube, *, maximize: Sequence[bool]) -> History:
    """Return the data of finished trials for the search space of ``cube``.

    Trials without a value, with NaN as a value, or without any parameter of the search space, are
    left out. A pruned trial has an estimated value if there is one objective and any trial is
    COMPLETE.

    Args:
        finished: The COMPLETE and PRUNED trials.
        cube: The search space.
        maximize: Whether larger values are better, for each objective.
    """
    table = finished.table
    U = finished.cache.points(finished.rows, cube)
    values = finished.values(len(maximize))
    is_pruned = table[:, COMPLETE] == 0
    values[is_pruned] = np.nan
    if len(maximize) == 1:
        values[is_pruned, 0] = _pruned_values(finished, values[:, 0], maximize[0])[is_pruned]
    is_data = ~np.isnan(values).any(axis=1) & ~np.isnan(U).all(axis=1)
    return History(
        numbers=table[is_data, NUMBER].astype(np.int64),
        U=U[is_data],
        values=np.where(maximize, values[is_data], -values[is_data]),
        constraints=finished.cache.constraints(finished.rows[is_data]),
    )


def _pruned_values(finished: FinishedTrials, values: FloatArray, maximize: bool) -> FloatArray:
    """Return estimated final values (n,) of the pruned trials; NaN for all others.

    Without a COMPLETE trial, all are NaN.

    Args:
        finished: The trials.
        values: Values (n,) of the COMPLETE trials; NaN for the pruned ones.
        maximize: Whether larger values are better.
    """
    table = finished.table
    estimates = np.full(len(table), np.nan)
    is_complete = ~np.isnan(values)
    is_pruned = table[:, COMPLETE] == 0
    if not is_complete.any():
        return estimates
    # Trials without a report have no last step; any step will do for them.
    steps = np.nan_to_num(table[:, LAST_STEP]).astype(np.int64)
    last_steps = np.unique(steps[is_pruned]).tolist()
    for step in last_steps:
        rows = finished.rows[is_pruned & (steps == step)]
        at = step if len(last_steps) <= MAX_EXACT_STEPS else rounded_step(step)
        if np.isnan(finished.cache.reports(rows, at)).all():
            at = step  # the first report came after the rounded step
        estimates[is_pruned & (steps == step)] = estimate_final(
            finished.cache.reports(rows, at),
            finished.cache.reports(finished.rows[is_complete], at),
            values[is_complete],
            maximize=maximize,
        )
    return estimates
