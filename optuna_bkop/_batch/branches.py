"""Chooses points in other branches of a conditional space than the best point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.problem import N_GOOD, SearchProblem
from optuna_bkop._batch.search import best_near, candidates

#: In a conditional space one of this many points takes another branch than the best point. On the
#: conditional tuning tasks (benchmarks/README.md) this scores 56 instead of 49.
BRANCHING = 8


def other_branch(problem: SearchProblem, turn: int, *, rng: np.random.Generator) -> FloatArray:
    """Return the best new point (1, d) that takes another branch than the best known point.

    The parameters on which others depend take turns. The result is empty, (0, d), if there is no
    such parameter, or if no point is left in other branches.
    """
    domain = problem.domain
    best = problem.good[0]
    is_active = domain.active(best[None])[0]
    parents = sorted({c.parent for c in domain.conditions.values() if is_active[c.parent]})
    if not parents:
        return np.empty((0, domain.dim))
    parent = parents[turn % len(parents)]

    def elsewhere(U: FloatArray) -> FloatArray:
        away: FloatArray = U[~np.isclose(U[:, parent], best[parent])]
        return away

    others = elsewhere(problem.good)
    # The trust box surrounds the best points, which belong to few branches.
    everywhere = replace(
        problem,
        lower=np.zeros(domain.dim),
        upper=np.ones(domain.dim),
        good=others if len(others) else problem.good,
    )
    C = elsewhere(candidates(everywhere, N_GOOD, rng=rng))
    C = C[np.array([(key not in problem.taken) for key in domain.keys(C)], dtype=bool)]
    return best_near(everywhere, problem.acquisition(), C)
