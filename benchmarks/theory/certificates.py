"""Measured regret divided by the regret certificate, and by the line of Theorems 7 and 8.

The functions and runs are those of `bounds.py`: random functions of known norm, Algorithms 2 and 4
with exact maximisation on a finite set of points. A ratio above 1 is a violation.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.theory.algorithms import play
from benchmarks.theory.bounds import ROUNDING
from benchmarks.theory.cases import Case, KnownNormProblem
from benchmarks.theory.draws import draw
from optuna_bkop.regret import (
    Queries,
    Region,
    regret_bound,
    regret_certificate,
    same_history_bound,
)

#: Number of batches of a run.
_N_BATCHES = 12
#: Boxes of the branch and bound: enough for a tenth of the gap, and 500 functions in minutes.
_MAX_BOXES = 1000
#: Points per axis of the grid on which the maximum over the cube is looked for, by dimension.
_N_GRID = {1: 2001, 2: 101}


@dataclass(frozen=True)
class CertificateCase:
    """A form of the certificate.

    Attributes:
        form: "sharp" or "paper".
        perturbed: Whether values are perturbed.
        on_cube: Whether f is maximised over the unit cube, by branch and bound, instead of over
            the finite set that the algorithm chooses from.
        understated: The certificate is given the norms divided by this. Above 1 it is a control.
    """

    form: str
    perturbed: bool = False
    on_cube: bool = False
    understated: float = 1.0

    @property
    def label(self) -> str:
        """The name of the case in the table."""
        noise = "perturbed" if self.perturbed else "exact"
        where = "cube" if self.on_cube else "points"
        control = f", norm / {self.understated:g} (control)" if self.understated > 1 else ""
        return f"{self.form}, {noise}, {where}{control}"


CERTIFICATES = tuple(
    CertificateCase(form, perturbed, on_cube, understated)
    for understated, perturbed, on_cube, form in itertools.product(
        (1.0, 4.0), (False, True), (False, True), ("sharp", "paper")
    )
)


@dataclass(frozen=True)
class Outcome:
    """A run against its certificate.

    Attributes:
        ratio: Largest ratio of measured regret to the certificate after any batch.
        gap: The certificate after the last batch, relative to the norm.
        share: The certificate divided by the simple bound of Theorem 2 (4, if values are
            perturbed), after the last batch.
    """

    ratio: float
    gap: float
    share: float


def certificate_outcome(case: CertificateCase, seed: int) -> Outcome:
    """Run an algorithm and compare its regret with its certificate after each batch."""
    algorithm = Case(4 if case.perturbed else 2, "mean", case.perturbed)
    rng = np.random.default_rng([seed, 21, case.perturbed])
    q = int(rng.integers(2, 4))
    problem = draw(algorithm, rng, q)
    weight = float(np.hypot(problem.norm, problem.perturbation_norm))
    chosen, seen = play(problem, algorithm, weight, q, _N_BATCHES, rng)
    X = problem.points[chosen]
    batch = np.repeat(np.arange(_N_BATCHES), q)
    region = Region.cube(X.shape[1]) if case.on_cube else Region.points(problem.points)
    given = {"kernel": problem.kernel, "noise_var": problem.noise_var}
    certificate = regret_certificate(
        Queries(X, seen, batch, region=region),
        rkhs_norm=problem.norm / case.understated,
        perturbation_norm=problem.perturbation_norm / case.understated,
        form=case.form,
        max_boxes=_MAX_BOXES,
        kernel=problem.kernel,
        # Exact values need no noise variance.
        noise_var=problem.noise_var if case.perturbed else None,
    )
    optimum = _maximum(problem) if case.on_cube else float(problem.values.max())
    regret = optimum - np.maximum.accumulate(problem.values[chosen])[q - 1 :: q]
    bound = regret_bound(
        Queries(X, seen, batch),
        rkhs_norm=problem.norm,
        perturbation_norm=problem.perturbation_norm,
        **given,  # type: ignore[arg-type]
    )
    theorem = bound.theorem4 if bound.theorem2 is None else bound.theorem2
    return Outcome(
        ratio=float((regret / (certificate.gap + ROUNDING * problem.norm)).max()),
        gap=float(certificate.gap[-1]) / problem.norm,
        share=float(certificate.gap[-1] / theorem.simple[-1]),
    )


def same_history_ratios(seed: int, understated: float = 1.0) -> tuple[float, float]:
    """Return the regret of x_T divided by 2 B sigma(x_T), and by 2 B max sigma.

    x_T maximises m + B sigma over the points, given the values at some of them. In half of the
    draws, f is replaced by a worst function: it agrees with those values, has the same norm, and
    is as large as possible where the deviation is largest.
    """
    rng = np.random.default_rng([seed, 7])
    problem = draw(Case(1), rng, 1)
    n = int(rng.integers(2, 12))
    X, y, kernel = problem.points[:n], problem.values[:n], problem.kernel
    K = kernel(X, X) + 1e-10 * np.eye(n)
    k = kernel(problem.points, X)
    mean = k @ np.linalg.solve(K, y)
    variance = kernel.signal_var - np.einsum("ij,ji->i", k, np.linalg.solve(K, k.T))
    std = np.sqrt(np.maximum(variance, 0.0))
    values = problem.values
    if rng.random() < 0.5:
        at = int(np.argmax(std))
        rest = np.sqrt(max(problem.norm**2 - float(y @ np.linalg.solve(K, y)), 0.0))
        unseen = kernel(problem.points, problem.points[at : at + 1])[:, 0]
        unseen = unseen - k @ np.linalg.solve(K, k[at])
        values = mean + rest * unseen / max(float(std[at]), 1e-12)
    chosen = int(np.argmax(mean + problem.norm * std))
    bound = same_history_bound(
        X,
        kernel,
        problem.norm / understated,
        next_point=problem.points[chosen],
        max_boxes=_MAX_BOXES,
    )
    regret = float(values.max() - values[chosen])
    rounding = ROUNDING * problem.norm
    at_next = bound.at_next or 0.0
    return regret / (at_next + rounding), regret / (bound.anywhere + rounding)


def _maximum(problem: KnownNormProblem) -> float:
    """Return the largest value of f on a grid of the cube, its centres and its points."""
    dim = problem.points.shape[1]
    axis = np.linspace(0.0, 1.0, _N_GRID[dim])
    grid = np.stack(np.meshgrid(*[axis] * dim), axis=-1).reshape(-1, dim)
    X: Array = np.vstack([grid, problem.centres, problem.points])
    return float((problem.kernel(X, problem.centres) @ problem.weights).max())
