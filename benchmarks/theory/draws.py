"""Random functions of known norm: f = sum_i a_i k(z_i, .) with |f|^2 = a'Ka."""

from __future__ import annotations

import numpy as np

from benchmarks.theory.algorithms import choose, multisets
from benchmarks.theory.cases import Case, KnownNormProblem
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop.regret import StationaryKernel

#: Points per batch -> points of the set, such that there are at most 4,060 multisets.
_N_POINTS = {1: 300, 2: 60, 3: 28}
#: Share of functions that are low where the first batch goes.
_RESISTING = 0.25


def draw(case: Case, rng: np.random.Generator, q: int) -> KnownNormProblem:
    """Return a random problem for batches of q points."""
    dim = int(rng.integers(1, 3))
    kernel = StationaryKernel(
        str(rng.choice(list(KERNELS))), float(rng.uniform(0.08, 0.4)) * np.sqrt(dim)
    )
    points = rng.random((_N_POINTS[q], dim))
    centres = rng.random((int(rng.choice([1, 2, 5, 20])), dim))
    weights = rng.standard_normal(len(centres))
    if rng.random() < _RESISTING:
        K = kernel(points, points)
        first = choose(np.zeros(len(points)), K, multisets(len(points), q), 1.0, case.form)
        centres = np.vstack([points[first], centres[:1]])
        weights = np.append(np.full(q, -1.0), q)
    norm = float(np.exp(rng.uniform(-1, 2)))
    weights *= norm / np.sqrt(weights @ kernel(centres, centres) @ weights)
    return KnownNormProblem(
        points=points,
        values=kernel(points, centres) @ weights,
        kernel=kernel,
        norm=norm,
        noise_var=float(10 ** rng.uniform(-4, -0.5)),
        centres=centres,
        weights=weights,
        perturbation_norm=norm * float(rng.uniform(0.1, 2)) if case.perturbed else 0.0,
        is_adversary=bool(rng.integers(2)),
    )
