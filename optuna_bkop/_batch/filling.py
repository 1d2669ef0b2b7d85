"""Fills a batch that lacks points: without copies, and at a cost per point that does not grow.

Two points are copies of each other if they nearly coincide: their prior correlation is above
`COPY` in every model.

The points are chosen in blocks. Each block starts as a greedy batch: its points are chosen one by
one, each given all points before it, and none is a copy of another. Then gradient steps increase
the joint acquisition of the block, while all earlier points are held.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.candidates import random_points
from optuna_bkop._batch.problem import N_GOOD, BatchProblem
from optuna_bkop._batch.search import candidates, climb
from optuna_bkop._batch.successor_scores import COPY

#: Number of points per block. New candidates and a new factorisation are paid once per block.
_BLOCK = 16
#: Maximum number of steps of a block's climb: its start is good, and it must stay distinct.
_STEPS = 20


def fill(
    problem: BatchProblem, batch: FloatArray, n: int, *, rng: np.random.Generator
) -> FloatArray:
    """Return n more points (n, d) for a batch (q, d), q > 0, that is already chosen.

    As long as there are other candidates, no new point is a copy of another new point or of a
    point of the batch.

    Args:
        problem: The problem of the next batch, before the points of ``batch`` are held. (A held
            point is one whose value is unknown.)
        batch: The chosen points, in the unit cube.
        n: Number of points to add.
        rng: Source of randomness.
    """
    filled = batch
    while len(filled) < len(batch) + n:
        size = min(_BLOCK, len(batch) + n - len(filled))
        block = _distinct_block(problem.hold(filled), filled, size, rng=rng)
        filled = np.vstack([filled, block])
    return filled[len(batch) :]


def _distinct_block(
    problem: BatchProblem, batch: FloatArray, n: int, *, rng: np.random.Generator
) -> FloatArray:
    """Return n points (n, d) that are no copies of each other or of the batch (q, d).

    That holds as long as there are other candidates. The points of the batch are held in
    ``problem`` already.
    """
    domain, acquisition = problem.domain, problem.acquisition()
    near = random_points(domain, problem.lower, problem.upper, batch, rng)
    C = np.vstack([candidates(problem, N_GOOD, rng=rng), near])
    successors = acquisition.successors(domain.features(C))
    successors.close(domain.features(batch))
    chosen: list[int] = []
    for _ in range(n):
        chosen.append(int(np.argmax(successors.scores())))
        successors.take(chosen[-1])
    start = C[chosen]
    climbed = climb(problem, acquisition, start, _STEPS, fixed=domain.is_discrete)
    # A point that has become a copy of another one returns to its start. Only there may it meet a
    # point that has climbed; then all points return.
    is_apart = _is_apart(problem, batch, climbed)
    block: FloatArray = np.where(is_apart[:, None], climbed, start)
    return block if _is_apart(problem, batch, block).all() else start


def _is_apart(problem: BatchProblem, batch: FloatArray, block: FloatArray) -> NDArray[np.bool_]:
    """Return which points of a block (n, d) are no copies, as booleans (n,).

    A point is a copy if it nearly coincides with a point before it, of the batch (q, d) or of the
    block, that is no copy itself (see `apart`).
    """
    rows = apart(problem, np.vstack([batch, block]))
    return np.isin(len(batch) + np.arange(len(block)), rows)


def apart(problem: BatchProblem, batch: FloatArray) -> list[int]:
    """Return ascending row indices of a batch (q, d) such that no two of these rows are copies.

    A row is left out only if it is a copy of an earlier row that is returned. Two points are
    copies if their prior correlation is above `COPY` in every model of the problem.
    """
    rough = max(problem.models, key=lambda model: model.roughness)
    Z = problem.domain.features(batch) * rough.inverse_scales
    correlation = rough.prior(Z, Z) / rough.signal_var
    rows: list[int] = []
    for i in range(len(batch)):
        if not (correlation[i, rows] > COPY).any():
            rows.append(i)
    return rows
