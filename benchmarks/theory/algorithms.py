"""Algorithms 1-4 of the paper on a finite set of points, with exact maximisation.

A batch is chosen among all multisets of q points, copies of one point included: these are what the
proofs compare with.

Glossary: `m` points of the set, `q` points of a batch, `M` multisets, `T` queries of a run, `C`
the posterior covariance `(m, m)`.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.theory.cases import Case, KnownNormProblem
from optuna_bkop._model.kernel_model import Hyperparameters, KernelModel
from optuna_bkop._model.kernels import KERNELS

#: Share of the remaining perturbation budget that an adversary spends on each query, and the
#: largest share of a random perturbation.
_ADVERSARY_SHARE, _RANDOM_SHARE = 0.3, 0.2


def play(
    problem: KnownNormProblem,
    case: Case,
    weight: float,
    q: int,
    n_batches: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Run an algorithm.

    Args:
        problem: The function and its perturbation.
        case: The algorithm.
        weight: Weight of the deviations in the acquisition.
        q: Points per batch.
        n_batches: Number of batches.
        rng: Source of random perturbations.

    Returns:
        The indices `(T,)` of the queried points and the observed values `(T,)`.
    """
    m, dim = problem.points.shape
    noise_var = problem.noise_var if case.algorithm >= 3 else 0.0
    batches = multisets(m, q)
    hyperparameters = Hyperparameters(
        np.full(dim, problem.kernel.length_scales), problem.kernel.signal_var, noise_var
    )
    chosen, seen, budget = np.empty(0, dtype=int), np.empty(0), problem.perturbation_norm**2
    middle = np.median(problem.values)
    mean, C = np.zeros(m), problem.kernel(problem.points, problem.points)
    for _ in range(n_batches):
        for index in choose(mean, C, batches, weight, case.form):
            if problem.is_adversary:
                share, lower = _ADVERSARY_SHARE * budget, problem.values[index] > middle
            else:
                share, lower = rng.uniform(0, _RANDOM_SHARE) * budget, rng.integers(2)
            budget -= share
            g = np.sqrt(share * problem.noise_var) * (-1.0 if lower else 1.0)
            chosen = np.append(chosen, index)
            seen = np.append(seen, problem.values[index] + g)
        model = KernelModel.condition(
            problem.points[chosen],
            seen,
            kernel=KERNELS[problem.kernel.name],
            hyperparameters=hyperparameters,
            groups=np.arange(dim),
            prior_mean=0.0,
        )
        mean, C = model.mean(problem.points), model.cov(problem.points)
    return chosen, seen


@cache
def multisets(m: int, q: int) -> Array:
    """Return all multisets `(M, q)` of q of m indices."""
    return np.array(list(itertools.combinations_with_replacement(range(m), q)))


def choose(mean: Array, C: Array, batches: Array, weight: float, form: str) -> Array:
    """Return the batch `(q,)` with the largest acquisition among batches `(M, q)`."""
    return np.asarray(batches[int(np.argmax(acquisitions(mean, C, batches, weight, form)))])


def acquisitions(mean: Array, C: Array, batches: Array, weight: float, form: str) -> Array:
    """Return the acquisitions `(M,)` of batches `(M, q)` of indices.

    Args:
        mean: Posterior mean `(m,)`.
        C: Posterior covariance `(m, m)`.
        batches: Indices of the batches' points `(M, q)`.
        weight: Weight of the deviations.
        form: "rms" or "mean": how the deviations of a batch are combined.
    """
    q = batches.shape[1]
    variance = np.maximum(np.diagonal(C), 0.0)
    pairs = itertools.product(range(q), repeat=2)
    total = np.maximum(sum(C[batches[:, i], batches[:, j]] for i, j in pairs), 0.0)
    if form == "mean":
        spread = np.sqrt(variance)[batches].mean(axis=1)
    else:
        spread = np.sqrt(variance[batches].mean(axis=1))
    return np.asarray(mean[batches].mean(axis=1) + weight * (2 * spread - np.sqrt(total) / q))
