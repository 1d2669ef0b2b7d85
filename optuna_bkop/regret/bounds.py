"""The bounds of Theorems 1-4 for the points that were actually queried.

Glossary: as in `_theory.theorems`; ``B`` is the norm of f, ``G`` the norm of the perturbation g,
``h`` = f + g, ``R`` the cumulative and ``r`` the simple regret.

The paper is that of Lyu, Yuan and Tsang. Its text numbers theorems and lemmas together, its
appendix numbers theorems alone. This module follows the appendix: Theorems 1 and 2 are noise-free
(sequential, batch), Theorems 3 and 4 perturbed (printed as 4 and 6), and the fully adversarial
theorem is 9, as printed.

The bounds here use the following facts, which go beyond the printed theorems:

- The proofs use the information gain of the points queried. The paper bounds it by γ_T, the
  largest information gain of any T points. With the former, a bound is a number.
- Batches may differ in size: R <= 2B Σ_n sqrt(q_n tr A_n) <= 2B sqrt(T Σ_n tr A_n).
- The first batch may be any batch, for example a lattice. The proof needs only that the
  acquisition of a batch is at least that of copies of x*. Without data and with k(x, x) = κ the
  latter is B sqrt(κ), and any batch has B (2 sqrt(κ) - sqrt(1'K1)/q) >= B sqrt(κ).
- A point may be queried again. Perturbations are then functions of the query, not of the point.
  With k(x, z) + σ² [same query] in place of k^σ each line of the proofs remains true, and
  G² = Σ_t g_t² / σ² over the queries. The paper assumes that no point is selected twice, where
  both are the same; an exact maximiser does select points twice.
- The mean-deviation form of the acquisition has the same theorems (see `_batch.acquisition`), and
  the sharper line R <= 2B Σ_n Σ_i σ_i of their proofs.

A bound is conditional. f must have at most this norm for this kernel. All batches after the first
must maximise the acquisition with this kernel and norm, and must know the results of all earlier
batches. A study that refits, transforms or averages models, or that tells results one by one,
does not meet these conditions exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._checks import check_number
from optuna_bkop._study_queries import queries_of
from optuna_bkop._theory.queries import Queries
from optuna_bkop._theory.theorems import Bound, KernelFunction, Run
from optuna_bkop.regret.estimates import fitted_kernel, interpolant_norm_of

if TYPE_CHECKING:
    from optuna import Study

#: Replaces σ² = 0, relative to κ. Deviations grow with σ² (Lemma "σ_t² <= σ̂_t²") and norms of
#: interpolants shrink, so that bounds with it are also bounds for σ² = 0. Rounding errors then do
#: not matter.
_ZERO = 1e-8
#: Values of σ², relative to κ, that are tried where every value gives a bound.
_FREE_NOISE_VARS = tuple(10.0 ** (-k / 2) for k in range(13))


@dataclass(frozen=True)
class RegretBound:
    """The bounds of all theorems of Lyu, Yuan and Tsang for a run of N batches.

    A bound is None if the theorem does not apply: Theorems 1 and 3 to batches of several points,
    Theorems 1 and 2 and the corollary to perturbed values.

    Attributes:
        theorem1: Noise-free, sequential.
        theorem2: Noise-free, batches.
        theorem3: Perturbed, sequential.
        theorem4: Perturbed, batches.
        corollary: Small jitter: exact values, but a model with the noise variance σ².
        n_queries: Number of queries T after each batch (N,).
        information_gain: Information gain of all points.
        spectral_norms: Spectral norms β_n (N,) of each batch's covariance, given earlier batches.
        rkhs_norm: Norm that the bounds use, in units of the values: the norm of f, or of h = f + g
            if there is a perturbation g.
        norm_is_lower_bound: Whether ``rkhs_norm`` is only the norm of the minimum-norm
            interpolant. The true norm may be larger; the bounds are then estimates and certify
            nothing.
        interpolant_norm: Norm of the minimum-norm interpolant of the values. A smaller
            ``rkhs_norm`` contradicts the values.
        kernel_is_fitted: Whether the kernel was fitted to the values. The theorems assume a kernel
            that is known in advance.
        kernel: The kernel.

    Example:
        >>> from optuna_bkop.regret import Queries, StationaryKernel, regret_bound
        >>> queries = Queries(np.array([[0.1], [0.9]]), np.array([0.0, 0.3]), np.array([0, 1]))
        >>> kernel = StationaryKernel("se", 0.3)
        >>> bounds = regret_bound(queries, rkhs_norm=1.0, kernel=kernel, noise_var=0.01)
        >>> [bound.theorem for bound in bounds.bounds]
        ['theorem 1', 'theorem 2', 'theorem 3', 'theorem 4', 'corollary']
    """

    theorem1: Bound | None
    theorem2: Bound | None
    theorem3: Bound | None
    theorem4: Bound
    corollary: Bound | None
    n_queries: NDArray[np.int64]
    information_gain: float
    spectral_norms: FloatArray
    rkhs_norm: float
    norm_is_lower_bound: bool
    interpolant_norm: float
    kernel_is_fitted: bool
    kernel: KernelFunction

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds that apply."""
        all_ = (self.theorem1, self.theorem2, self.theorem3, self.theorem4, self.corollary)
        return tuple(bound for bound in all_ if bound is not None)

    def __str__(self) -> str:
        lines = [
            f"T = {self.n_queries[-1]} in {len(self.n_queries)} batches, "
            f"information gain {self.information_gain:.4g}, "
            f"largest spectral norm {self.spectral_norms.max():.4g}",
            f"{'':12}{'C':>10}{'cumulative':>12}{'deviations':>12}{'simple':>10}",
        ]
        lines += [
            f"{b.theorem:<12}{b.constant:>10.4g}{b.cumulative[-1]:>12.4g}"
            f"{b.by_deviations[-1]:>12.4g}{b.simple[-1]:>10.4g}"
            for b in self.bounds
        ]
        norm = f"norm {self.rkhs_norm:.4g}"
        if self.norm_is_lower_bound:
            lines.append(f"{norm}: the interpolant's, a lower bound; these are no certificates.")
        elif self.rkhs_norm < self.interpolant_norm * (1 - 1e-9):
            lines.append(f"{norm}: REFUTED, the values have at least {self.interpolant_norm:.4g}.")
        else:
            lines.append(
                f"{norm}: as given; the values have at least {self.interpolant_norm:.4g}."
            )
        if self.kernel_is_fitted:
            lines.append("The kernel was fitted to these values; the theorems have it in advance.")
        return "\n".join(lines)


