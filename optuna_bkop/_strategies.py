"""From models to the next batch: the strategies that choose points.

Everything is in the numbers of [0, 1] of a `Domain`; values are warped and to be maximised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from optuna_bkop._acquisition import BatchAcquisition, Exploration
from optuna_bkop._candidates import distinct
from optuna_bkop._kernels import FloatArray
from optuna_bkop._models import Fitted
from optuna_bkop._situation import (
    N_BEST,
    N_GOOD,
    Situation,
    acquisition_of,
    best_near,
    candidates,
    maximize,
    situation_of,
    with_held,
)

#: In a conditional space one of so many points is of another branch than the best.
_BRANCHING = 8
#: Points with a higher correlation, before any data, are copies: about a ninth of a length scale.
_COPY = 0.99


def choose_batch(
    fitted: Fitted,
    U_held: FloatArray,
    q: int,
    *,
    rng: np.random.Generator,
    n_before: int | None = None,
) -> FloatArray:
    """The next q points (q, d), given that points U_held (p, d) are running.

    They differ from each other and from all observed and held ones, as long as the domain has
    others. ``n_before`` is how many there were before, if not all are observed or held.
    """
    situation = situation_of(fitted, U_held, rng=rng, n_before=n_before)
    batch = fitted.domain.snap(STRATEGIES[fitted.settings.strategy](situation, q))
    return distinct(batch, situation.taken, fitted.domain, rng)


def bkop(situation: Situation, q: int) -> FloatArray:
    """Algorithms 2 and 4: the whole batch by its joint acquisition; one point: 1 and 3.

    One point after the lattice is the last step of Algorithm 5.

    In few dimensions the maximum has copies of some points, because a copy costs little in the
    deviation of the sum if q is large. The paper assumes that no point is selected twice. So one
    of each is kept, and the others are chosen jointly in turn, given these.

    In a conditional space every so many points one is of another branch than the best one's: a
    model of all branches takes what it has learnt in one for true in the others, and on the
    evidence of a few poor trials would not come back to a branch.
    """
    n_before = situation.n_before
    away, places = np.empty((0, situation.domain.dim)), list[int]()
    for turn in range(n_before // _BRANCHING, (n_before + q) // _BRANCHING):
        point = _of_another_branch(with_held(situation, away), turn)
        if len(point):
            # By the count of all points, however many of a plan are used.
            places.append((turn + 1) * _BRANCHING - 1 - n_before - len(away))
            away = np.vstack([away, point])
    batch = away
    while len(batch) < q:
        now = with_held(situation, batch)
        more = maximize(now, acquisition_of(now), q - len(batch))
        batch = np.vstack([batch, more[_apart(now, more)]])
    return np.insert(batch[len(away) :], places, away, axis=0)


def _of_another_branch(situation: Situation, turn: int) -> FloatArray:
    """The best new point (1, d) where another branch is taken than at the best known one.

    Parameters that others depend on have their turns in this. There is none, (0, d), without such
    parameters, or if the other branches have no points that are left.
    """
    domain = situation.domain
    best = situation.good[0]
    is_active = domain.active(best[None])[0]
    parents = sorted({c.parent for c in domain.conditions.values() if is_active[c.parent]})
    if not parents:
        return np.empty((0, domain.dim))
    parent = parents[turn % len(parents)]

    def elsewhere(U: FloatArray) -> FloatArray:
        away: FloatArray = U[~np.isclose(U[:, parent], best[parent])]
        return away

    others = elsewhere(situation.good)
    # The box is around the best points, which are of few branches.
    everywhere = replace(
        situation,
        lower=np.zeros(domain.dim),
        upper=np.ones(domain.dim),
        good=others if len(others) else situation.good,
    )
    C = elsewhere(candidates(everywhere, N_GOOD))
    C = C[np.array([key not in situation.taken for key in domain.keys(C)], dtype=bool)]
    return best_near(everywhere, acquisition_of(situation), C)


def gp_bucb(situation: Situation, q: int) -> FloatArray:
    """GP-BUCB (Desautels et al. 2014): point by point, each with the mean of the start.

    A chosen point narrows the deviation for the next ones, and leaves the mean as it is.
    """
    batch = np.empty((0, situation.domain.dim))
    for _ in range(q):
        now = with_held(situation, batch)
        batch = np.vstack([batch, maximize(now, acquisition_of(now), 1)])
    return batch


def gp_ucb_pe(situation: Situation, q: int) -> FloatArray:
    """GP-UCB-PE (Contal et al. 2013): one point by upper confidence, then pure exploration.

    The exploring points have the largest deviation within the relevant region: where the upper
    confidence bound, with twice the weight, reaches the largest lower confidence bound.
    """
    batch = maximize(situation, acquisition_of(situation), 1)
    C = np.vstack([candidates(situation, N_BEST), situation.good])
    lower_bounds = BatchAcquisition(situation.models, -situation.weight)
    threshold = float(lower_bounds.candidates(situation.domain.features(C)).scores().max())
    region = BatchAcquisition(situation.models, 2.0 * situation.weight)
    while len(batch) < q:
        now = with_held(situation, batch)
        batch = np.vstack([batch, maximize(now, Exploration(now.models, region, threshold), 1)])
    return batch


def bull(situation: Situation, q: int) -> FloatArray:
    """Bull's non-adaptive batch (2011): all points but one are fixed in advance.

    The fixed ones go on with one space-filling sequence; the last has the largest mean.
    """
    fixed = situation.domain.sequence(situation.n_before, q - 1)
    mean_only = BatchAcquisition(situation.models, 0.0, feasibility=situation.feasibility)
    return np.vstack([fixed, maximize(situation, mean_only, 1)])


STRATEGIES: dict[str, Callable[[Situation, int], FloatArray]] = {
    "bkop": bkop,
    "gp_bucb": gp_bucb,
    "gp_ucb_pe": gp_ucb_pe,
    "bull": bull,
}


def _apart(situation: Situation, batch: FloatArray) -> list[int]:
    """Rows of a batch (q, d) of which no two are copies, even to the roughest model."""
    rough = max(situation.models, key=lambda model: model.roughness)
    Z = situation.domain.features(batch) * rough.inverse_scales
    correlation = rough.prior(Z, Z) / rough.signal_var
    rows: list[int] = []
    for i in range(len(batch)):
        if not (correlation[i, rows] > _COPY).any():
            rows.append(i)
    return rows
