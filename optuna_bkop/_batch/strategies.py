"""The strategies that choose the next batch from the fitted models.

Points are in the unit cube of a `Domain`; values are transformed and to be maximised.

To add a strategy, write a function with the signature of `Strategy` and add it to `STRATEGIES`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.acquisition import BatchAcquisition, Exploration
from optuna_bkop._batch.branches import BRANCHING, other_branch
from optuna_bkop._batch.candidates import distinct
from optuna_bkop._batch.filling import apart, fill
from optuna_bkop._batch.problem import N_BEST, BatchProblem
from optuna_bkop._batch.search import candidates, maximize
from optuna_bkop._model.fitted import Fitted
from optuna_bkop._readings import is_detailed


class Strategy(Protocol):
    """Chooses q points (q, d) for a problem."""

    def __call__(self, problem: BatchProblem, q: int, *, rng: np.random.Generator) -> FloatArray:
        """Return q points (q, d)."""
        ...


def choose_batch(
    fitted: Fitted,
    U_held: FloatArray,
    q: int,
    *,
    rng: np.random.Generator,
    n_before: int | None = None,
) -> FloatArray:
    """Return the next q points (q, d) while points U_held (p, d) are held.

    The strategy of the settings chooses the points. The points differ from each other and from all
    observed and held points, as long as the domain has other points.

    Args:
        fitted: The models, and the trials that they are based on.
        U_held: Points (p, d) of trials whose values are unknown.
        q: Number of points.
        rng: Source of randomness.
        n_before: Number of trials before this batch. If None, the number of observed and held
            points.
    """
    problem = BatchProblem.of(fitted, U_held, n_before)
    batch = fitted.domain.snap(STRATEGIES[fitted.settings.strategy](problem, q, rng=rng))
    return distinct(batch, problem.taken, fitted.domain, rng)


def bkop(problem: BatchProblem, q: int, *, rng: np.random.Generator) -> FloatArray:
    """Maximise the joint acquisition of the whole batch (Algorithms 2 and 4).

    The algorithms are those of Lyu, Yuan and Tsang. With q = 1 they are Algorithms 1 and 3; one
    point after a lattice is the last step of Algorithm 5.

    In few dimensions the maximum contains copies, that is, points that nearly coincide, because
    with a large q a copy adds little to the deviation of the sum. Lyu, Yuan and Tsang assume that
    no point is selected twice. So one point of each group of copies is kept, and the missing
    points are chosen jointly, given the kept ones. Whatever q is, a few maximisations suffice:
    beyond ``max_joint`` points, `fill` adds the missing points.

    In a conditional space, one of `BRANCHING` points takes another branch than the best point. The
    model covers all branches and transfers what it has learnt in one to the others. After a few
    poor trials it would never return to a branch.

    If the problem has models with a second, short length scale (``detailed``), these models choose
    every second point jointly. Then the plain models (``models``) choose the other points jointly,
    while the points of the detailed models are held.
    """
    batch, is_chosen = np.empty((q, problem.domain.dim)), np.zeros(q, dtype=bool)
    # Numbers count all trials, however many points of a plan are used.
    numbers = problem.n_before + np.arange(q)
    for i in np.flatnonzero((numbers + 1) % BRANCHING == 0):
        turn = int(numbers[i]) // BRANCHING
        point = other_branch(problem.hold(batch[is_chosen]), turn, rng=rng)
        if len(point):
            batch[i], is_chosen[i] = point[0], True
    detailed = np.full(q, bool(problem.detailed)) & [is_detailed(int(n)) for n in numbers]
    for reading, mine in ((problem.in_detail(), detailed), (problem, ~detailed)):
        left = mine & ~is_chosen
        batch[left] = _jointly(reading.hold(batch[is_chosen]), int(left.sum()), rng=rng)
        is_chosen |= left
    return batch


def _jointly(problem: BatchProblem, q: int, *, rng: np.random.Generator) -> FloatArray:
    """Return q points (q, d) that maximise one joint acquisition.

    There are no copies among them, as long as there are other candidates.
    """
    batch, n_joint = np.empty((0, problem.domain.dim)), 0
    max_joint = problem.settings.max_joint
    while len(batch) < q and (n_joint == 0 or n_joint + q - len(batch) <= max_joint):
        rest = problem.hold(batch)
        more = maximize(rest, rest.acquisition(), q - len(batch), rng=rng)
        n_joint += len(more)
        batch = np.vstack([batch, more[apart(rest, more)]])
    return np.vstack([batch, fill(problem, batch, q - len(batch), rng=rng)])


def gp_bucb(problem: BatchProblem, q: int, *, rng: np.random.Generator) -> FloatArray:
    """GP-BUCB (Desautels et al. 2014): choose point by point, with an unchanged mean.

    Each point maximises m + B σ, with posterior mean m, deviation σ and norm B, plus the log
    probability that it is feasible. A chosen point narrows the deviation for the next points and
    leaves the mean unchanged.
    """
    batch = np.empty((0, problem.domain.dim))
    for _ in range(q):
        rest = problem.hold(batch)
        batch = np.vstack([batch, maximize(rest, rest.acquisition(), 1, rng=rng)])
    return batch


def gp_ucb_pe(problem: BatchProblem, q: int, *, rng: np.random.Generator) -> FloatArray:
    """GP-UCB-PE (Contal et al. 2013): one point by upper confidence, then pure exploration.

    With posterior mean m, deviation σ and norm B, the first point maximises m + B σ. Each further
    point has the largest deviation within the relevant region: where m + 2 B σ is at least the
    largest m - B σ. Only the first point takes constraints into account.
    """
    batch = maximize(problem, problem.acquisition(), 1, rng=rng)
    C = np.vstack([candidates(problem, N_BEST, rng=rng), problem.good])
    lower_bounds = BatchAcquisition(problem.models, -problem.rkhs_norm)
    threshold = float(lower_bounds.candidates(problem.domain.features(C)).scores().max())
    region = BatchAcquisition(problem.models, 2.0 * problem.rkhs_norm)
    while len(batch) < q:
        rest = problem.hold(batch)
        exploration = Exploration(rest.models, region, threshold)
        batch = np.vstack([batch, maximize(rest, exploration, 1, rng=rng)])
    return batch


def bull(problem: BatchProblem, q: int, *, rng: np.random.Generator) -> FloatArray:
    """Bull's non-adaptive batch (2011): all points except the last are fixed in advance.

    The fixed points continue one space-filling sequence; the last point has the largest posterior
    mean plus log probability of being feasible. With q = 1 there is only the last point.
    """
    fixed = problem.domain.sequence(problem.n_before, q - 1)
    mean_only = BatchAcquisition(problem.models, 0.0, feasibility=problem.feasibility)
    return np.vstack([fixed, maximize(problem, mean_only, 1, rng=rng)])


STRATEGIES: dict[str, Strategy] = {
    "bkop": bkop,
    "gp_bucb": gp_bucb,
    "gp_ucb_pe": gp_ucb_pe,
    "bull": bull,
}
