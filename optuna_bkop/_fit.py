"""Kernel parameters by maximum a posteriori; the glossary is that of `_surrogate`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._kernels import FloatArray, Kernel, squared_distances
from optuna_bkop._surrogate import Hyperparameters, cholesky, invert_lower
from optuna_bkop._warp import stretch


@dataclass(frozen=True)
class Prior:
    """Normal priors of the logarithms of the kernel parameters, for a MAP estimate.

    Length scales: the distance of two random points of a cube grows like sqrt(dim), and so does
    the prior's median. The noise is relative to the signal. The offset is so large that values
    are hardly stretched unless the data insist: a model that stretches early, on little evidence,
    settles in the first good basin.
    """

    length_scale: float = 0.5
    length_scale_width: float = 1.0
    signal_width: float = 1.0
    noise_ratio: float = 1e-3
    noise_width: float = 1.5
    offset: float = 20.0
    offset_width: float = 1.5

    def means(self, dim: int) -> FloatArray:
        """Means of (log ell (d,), log s2, log noise ratio, log offset)."""
        ell = math.log(self.length_scale * math.sqrt(dim))
        return np.array([ell] * dim + [0.0, math.log(self.noise_ratio), math.log(self.offset)])

    def widths(self, dim: int) -> FloatArray:
        """Standard deviations of the same."""
        rest = [self.signal_width, self.noise_width, self.offset_width]
        return np.array([self.length_scale_width] * dim + rest)


#: Bounds of log s2, log (noise / signal) and log offset.
_SIGNAL_BOUNDS = (math.log(1e-2), math.log(1e2))
_NOISE_BOUNDS = (math.log(1e-8), math.log(2.0))
_OFFSET_BOUNDS = (math.log(1e-3), math.log(1e2))
#: Where the search of the offset begins: at the prior's centre the values hardly depend on it.
_FIRST_OFFSET = 2.0
#: The searches begin with the prior's median of the length scales times these. With few trials
#: for so many parameters the short start may end in a local optimum, with many the long one,
#: where all that is not smooth counts as noise. Which is better shows after so many steps.
_FIRST_SCALES, _FIRST_STEPS = (1.0, 0.15), 10
_MAX_STEPS = 60


def _length_scale_bounds(dim: int) -> tuple[float, float]:
    """Bounds of log ell.

    A hundred trials do not tell shorter length scales from noise, and a model that believes in
    them repeats the best trial. How short that is follows from how close a hundred points are in
    so many dimensions, about 100^(-1/dim).
    """
    return math.log(min(0.1, 0.22 * 100.0 ** (-1.0 / dim))), math.log(50.0)


def _starts(prior: Prior, dim: int, stretched: bool) -> list[FloatArray]:
    """Where the searches begin, (d + 3,) each.

    What has no effect on the likelihood stays at, or goes to, the prior's centre.
    """
    centre = prior.means(dim)
    if stretched:
        centre[-1] = math.log(_FIRST_OFFSET)
    is_length_scale = np.arange(len(centre)) < dim
    return [centre + math.log(scale) * is_length_scale for scale in _FIRST_SCALES]


def negative_log_posterior(
    theta: FloatArray,
    F: FloatArray,
    y: FloatArray,
    *,
    kernel: Kernel,
    groups: NDArray[np.int64],
    prior: Prior,
    prior_mean: float,
    noise_var: float | None,
    stretched: bool,
) -> tuple[float, FloatArray]:
    """-log p(values, theta) up to a constant, and its gradient (d + 3,).

    theta = (log ell (d,), log s2, log noise ratio, log offset). The noise ratio is without effect
    if ``noise_var`` is given, the offset unless ``stretched``.

    With A = α α' - K⁻¹ the gradient of the likelihood in a parameter t of the kernel is
    tr(A dK/dt) / 2. For the length scales dK/dlog ell_j = s2 k'(r²) ∘ (-2 (x_j - z_j)² / ell_j²),
    and with W = A ∘ s2 k'(r²) all of them come from one product W Z, without an (n, n, d) array.
    Stretched values w(y) have the density of w times the Jacobian of w.
    """
    dim = int(groups.max()) + 1
    s2 = math.exp(theta[dim])
    noise = s2 * math.exp(theta[dim + 1]) if noise_var is None else noise_var
    warped = stretch(y, math.exp(theta[dim + 2])) if stretched else None
    residual = (y if warped is None else warped.values) - prior_mean
    Z = F * np.exp(-theta[:dim])[groups]
    k, slope = kernel(squared_distances(Z, Z))
    L = cholesky(s2 * k, noise, s2)
    L_inverse = invert_lower(L)
    K_inv = L_inverse.T @ L_inverse
    alpha = K_inv @ residual
    value = 0.5 * float(residual @ alpha) + float(np.log(np.diagonal(L)).sum())

    A = np.outer(alpha, alpha) - K_inv
    W = A * (s2 * slope)
    # Σ_ab W_ab (z_a - z_b)² = 2 (Σ_a w_a z_a² - z' W z), w the row sums of W.
    per_feature = 2.0 * (W.sum(axis=1) @ (Z * Z) - np.einsum("aj,aj->j", Z, W @ Z))
    gradient = np.zeros(dim + 3)
    gradient[:dim] = np.bincount(groups, weights=per_feature, minlength=dim)
    trace = float(np.trace(A))
    gradient[dim] = -0.5 * s2 * float(np.einsum("ab,ab->", A, k))
    if noise_var is None:
        gradient[dim] -= 0.5 * noise * trace
        gradient[dim + 1] = -0.5 * noise * trace
    if warped is not None:
        value -= warped.log_jacobian
        gradient[dim + 2] = float(alpha @ warped.slopes) - warped.log_jacobian_slope

    deviation = (theta - prior.means(dim)) / prior.widths(dim)
    value += 0.5 * float(deviation @ deviation)
    gradient += deviation / prior.widths(dim)
    return value, gradient


def fit(
    F: FloatArray,
    y: FloatArray,
    *,
    kernel: Kernel,
    groups: NDArray[np.int64],
    prior_mean: float,
    noise_var: float | None = None,
    stretched: bool = False,
    prior: Prior | None = None,
) -> Hyperparameters:
    """Maximum a posteriori kernel parameters for values y (n,) at features F (n, D).

    The search starts at fixed points, so that whoever knows the same data finds the same.

    Args:
        F: Features (n, D).
        y: Values (n,).
        kernel: Of the scaled squared distance.
        groups: The parameter of each feature (D,).
        prior_mean: Of the values.
        noise_var: A fixed noise variance; None estimates it.
        stretched: Whether to fit the offset of a `stretch` of the values, too.
        prior: Of the parameters.
    """
    from scipy.optimize import OptimizeResult, minimize

    prior = Prior() if prior is None else prior
    dim = int(groups.max()) + 1
    bounds = [_length_scale_bounds(dim)] * dim + [_SIGNAL_BOUNDS, _NOISE_BOUNDS, _OFFSET_BOUNDS]

    def objective(theta: FloatArray) -> tuple[float, FloatArray]:
        return negative_log_posterior(
            theta,
            F,
            y,
            kernel=kernel,
            groups=groups,
            prior=prior,
            prior_mean=prior_mean,
            noise_var=noise_var,
            stretched=stretched,
        )

    def search(start: FloatArray, max_steps: int) -> OptimizeResult:
        return minimize(
            objective,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": max_steps, "ftol": 1e-6},
        )

    begun = [search(start, _FIRST_STEPS) for start in _starts(prior, dim, stretched)]
    found = search(min(begun, key=lambda result: result.fun).x, _MAX_STEPS)
    *log_scales, log_s2, log_ratio, log_offset = found.x
    s2 = math.exp(log_s2)
    return Hyperparameters(
        np.exp(log_scales),
        signal_var=s2,
        noise_var=s2 * math.exp(log_ratio) if noise_var is None else noise_var,
        offset=math.exp(log_offset) if stretched else math.inf,
    )
