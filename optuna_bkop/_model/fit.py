"""Fits hyperparameters by maximum a posteriori. The glossary is in `kernel_model`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.kernel_model import Hyperparameters
from optuna_bkop._model.kernels import KERNELS, DetailedKernel, Kernel, squared_distances
from optuna_bkop._model.linalg import cholesky, invert_lower
from optuna_bkop._model.warping import stretch


@dataclass(frozen=True)
class Prior:
    """Normal priors of the logarithms of the hyperparameters, for a MAP estimate.

    The detail is the part of the kernel with a second, short length scale; its share of the
    variance has a prior of its log odds. The distance between two random points of a cube grows
    like sqrt(dim), and so does the median of the length scales. The noise is relative to the
    signal. The offset c of `stretch` has a large median: values are hardly stretched unless the
    data demand it, because a model that stretches on little evidence settles in the first good
    basin (benchmarks/README.md).

    Attributes:
        length_scale: Median of the length scales, divided by sqrt(dim).
        length_scale_width: Standard deviation of the logarithms of the length scales.
        signal_width: Standard deviation of the log signal variance, whose mean is 0.
        noise_ratio: Median of noise variance / signal variance.
        noise_width: Standard deviation of the logarithm of this ratio.
        offset: Median of the offset of the `stretch`.
        offset_width: Standard deviation of the logarithm of the offset.
        detail: Median of the detail's share of the signal variance.
        detail_width: Standard deviation of the log odds of this share.
    """

    length_scale: float = 0.5
    length_scale_width: float = 1.0
    signal_width: float = 1.0
    noise_ratio: float = 1e-3
    noise_width: float = 1.5
    offset: float = 20.0
    offset_width: float = 1.5
    detail: float = 0.1
    detail_width: float = 1.5

    def means(self, dim: int) -> FloatArray:
        """Prior means (d + 4,) of log ell, s2, noise ratio, offset; then the detail's log odds."""
        ell = math.log(self.length_scale * math.sqrt(dim))
        rest = [math.log(self.noise_ratio), math.log(self.offset), _log_odds(self.detail)]
        return np.array([ell] * dim + [0.0, *rest])

    def widths(self, dim: int) -> FloatArray:
        """Prior standard deviations (d + 4,), in the order of `means`."""
        rest = [self.signal_width, self.noise_width, self.offset_width, self.detail_width]
        return np.array([self.length_scale_width] * dim + rest)


def _log_odds(share: float) -> float:
    return math.log(share / (1.0 - share))


#: Bounds of log s2, log (noise / signal), log offset and the detail's log odds: wide enough not to
#: matter for standardised values, narrow enough to keep the kernel matrix factorisable.
_SIGNAL_BOUNDS = (math.log(1e-2), math.log(1e2))
_NOISE_BOUNDS = (math.log(1e-8), math.log(2.0))
_OFFSET_BOUNDS = (math.log(1e-3), math.log(1e2))
_DETAIL_BOUNDS = (_log_odds(1e-4), _log_odds(0.99))
#: Initial offset of a search. At the prior's median the values hardly depend on the offset.
_FIRST_OFFSET = 2.0
#: Initial share of the detail: large enough for the search to see its effect.
_FIRST_DETAIL = 0.27
#: A search starts from the prior's median length scales times each of these. With few trials per
#: parameter the short start may end in a local optimum; with many trials the long start may, where
#: everything that is not smooth counts as noise. After `_FIRST_STEPS` steps the better one goes on
#: (benchmarks/README.md compares both with one start).
_FIRST_SCALES, _FIRST_STEPS = (1.0, 0.15), 10
#: Maximum number of L-BFGS-B steps. Almost all fits converge before.
_MAX_STEPS = 60
#: Relative gain of a step below which a search stops.
_TOLERANCE = 1e-6
#: Number of fits that a `FitCache` remembers: one ask needs one for the values, one for each
#: constraint and one for failures.
_MAX_CACHED = 16


def _length_scale_bounds(dim: int) -> tuple[float, float]:
    """Return lower and upper bound of the logarithm of a length scale, for ``dim`` parameters.

    A hundred trials cannot distinguish very short length scales from noise, and a model with very
    short ones repeats the best trial. The lower bound follows the typical distance of a hundred
    points in ``dim`` dimensions, about 100^(-1/dim).
    """
    return math.log(min(0.1, 0.22 * 100.0 ** (-1.0 / dim))), math.log(50.0)


