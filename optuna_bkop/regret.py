"""Deterministic regret bounds of a finished run, for the points that were actually queried.

Glossary: as in `_bounds`; ``B`` the norm of f, ``G`` that of the perturbation g, ``h`` = f + g,
``R`` cumulative and ``r`` simple regret.

The text numbers theorems and lemmas together, the appendix theorems alone. Here, as in the
appendix: 1 and 2 are noise-free (sequential, batch), 3 and 4 perturbed (printed 4 and 6); the
fully adversarial one is 9, as printed.

What holds beyond the print, and is used here:

- The proofs use the information gain of the points queried; γ_T, the largest of any T points,
  only bounds it. With the former, a bound is a number.
- Batches may differ in size: R <= 2B Σ_n sqrt(q_n tr A_n) <= 2B sqrt(T Σ_n tr A_n).
- Any first batch will do, a lattice included. All that the proof needs of a batch is that its
  acquisition is at least that of copies of x*; without data and with k(x, x) = κ the latter is
  B sqrt(κ), and any batch has B (2 sqrt(κ) - sqrt(1'K1)/q) >= B sqrt(κ).
- A point may be queried again. Perturbations are then functions of the query, not of the point:
  with k(x, z) + σ² [same query] in place of k^σ each line of the proofs stays as it is, and
  G² = Σ_t g_t² / σ² over the queries. "Never selected twice", as the paper assumes, makes both
  the same; an exact maximiser does select points twice.
- The mean-deviation form of the acquisition has the same theorems (see `_acquisition`), and the
  sharper line R <= 2B Σ_n Σ_i σ_i of their proofs.

A bound is conditional: f has at most this norm for this kernel, all batches but the first maximise
the acquisition with this kernel and norm, and know the results of all earlier batches. Studies
that refit, warp or average models, or tell results one by one, follow it in spirit only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._bounds import (
    Bound,
    KernelFunction,
    Run,
    batch_covariances,
    information_gain,
    theorem_constant,
)
from optuna_bkop._checks import check_choice, check_number
from optuna_bkop._fit import fit
from optuna_bkop._kernels import KERNELS, FloatArray, squared_distances
from optuna_bkop._queries import Queries, queries_of
from optuna_bkop._surrogate import cho_solve, cholesky

if TYPE_CHECKING:
    from optuna import Study

    from lattice_tools import Radius

__all__ = [
    "AdversarialBound",
    "Bound",
    "Queries",
    "RegretBound",
    "StationaryKernel",
    "adversarial_bound",
    "batch_covariances",
    "information_gain",
    "queries_of",
    "regret_bound",
    "theorem_constant",
]

#: Stands for σ² = 0, relative to κ. Deviations grow with σ² (Lemma "σ_t² <= σ̂_t²"), and
#: interpolants' norms shrink: bounds with it are bounds without it, and no rounding decides.
_ZERO = 1e-8
#: Values of σ², relative to κ, that are tried where it is free.
_FREE_NOISE_VARS = tuple(10.0 ** (-k / 2) for k in range(13))


@dataclass(frozen=True)
class StationaryKernel:
    """k(x, z) = signal_var k0(Σ_j ((x_j - z_j) / length_scale_j)²).

    Attributes:
        name: "matern52" or "se".
        length_scales: One for all features, or one for each (D,).
        signal_var: k(x, x).
    """

    name: str = "matern52"
    length_scales: float | tuple[float, ...] = 1.0
    signal_var: float = 1.0

    def __post_init__(self) -> None:
        check_choice("name", self.name, KERNELS)
        if not np.all(np.asarray(self.length_scales) > 0):
            raise ValueError(f"`length_scales` must be positive, got {self.length_scales!r}.")
        check_number("signal_var", self.signal_var, positive=True)

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The kernel matrix (n, m) of X (n, D) and Z (m, D)."""
        ell = np.asarray(self.length_scales)
        return self.signal_var * KERNELS[self.name](squared_distances(X / ell, Z / ell))[0]


