"""Chooses points in other branches of a conditional space than that of the best observed point.

A branch is a value of a parameter on which other parameters depend.
"""

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
    """Return the point (1, d) with the largest acquisition in another branch.

    Its value of one parameter, on which other parameters depend, differs from that of the best
    observed point. If there are several such parameters, they take turns. The search starts from
    random candidates that are neither observed nor held. The trust box is ignored.

    Args:
        problem: The problem, with models, domain and points that are taken.
        turn: Number, at least 0, that decides which parameter has its turn.
        rng: Source of randomness.

    Returns:
        The point, or an empty array (0, d) if no parameter depends on another one that is active
        in the best observed point, or if no candidate is in another branch.
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