def _starts(prior: Prior, dim: int, stretched: bool, detailed: bool) -> list[FloatArray]:
    """Return starting points (d + 4,) of the searches, in the order of `Prior.means`.

    Hyperparameters without an effect on the likelihood stay at the prior's mean.
    """
    centre = prior.means(dim)
    if stretched:
        centre[-2] = math.log(_FIRST_OFFSET)
    if detailed:
        centre[-1] = _log_odds(_FIRST_DETAIL)
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
    detailed: bool = False,
) -> tuple[float, FloatArray]:
    """Return -log p(values, theta) up to a constant, and its gradient (d + 4,).

    theta = (log ell (d,), log s2, log noise ratio, log offset, log odds of the detail's share w),
    with length scales ell and signal variance s2. The noise ratio has no effect if ``noise_var``
    is given. The offset has an effect only if ``stretched``, the share only if ``detailed``. The
    other arguments are those of `fit`.

    With A = α α' - K⁻¹ the gradient of the likelihood in a parameter t of the kernel is tr(A
    dK/dt) / 2. For the length scales dK/dlog ell_j = s2 k'(r²) ∘ (-2 (x_j - z_j)² / ell_j²), and
    with W = A ∘ s2 k'(r²) all of them come from one product W Z, without an (n, n, d) array. For
    the log odds of the share, dK = s2 w (1 - w) (k_detail - k_trend). Stretched values have their
    own density times the Jacobian of the stretch.
    """
    dim = int(groups.max()) + 1
    s2 = math.exp(theta[dim])
    noise = s2 * math.exp(theta[dim + 1]) if noise_var is None else noise_var
    warped = stretch(y, math.exp(theta[dim + 2])) if stretched else None
    residual = (y if warped is None else warped.values) - prior_mean
    Z = F * np.exp(-theta[:dim])[groups]
    r2 = squared_distances(Z, Z)
    if detailed:
        w = 1.0 / (1.0 + math.exp(-theta[dim + 3]))
        (trend, trend_slope), (detail, detail_slope) = DetailedKernel(kernel, w).parts(r2)
        k, slope = (1.0 - w) * trend + w * detail, (1.0 - w) * trend_slope + w * detail_slope
    else:
        k, slope = kernel(r2)
    L = cholesky(s2 * k, noise, s2)
    L_inverse = invert_lower(L)
    K_inv = L_inverse.T @ L_inverse
    alpha = K_inv @ residual
    value = 0.5 * float(residual @ alpha) + float(np.log(np.diagonal(L)).sum())

    A = np.outer(alpha, alpha) - K_inv
    W = A * (s2 * slope)
    # Σ_ab W_ab (z_a - z_b)² = 2 (Σ_a w_a z_a² - z' W z), w the row sums of W.
    per_feature = 2.0 * (W.sum(axis=1) @ (Z * Z) - np.einsum("aj,aj->j", Z, W @ Z))
    gradient = np.zeros(dim + 4)
    gradient[:dim] = np.bincount(groups, weights=per_feature, minlength=dim)
    trace = float(np.trace(A))
    gradient[dim] = -0.5 * s2 * float(np.einsum("ab,ab->", A, k))
    if noise_var is None:
        gradient[dim] -= 0.5 * noise * trace
        gradient[dim + 1] = -0.5 * noise * trace
    if warped is not None:
        value -= warped.log_jacobian
        gradient[dim + 2] = float(alpha @ warped.slopes) - warped.log_jacobian_slope
    if detailed:
        odds_slope = w * (1.0 - w) * s2
        gradient[dim + 3] = -0.5 * odds_slope * float(np.einsum("ab,ab->", A, detail - trend))

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
    detailed: bool = False,
    prior: Prior | None = None,
) -> Hyperparameters:
    """Fit hyperparameters to values y (n,) at features F (n, D) by maximum a posteriori.

    The search starts at fixed points, so that all workers with the same data get the same result.

    Args:
        F: Features (n, D).
        y: Values (n,), of order one.
        kernel: Kernel as a function of the scaled squared distance.
        groups: Index of the parameter that each feature belongs to (D,).
        prior_mean: Mean of the values far from all data.
        noise_var: Fixed noise variance. If None, it is estimated.
        stretched: Whether to fit the offset of a `stretch` of the values as well.
        detailed: Whether to fit the share of the detail of a `DetailedKernel` as well.
        prior: Prior of the hyperparameters. If None, `Prior()`.
    """
    from scipy.optimize import fmin_l_bfgs_b

    prior = Prior() if prior is None else prior
    dim = int(groups.max()) + 1
    bounds = [_length_scale_bounds(dim)] * dim
    bounds += [_SIGNAL_BOUNDS, _NOISE_BOUNDS, _OFFSET_BOUNDS, _DETAIL_BOUNDS]

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
            detailed=detailed,
        )

    def search(start: FloatArray, max_steps: int) -> tuple[FloatArray, float]:
        # In such short searches, `scipy.optimize.minimize` has twice the overhead.
        factr = _TOLERANCE / np.finfo(float).eps
        theta, value, _ = fmin_l_bfgs_b(
            objective, start, bounds=bounds, factr=factr, maxiter=max_steps
        )
        return theta, float(value)

    starts = _starts(prior, dim, stretched, detailed)
    attempts = [search(start, _FIRST_STEPS) for start in starts]
    found, _ = search(min(attempts, key=lambda attempt: attempt[1])[0], _MAX_STEPS)
    *log_scales, log_s2, log_ratio, log_offset, detail_odds = found
    s2 = math.exp(log_s2)
    return Hyperparameters(
        np.exp(log_scales),
        signal_var=s2,
        noise_var=s2 * math.exp(log_ratio) if noise_var is None else noise_var,
        offset=math.exp(log_offset) if stretched else math.inf,
        detail=1.0 / (1.0 + math.exp(-detail_odds)) if detailed else 0.0,
    )


class FitCache:
    """Remembers the hyperparameters of the last fits.

    An ask that fits to the same trials as an earlier ask then needs no fit.
    """

    def __init__(self) -> None:
        self._found: dict[object, Hyperparameters] = {}

    def fit(
        self,
        F: FloatArray,
        y: FloatArray,
        *,
        kernel: str,
        groups: NDArray[np.int64],
        prior_mean: float,
        noise_var: float | None,
        stretched: bool,
        detailed: bool,
        prior: Prior | None,
    ) -> Hyperparameters:
        """Return `fit` of these arguments, ``kernel`` by its name, from memory if possible."""
        arrays = F.tobytes(), y.tobytes(), groups.tobytes()
        key = (*arrays, kernel, prior_mean, noise_var, stretched, detailed, prior)
        found = self._found.pop(key, None)
        if found is None:
            found = fit(
                F,
                y,
                kernel=KERNELS[kernel],
                groups=groups,
                prior_mean=prior_mean,
                noise_var=noise_var,
                stretched=stretched,
                detailed=detailed,
                prior=prior,
            )
        self._found[key] = found  # the latest is the last
        while len(self._found) > _MAX_CACHED:
            del self._found[next(iter(self._found))]
        return found