@dataclass(frozen=True)
class RegretBound:
    """All bounds of a run that apply; `None` where a theorem does not.

    Attributes:
        theorem1: Noise-free, sequential.
        theorem2: Noise-free, batches.
        theorem3: Perturbed, sequential.
        theorem4: Perturbed, batches.
        corollary: Small jitter: values as they are, but σ² in the model.
        n_queries: T after each batch (N,).
        information_gain: Of all points.
        spectral_norms: β_n (N,).
        rkhs_norm: The norm of f, or of h = f + g if there is a perturbation, that the bounds
            use, in units of the values.
        norm_is_lower_bound: True: it is only the minimum-norm interpolant's norm, which the true
            one reaches or exceeds. The bounds are then estimates and certify nothing.
        interpolant_norm: The norm of the minimum-norm interpolant of the values. A norm that is
            smaller contradicts them.
        kernel_is_fitted: True: the kernel was chosen by the values, not known in advance.
        kernel: The kernel.
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
        """Those that apply."""
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
    """The bounds of Theorems 1-4 for the points that a study (or another run) has queried.

    Args:
        study_or_queries: A study with one objective (see `queries_of`), or what was queried.
        rkhs_norm: B, the norm of f (for a study: of f minus a constant, and of -f where f is
            minimised), in units of the values. None: the minimum-norm interpolant's norm, a
            lower bound on it; the result says that it is no certificate.
        noise_var: σ², relative to the kernel. None: as fitted with the kernel; but in Theorems
            1 and 2, where any value gives a bound, the one that gives the smallest.
        perturbation_norm: G. Above 0 the noise-free theorems do not apply.
        kernel: Of X, known in advance, as the theorems have it. None: a Matérn-5/2 kernel is
            fitted to the values, which makes the bounds estimates.

    Returns:
        The bounds, in units of the values.

    Example:
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
        kernel, fitted_noise_var = _fitted(queries)
        if noise_var is None:
            noise_var, free_noise_vars = fitted_noise_var, [*_FREE_NOISE_VARS, fitted_noise_var]
    if noise_var is None:
        raise ValueError("`noise_var` must be given with a kernel: it is relative to it.")
    check_number("noise_var", noise_var, positive=True)

    K = kernel(queries.X, queries.X)
    zero = _ZERO * float(np.diagonal(K).max())
    # The theorems have no constant term; of a study f - c is taken to have the norm.
    y = queries.y if queries.numbers is None else queries.y - queries.y.mean()
    interpolant_norm = _norm(K, y, zero if is_exact else noise_var)
    if rkhs_norm is None:
        norm, norm_h = interpolant_norm, _norm(K, y, noise_var)
    else:
        check_number("rkhs_norm", rkhs_norm)
        # h = f + g in the space of k + σ² δ: its norm is at most sqrt(|f|² + |g|²).
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


@dataclass(frozen=True)
class AdversarialBound:
    """Theorem 9 and its corollary for a point set.

    Attributes:
        value: B sqrt(2 Φ(0) - 2 Φ(h)).
        linear: B c h >= value, the corollary's O(h).
        is_certificate: False if the covering radius is only known to be at least h.
    """

    value: float
    linear: float
    is_certificate: bool


def adversarial_bound(
    covering_radius: float | Radius, kernel: StationaryKernel, rkhs_norm: float
) -> AdversarialBound:
    """The fully adversarial regret of a point set with covering radius h (Theorem 9).

    Some point of the set has f(x*) - f(x) <= B sqrt(2 Φ(0) - 2 Φ(h)) for every f of norm at most
    B that is largest at x*. The paper has 2 for 2 Φ(0), from Φ(0) <= 1. With different length
    scales the shortest is taken, which is safe: nothing within h decreases faster.

    The corollary, printed for the squared exponential, holds for both kernels: they are convex
    functions of r², so Φ(0) - Φ(h) <= -k0'(0) (h/ℓ)², which gives c = sqrt(-2 k0'(0)) / ℓ
    (times the root of the variance): 1/ℓ for the squared exponential, sqrt(5/3)/ℓ for Matérn-5/2.

    Args:
        covering_radius: h, Euclidean, within the plain cube (`periodic=False`), in the kernel's
            coordinates; a number or a result of `lattice_tools.covering_radius`.
        kernel: Φ.
        rkhs_norm: B.

    Example:
        >>> adversarial_bound(0.1, StationaryKernel("se", 0.5), 2.0).linear
        0.4
    """
    h = float(covering_radius)
    check_number("covering_radius", h)
    check_number("rkhs_norm", rkhs_norm)
    ell = float(np.min(kernel.length_scales))
    k0, slope = KERNELS[kernel.name](np.array([0.0, (h / ell) ** 2]))
    s2 = kernel.signal_var
    return AdversarialBound(
        value=rkhs_norm * math.sqrt(2.0 * s2 * float(k0[0] - k0[1])),
        linear=rkhs_norm * math.sqrt(-2.0 * s2 * float(slope[0])) * h / ell,
        is_certificate=getattr(covering_radius, "is_exact", True),
    )


def _fitted(queries: Queries) -> tuple[StationaryKernel, float]:
    """A Matérn-5/2 kernel of variance 1 for the values, and σ² relative to it."""
    groups = np.arange(queries.X.shape[1]) if queries.groups is None else queries.groups
    scale = float(queries.y.std())
    y = (queries.y - queries.y.mean()) / (scale if scale > 0 else 1.0)
    found = fit(queries.X, y, kernel=KERNELS["matern52"], groups=groups, prior_mean=0.0)
    length_scales = tuple(found.length_scales[groups].tolist())
    return StationaryKernel("matern52", length_scales), found.noise_var / found.signal_var


def _norm(K: FloatArray, y: FloatArray, noise_var: float) -> float:
    """The norm sqrt(y' (K + σ² I)⁻¹ y) of the minimum-norm function with values y (T,)."""
    L = cholesky(K, noise_var, float(np.diagonal(K).max()))
    return math.sqrt(max(float(y @ cho_solve(L, y)), 0.0))
