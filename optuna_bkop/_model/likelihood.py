"""The density that a fit maximises, with its gradient. The glossary is in `kernel_model`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.kernels import DetailedKernel, Kernel, squared_distances
from optuna_bkop._model.linalg import cholesky, invert_lower
from optuna_bkop._model.main_effects import shares, spectrum
from optuna_bkop._model.prior import Prior, share_of
from optuna_bkop._model.warping import stretch


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
    R: FloatArray | None = None,
) -> tuple[float, FloatArray]:
    """Return -log p(values, theta) up to a constant, and its gradient (d + 4,) or (d + 6,).

    theta = (log ell (d,), log s2, log noise ratio, log offset, log odds of the detail's share w),
    with length scales ell and signal variance s2. The noise ratio has no effect if ``noise_var``
    is given. The offset has an effect only if ``stretched``, the share only if ``detailed``. With
    ``R``, the waves (n, 2 I D) of the features (see `main_effects`), there are main effects, and
    theta ends with the log odds of their share a and the log ratio of their length scales to ell.
    The other arguments are those of `fit`.

    With A = α α' - K⁻¹ the gradient of the likelihood in a parameter t of the kernel is tr(A
    dK/dt) / 2. For the length scales dK/dlog ell_j = s2 k'(r²) ∘ (-2 (x_j - z_j)² / ell_j²), and
    with W = A ∘ s2 k'(r²) all of them come from one product W Z, without an (n, n, d) array. For
    the log odds of the share, dK = s2 w (1 - w) (k_detail - k_trend). The kernel of main effects
    is linear in the weights of the waves: dK = s2 a r r' for the weight of wave r. Stretched
    values have their own density times the Jacobian of the stretch.
    """
    dim = int(groups.max()) + 1
    s2 = math.exp(theta[dim])
    noise = s2 * math.exp(theta[dim + 1]) if noise_var is None else noise_var
    warped = stretch(y, math.exp(theta[dim + 2])) if stretched else None
    residual = (y if warped is None else warped.values) - prior_mean
    Z = F * np.exp(-theta[:dim])[groups]
    r2 = squared_distances(Z, Z)
    if detailed:
        w = share_of(theta[dim + 3])
        (trend, trend_slope), (detail, detail_slope) = DetailedKernel(kernel, w).parts(r2)
        k, slope = (1.0 - w) * trend + w * detail, (1.0 - w) * trend_slope + w * detail_slope
    else:
        k, slope = kernel(r2)
    a = 0.0
    if R is not None:
        a = share_of(theta[dim + 4])
        spectra = spectrum(np.exp(theta[:dim] + theta[dim + 5])[groups])
        weights, d_weights = (shares(groups) * part for part in spectra)
        effects = (R * np.tile(weights[1:].ravel(), 2)) @ R.T + weights[0].sum()
        effects -= k
        k, slope = k + a * effects, (1.0 - a) * slope
    L = cholesky(s2 * k, noise, s2)
    L_inverse = invert_lower(L)
    K_inv = L_inverse.T @ L_inverse
    alpha = K_inv @ residual
    value = 0.5 * float(residual @ alpha) + float(np.log(np.diagonal(L)).sum())

    A = np.outer(alpha, alpha) - K_inv
    W = A * (s2 * slope)
    # Σ_ab W_ab (z_a - z_b)² = 2 (Σ_a w_a z_a² - z' W z), w the row sums of W.
    per_feature = 2.0 * (W.sum(axis=1) @ (Z * Z) - np.einsum("aj,aj->j", Z, W @ Z))
    gradient = np.zeros(len(theta))
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
        odds_slope = w * (1.0 - w) * s2 * (1.0 - a)
        gradient[dim + 3] = -0.5 * odds_slope * float(np.einsum("ab,ab->", A, detail - trend))

    if R is not None:
        # r' A r of all waves; cosine and sine of one frequency have the same weight.
        forms = np.einsum("ab,ab->b", A @ R, R).reshape(2, -1, len(groups)).sum(axis=0)
        by_scale = d_weights[0] * A.sum() + (d_weights[1:] * forms).sum(axis=0)
        by_scale *= -0.5 * s2 * a
        gradient[:dim] += np.bincount(groups, weights=by_scale, minlength=dim)
        gradient[dim + 4] = -0.5 * a * (1.0 - a) * s2 * float(np.einsum("ab,ab->", A, effects))
        gradient[dim + 5] = by_scale.sum()

    means, widths = prior.means(dim, R is not None), prior.widths(dim, R is not None)
    deviation = (theta - means) / widths
    value += 0.5 * float(deviation @ deviation)
    gradient += deviation / widths
    return value, gradient