def regret_bound(
    study_or_queries: Study | Queries,
    *,
    rkhs_norm: float | None = None,
    noise_var: float | None = None,
    perturbation_norm: float = 0.0,
    kernel: KernelFunction | None = None,
) -> RegretBound:
    """Return the bounds of Theorems 1-4 for the points that a study (or another run) queried.

    The theorems are those of Lyu, Yuan and Tsang. They bound the cumulative regret, the sum over
    all queries of the difference to the optimum, and the simple regret, the smallest difference.

    Args:
        study_or_queries: A study with one objective (see `queries_of`), or the queries of a run.
        rkhs_norm: Norm B of f in units of the values. For a study, it is the norm of f minus the
            mean of the observed values; the sign of f does not matter. If None, the norm of the
            minimum-norm interpolant, which is a lower bound; the result then says that it is no
            certificate.
        noise_var: Noise variance σ², which is added to the diagonal of the kernel matrix. It must
            be given if a kernel is given; otherwise None takes the fitted one. In Theorems 1 and 2
            every value gives a bound; there, None gives the smallest of several.
        perturbation_norm: Norm G of the perturbation. Above 0 the noise-free theorems do not
            apply.
        kernel: Kernel of the points X, known in advance as the theorems assume. The points of a
            study are features: numbers of the unit cube, and indicators of choices. If None, a
            Matérn-5/2 kernel is fitted to the values, and the bounds are estimates.

    Returns:
        The bounds, in units of the values. Printed, each row is a theorem, or the corollary for
        exact values and a model with noise. The columns are the theorem's constant C, its bound of
        the cumulative regret, a sharper one from the line of the proof with deviations, and the
        bound of the simple regret.

    Raises:
        ValueError: A kernel is given without a noise variance, or a number is out of range.

    Example:
        >>> from optuna_bkop.regret import StationaryKernel
        >>> X = np.array([[0.1], [0.9], [0.5]])
        >>> queries = Queries(X, np.array([0.0, 0.3, 1.0]), np.array([0, 0, 1]))
        >>> kernel = StationaryKernel("se", 0.3)
        >>> print(regret_bound(queries, rkhs_norm=1.5, noise_var=0.01, kernel=kernel))
        T = 3 in 2 batches, information gain 6.728, largest spectral norm 1.029
                             C  cumulative  deviations    simple
        theorem 2        1.772       8.971       8.458      2.99
        theorem 4        1.772       9.871       9.364      3.29
        corollary        1.772       9.871       9.364      3.29
        norm 1.5: as given; the values have at least 1.115.
    """
    queries = (
        study_or_queries if isinstance(study_or_queries, Queries) else queries_of(study_or_queries)
    )
    check_number("perturbation_norm", perturbation_norm)
    is_exact, is_sequential = perturbation_norm == 0, max(queries.sizes) == 1
    free_noise_vars = [noise_var]
    is_fitted = kernel is None
    if kernel is None:
        kernel, fitted_noise_var = fitted_kernel(queries)
        if noise_var is None:
            noise_var, free_noise_vars = fitted_noise_var, [*_FREE_NOISE_VARS, fitted_noise_var]
    if noise_var is None:
        raise ValueError("`noise_var` must be given with a kernel: it is relative to it.")
    check_number("noise_var", noise_var, positive=True)

    K = kernel(queries.X, queries.X)
    zero = _ZERO * float(np.diagonal(K).max())
    # The theorems have no constant term. For a study, f minus its mean has the norm.
    y = queries.y if queries.numbers is None else queries.y - queries.y.mean()
    interpolant_norm = interpolant_norm_of(K, y, zero if is_exact else noise_var)
    if rkhs_norm is None:
        norm, norm_h = interpolant_norm, interpolant_norm_of(K, y, noise_var)
    else:
        check_number("rkhs_norm", rkhs_norm)
        # In the space of k + σ² δ the norm of h = f + g is at most sqrt(|f|² + |g|²).
        norm, norm_h = rkhs_norm, math.hypot(rkhs_norm, perturbation_norm)

    def run(sigma2: float) -> Run:
        return Run.of(queries.X, queries.sizes, kernel, sigma2)

    noise_free: dict[str, Bound] = {}
    if is_exact:
        exact, runs = run(zero), [run(sigma2) for sigma2 in free_noise_vars if sigma2]
        for name, sequential in (("theorem 1", True), ("theorem 2", False)):
            found = [r.bound(name, norm, sequential=sequential, deviations=exact) for r in runs]
            noise_free[name] = min(found, key=lambda bound: float(bound.cumulative[-1]))
    perturbed = run(noise_var)
    # (B + G) σ twice: once at x*, once at the batch. The last line of the proof of Theorem 4
    # keeps the factor T in the bound of r; dividing R by T, as it says, takes it away.
    bias = 2.0 * (norm_h + perturbation_norm) * math.sqrt(noise_var)
    return RegretBound(
        theorem1=noise_free.get("theorem 1") if is_sequential else None,
        theorem2=noise_free.get("theorem 2"),
        theorem3=perturbed.bound("theorem 3", norm_h, bias, sequential=True)
        if is_sequential
        else None,
        theorem4=perturbed.bound("theorem 4", norm_h, bias, sequential=False),
        # With g = 0 the deviation bounds the error without the bias: |m̂ - f|² <= B² (k - 2α'k
        # + α'Kα) = B² (σ̂² - σ² |α|²). So Theorems 1 and 2 hold for Algorithms 3 and 4 too, and
        # the Corollary's second term, kept here as printed, is not needed.
        corollary=perturbed.bound(
            "corollary", norm, 2.0 * norm * math.sqrt(noise_var), sequential=is_sequential
        )
        if is_exact
        else None,
        n_queries=np.cumsum(queries.sizes),
        information_gain=float(perturbed.information[-1]),
        spectral_norms=perturbed.spectral_norms,
        rkhs_norm=norm if is_exact else norm_h,
        norm_is_lower_bound=rkhs_norm is None,
        interpolant_norm=interpolant_norm,
        kernel_is_fitted=is_fitted,
        kernel=kernel,
    )
