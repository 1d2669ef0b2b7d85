"""What holds for points chosen along directions, on functions of known norm.

With s(z) = min_k (z_k - r_k) / λ_k, the point x that maximises s(m + B σ) has a regret
s(f(x*)) - s(f(x)) of at most max_k 2 B_k σ_k(x) / λ_k; and the hypervolume is the mean of
max_x s(f(x))^m over directions times a constant, so that optimistic models bound it from above.
"""

import math

import numpy as np
import pytest

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.boxes import hypervolume
from optuna_bkop._theory.posterior import Posterior
from optuna_bkop._theory.stationary_kernel import StationaryKernel

GRID: FloatArray = np.linspace(0.0, 1.0, 201)[:, None]
NOISE_VAR = 1e-8


def draw(rng: np.random.Generator, m: int) -> tuple[FloatArray, FloatArray, list[Posterior]]:
    """Functions (n, m) on the grid, their norms (m,), and posteriors after seven queries."""
    X = GRID[rng.choice(len(GRID), 7, replace=False)]
    values, norms, posteriors = [], [], []
    for _ in range(m):
        kernel = StationaryKernel("matern52", float(rng.uniform(0.1, 0.4)))
        centres, weights = rng.random((5, 1)), rng.standard_normal(5)
        K = kernel(centres, centres)
        values.append(kernel(GRID, centres) @ weights)
        norms.append(math.sqrt(weights @ K @ weights))
        y = kernel(X, centres) @ weights
        posteriors.append(Posterior.of(X, y, kernel, NOISE_VAR))
    return np.column_stack(values), np.array(norms), posteriors


def moments(posteriors: list[Posterior]) -> tuple[FloatArray, FloatArray]:
    pairs = [posterior.mean_and_std(GRID) for posterior in posteriors]
    means, stds = zip(*pairs, strict=True)
    return np.column_stack(means), np.column_stack(stds)


def directions(rng: np.random.Generator, m: int, n: int) -> FloatArray:
    normal = np.abs(rng.standard_normal((n, m)))
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


@pytest.mark.parametrize("m", [2, 3])
def test_the_regret_along_a_direction_is_at_most_its_bound(m: int) -> None:
    rng = np.random.default_rng(m)
    n_violated_by_a_tenth = 0
    for _ in range(150):
        f, norms, posteriors = draw(rng, m)
        mean, std = moments(posteriors)
        reference = f.min(axis=0) - 0.1
        (direction,) = directions(rng, m, 1)
        for share in (1.0, 0.1):  # a tenth of the norm is the control: it must be violated
            optimistic = mean + share * norms * std
            x = int(np.argmax(((optimistic - reference) / direction).min(axis=1)))
            reached = ((f - reference) / direction).min(axis=1)
            bound = float((2 * share * norms * std[x] / direction).max())
            is_violated = reached.max() - reached[x] > bound + 1e-4 * (1 + norms.max())
            if share == 1.0:
                assert not is_violated
            else:
                n_violated_by_a_tenth += is_violated
    assert n_violated_by_a_tenth >= 5


@pytest.mark.parametrize("m", [2, 3])
def test_the_hypervolume_is_a_mean_over_directions(m: int) -> None:
    rng = np.random.default_rng(0)
    front = rng.random((12, m))
    reference = np.full(m, -0.2)
    lam = directions(rng, m, 200_000)
    reached = ((front - reference)[:, None] / lam).min(axis=2).max(axis=0)
    constant = math.pi ** (m / 2) / (2**m * math.gamma(m / 2 + 1))
    assert constant * np.mean(reached**m) == pytest.approx(hypervolume(front, reference), rel=0.02)


def test_optimistic_models_bound_the_hypervolume_that_can_be_reached() -> None:
    rng = np.random.default_rng(5)
    for _ in range(100):
        f, norms, posteriors = draw(rng, 2)
        mean, std = moments(posteriors)
        reference = f.min(axis=0) - 0.1
        optimistic = mean + norms * std + 1e-4 * (1 + norms)
        assert hypervolume(f, reference) <= hypervolume(optimistic, reference)
