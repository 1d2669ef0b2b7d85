"""Maximises an acquisition over a whole batch, within the trust box and on the domain's grid.

Candidates are random points of the box. A greedy batch is built from candidates, point by point.
To climb is to follow the gradient of the acquisition.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.acquisition import Acquisition
from optuna_bkop._batch.candidates import greedy, improve_discrete, random_points
from optuna_bkop._batch.optimizers import by_cma, by_gradient
from optuna_bkop._batch.problem import N_BEST, N_GOOD, SearchProblem
from optuna_bkop._domain import Domain

#: The best `_PROMISING` share of the greedy batches climbs `_FIRST_STEPS` steps; then the best
#: one goes on. With these, `benchmarks/` finds values at least equal to 20,000 evaluations of
#: CMA-ES (command `maximize`).
_PROMISING, _FIRST_STEPS = 0.7, 5
#: Minimum number of greedy batches, whatever the size of the problem.
_MIN_STARTS = 6
#: Maximum number of steps, and the relative gain below which a climb stops: first while discrete
#: parameters are still to be rounded, then for the final climb.
_MORE_STEPS, _ROUGHLY = 50, 1e-5
_LAST_STEPS, _EXACTLY = 150, 1e-8
#: Number of candidates from which `best_near` climbs.
_N_CLIMBED = 2


def maximize(
    problem: SearchProblem, acquisition: Acquisition, q: int, *, rng: np.random.Generator
) -> FloatArray:
    """Return the batch (q, d) with the largest acquisition that a search of the trust box finds.

    With gradients, most greedy batches climb a few steps together, and the best one climbs to the
    end. With CMA-ES, the best greedy batch is the initial mean. The settings of the problem decide
    between the two. Parameters with a grid have values of their grid.

    Args:
        problem: The problem, with domain, trust box and settings.
        acquisition: Function of batches to maximise.
        q: Number of points.
        rng: Source of randomness.
    """
    domain, settings = problem.domain, problem.settings
    has_discrete = domain.is_discrete.any()
    if settings.maximizer == "cma":
        start = _starts(problem, acquisition, q, 1, rng=rng)[0]
        batch = _evolve(problem, acquisition, start, rng=rng)
        return improve_discrete(acquisition, domain.snap(batch), domain) if has_discrete else batch
    climb_from = partial(climb, problem, acquisition)
    n_starts = min(settings.n_starts, max(_MIN_STARTS, q * domain.dim // 2))
    starts = _starts(problem, acquisition, q, n_starts // 2, rng=rng)
    promising = _best(acquisition, starts, domain, math.ceil(_PROMISING * len(starts)))
    batch = _best(acquisition, climb_from(promising, _FIRST_STEPS), domain, 1)[0]
    if has_discrete:
        batch = climb_from(batch, _MORE_STEPS)
        batch = improve_discrete(acquisition, domain.snap(batch), domain)
    return climb_from(batch, _LAST_STEPS, _EXACTLY, fixed=domain.is_discrete)


def best_near(problem: SearchProblem, acquisition: Acquisition, C: FloatArray) -> FloatArray:
    """Return the point (1, d) with the largest acquisition that gradients reach from candidates.

    The climbs start from the `_N_CLIMBED` candidates among C (m, d) with the largest acquisitions.
    Discrete parameters do not change. Without candidates, m = 0, the result is empty, (0, d).
    """
    if not len(C):
        return C
    domain = problem.domain
    climbed = [
        climb(problem, acquisition, U, _MORE_STEPS, fixed=domain.is_discrete)
        for U in _best(acquisition, C[:, None, :], domain, _N_CLIMBED)
    ]
    best: FloatArray = _best(acquisition, np.stack(climbed), domain, 1)[0]
    return best


def candidates(problem: SearchProblem, n_centres: int, *, rng: np.random.Generator) -> FloatArray:
    """Draw points (m, d) in the trust box: uniformly, and around the best observed points.

    ``n_centres`` is the number of best points, at most that of ``problem.good``.
    """
    centres = problem.good[:n_centres]
    return random_points(problem.domain, problem.lower, problem.upper, centres, rng)


def _starts(
    problem: SearchProblem,
    acquisition: Acquisition,
    q: int,
    n_batches: int,
    *,
    rng: np.random.Generator,
) -> FloatArray:
    """Return 2 n_batches greedy batches of q points, as an array (2 n_batches, q, d).

    One half is built from candidates around the few best points, the other half from candidates
    around many good points: each alone misses neighbourhoods that the other finds.
    """
    domain = problem.domain
    return np.stack(
        [
            batch
            for n_centres in (N_BEST, N_GOOD)
            for batch in greedy(
                acquisition,
                candidates(problem, n_centres, rng=rng),
                domain,
                q,
                n_batches=n_batches,
                rng=rng,
            )
        ]
    )


def _best(acquisition: Acquisition, batches: FloatArray, domain: Domain, n: int) -> FloatArray:
    """Return the n batches (n, q, d) of (p, q, d) with the largest acquisitions, largest first."""
    values = acquisition.values(_features(batches, domain))
    best: FloatArray = batches[np.argsort(-values, kind="stable")[:n]]
    return best


def _features(batches: FloatArray, domain: Domain) -> FloatArray:
    """Return the features (p, q, D) of batches (p, q, d)."""
    p, q, d = batches.shape
    return domain.features(batches.reshape(p * q, d)).reshape(p, q, -1)


def climb(
    problem: SearchProblem,
    acquisition: Acquisition,
    start: FloatArray,
    max_steps: int,
    tolerance: float = _ROUGHLY,
    fixed: NDArray[np.bool_] | bool = False,
) -> FloatArray:
    """Return the batch (q, d) that gradients reach from ``start``, or many (p, q, d) at once.

    Many batches climb together on the sum of their acquisitions, so that numpy's overhead is paid
    once.

    Args:
        problem: The problem, with domain and trust box.
        acquisition: Function of batches to maximise.
        start: Initial batch (q, d) or batches (p, q, d).
        max_steps: Maximum number of steps.
        tolerance: Relative gain of a step below which the climb stops.
        fixed: Which parameters (d,) keep their values; True or False for all.
    """
    domain = problem.domain
    d, q = domain.dim, start.shape[-2]

    def objective(U: FloatArray) -> tuple[float, FloatArray]:
        values, d_features = acquisition.values_and_gradients(
            _features(U.reshape(-1, q, d), domain)
        )
        U = U.reshape(-1, d)
        return float(values.sum()), domain.gradient(U, d_features.reshape(len(U), -1))

    lower = np.where(fixed, start, problem.lower)
    upper = np.where(fixed, start, problem.upper)
    return by_gradient(objective, start, lower, upper, max_steps=max_steps, tolerance=tolerance)[0]


def _evolve(
    problem: SearchProblem,
    acquisition: Acquisition,
    start: FloatArray,
    *,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the batch (q, d) that CMA-ES finds from ``start`` (q, d) within the trust box.

    Discrete parameters are rounded in every evaluation, but not in the result.
    """
    domain = problem.domain

    def values_of(U: FloatArray) -> FloatArray:
        snapped = domain.snap(U.reshape(-1, domain.dim)).reshape(U.shape)
        return acquisition.values(_features(snapped, domain))

    return by_cma(
        values_of,
        start,
        problem.lower,
        problem.upper,
        rng=rng,
        max_evaluations=problem.settings.cma_evaluations,
    )[0]
