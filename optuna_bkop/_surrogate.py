"""The frozen kernel model: posterior mean and covariance, and kernel parameters by MAP.

Glossary: ``F`` features of observed points (n, D), ``y`` their values (n,), ``ell`` length scales
of the features (D,), ``s2`` prior variance, ``noise_var`` the paper's σ², ``K`` kernel matrix with
noise (n, n), ``L`` its Cholesky factor, ``alpha`` = K⁻¹ (y - prior mean).

Several features may share one length scale (the indicator columns of a categorical parameter):
``groups`` (D,) names the parameter of each feature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._kernels import FloatArray, Kernel, squared_distances
from optuna_bkop._warp import stretch

#: The first jitter tried, relative to the prior variance; each failure multiplies it by ten.
_FIRST_JITTER = 1e-10


@dataclass(frozen=True)
class Hyperparameters:
    """What a fit determines.

    Attributes:
        length_scales: One for each parameter (d,).
        signal_var: Prior variance s2 of the values.
        noise_var: Noise variance, on the scale of the values.
        offset: Of the `stretch` of the values; infinite for none.
    """

    length_scales: FloatArray
    signal_var: float
    noise_var: float
    offset: float = math.inf


@dataclass(frozen=True)
class KernelModel:
    """Posterior of a kernel model (the paper's Eqs. 4-5 and 12-13, and 8 and 16 for batches).

    Points that are only held (running trials) narrow the covariance and leave the mean as it is:
    they are rows of the factor without a weight in ``alpha``.

    Attributes:
        kernel: Of the scaled squared distance.
        inverse_scales: 1 / ell of the features (D,).
        roughness: What squared distances count times: 1, or more for shorter length scales.
        signal_var: Prior variance.
        noise_var: Noise variance; 0 in the noise-free setting.
        prior_mean: Of the values, far from all data.
        Z: Scaled features of the observed, then of the held points (n + p, D).
        L: Lower Cholesky factor of the kernel matrix with noise (n + p, n + p).
        alpha: Weights (n + p,) of the mean; 0 for held points.
    """

    kernel: Kernel
    inverse_scales: FloatArray
    roughness: float
    signal_var: float
    noise_var: float
    prior_mean: float
    Z: FloatArray
    L: FloatArray
    alpha: FloatArray

    @classmethod
    def condition(
        cls,
        F: FloatArray,
        y: FloatArray,
        *,
        kernel: Kernel,
        hyperparameters: Hyperparameters,
        groups: NDArray[np.int64],
        prior_mean: float,
        factor: float = 1.0,
    ) -> KernelModel:
        """The model given values ``y`` (n,) at features ``F`` (n, D).

        Length scales are those of ``hyperparameters`` times ``factor``: below 1, a larger RKHS.
        """
        s2, noise_var = hyperparameters.signal_var, hyperparameters.noise_var
        inverse_scales = 1.0 / hyperparameters.length_scales[groups]
        Z = F * inverse_scales
        roughness = factor**-2
        L = cholesky(s2 * kernel(roughness * squared_distances(Z, Z))[0], noise_var, s2)
        alpha = cho_solve(L, y - prior_mean)
        return cls(kernel, inverse_scales, roughness, s2, noise_var, prior_mean, Z, L, alpha)

    def condition_on(self, F_held: FloatArray) -> KernelModel:
        """The model that also holds points at features ``F_held`` (p, D), of unknown value.

        The factor is extended by rows, not rebuilt: with K = [[K11, K12], [K21, K22]] the new
        rows are [V', L22], V = L11⁻¹ K12 and L22 the factor of K22 - V'V.
        """
        if len(F_held) == 0:
            return self
        Z_held = F_held * self.inverse_scales
        V = self.whiten(Z_held)
        K22 = self.prior(Z_held, Z_held)
        n, p = len(self.Z), len(Z_held)
        L = np.zeros((n + p, n + p))
        L[:n, :n] = self.L
        L[n:, :n] = V.T
        L[n:, n:] = cholesky(K22 - V.T @ V, self.noise_var, self.signal_var)
        return replace(
            self,
            Z=np.vstack([self.Z, Z_held]),
            L=L,
            alpha=np.append(self.alpha, np.zeros(p)),
        )

    def prior(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Prior covariance (n, m) of values at scaled features A (n, D) and B (m, D)."""
        k: FloatArray = self.kernel(self.roughness * squared_distances(A, B))[0]
        k *= self.signal_var
        return k

    def whiten(self, Z: FloatArray) -> FloatArray:
        """V = L⁻¹ k(rows, Z), (n, m): the posterior covariance is k(Z, Z) - V'V."""
        return solve_lower(self.L, self.prior(self.Z, Z))

    def mean(self, F: FloatArray) -> FloatArray:
        """Posterior mean (m,) at features F (m, D)."""
        k = self.prior(self.Z, F * self.inverse_scales)
        result: FloatArray = self.prior_mean + k.T @ self.alpha
        return result

    def cov(self, F: FloatArray) -> FloatArray:
        """Posterior covariance (m, m) of the noise-free values at features F (m, D)."""
        Z = F * self.inverse_scales
        V = self.whiten(Z)
        return self.prior(Z, Z) - V.T @ V

    def mean_and_std(self, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Posterior mean and standard deviation (m,), (m,) at features F (m, D)."""
        k = self.prior(self.Z, F * self.inverse_scales)
        V = solve_lower(self.L, k)
        variance = self.signal_var - np.einsum("ij,ij->j", V, V)
        return self.prior_mean + k.T @ self.alpha, np.sqrt(np.maximum(variance, 0.0))


def cholesky(K: FloatArray, noise_var: float, signal_var: float) -> FloatArray:
    """Lower factor of K + noise, with jitter that grows only as far as it must.

    Raises:
        numpy.linalg.LinAlgError: If even a jitter as large as the signal does not help.
    """
    from scipy.linalg.lapack import dpotrf

    diagonal = np.diag_indices_from(K)
    jitter = 0.0
    while jitter <= signal_var:
        shifted = K.copy()
        shifted[diagonal] += noise_var + jitter
        L, info = dpotrf(shifted, lower=1, clean=1, overwrite_a=1)
        # A factor whose pivots vanish to rounding would turn deviations into noise.
        if info == 0 and L[diagonal].min() ** 2 > 1e-13 * signal_var:
            factor: FloatArray = L
            return factor
        jitter = max(10.0 * jitter, _FIRST_JITTER * signal_var)
    raise np.linalg.LinAlgError("The kernel matrix has no Cholesky factor at any jitter.")


def solve_lower(L: FloatArray, B: FloatArray) -> FloatArray:
    """L⁻¹ B by forward substitution; L (n, n) lower, B (n, m)."""
    from scipy.linalg.lapack import dtrtrs

    solution: FloatArray = dtrtrs(L, B, lower=1)[0]
    return solution


def invert_lower(L: FloatArray) -> FloatArray:
    """L⁻¹ (n, n) of a lower L (n, n)."""
    from scipy.linalg.lapack import dtrtri

    inverse: FloatArray = dtrtri(L, lower=1)[0]
    return inverse


def cho_solve(L: FloatArray, B: FloatArray) -> FloatArray:
    """(L L')⁻¹ B by two substitutions; B (n,) or (n, m)."""
    from scipy.linalg.lapack import dpotrs

    solution: FloatArray = dpotrs(L, B, lower=1)[0]
    return solution if B.ndim == 2 else solution.reshape(-1)


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


def _length_scale_bounds(dim: int) -> tuple[float, float]:
    """Bounds of log ell.

    A hundred trials do not tell shorter length scales from noise, and a model that believes in
    them repeats the best trial. How short that is follows from how close a hundred points are in
    so many dimensions, about 100^(-1/dim).
    """
    return math.log(min(0.1, 0.22 * 100.0 ** (-1.0 / dim))), math.log(50.0)


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
    K_inv = cho_solve(L, np.eye(len(F)))
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

    The search starts at a fixed point, so that whoever knows the same data finds the same.

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
    from scipy.optimize import minimize

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

    # What has no effect on the likelihood stays at, or goes to, the prior's centre.
    start = prior.means(dim)
    if stretched:
        start[-1] = math.log(_FIRST_OFFSET)
    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 60, "ftol": 1e-5},
    )
    *log_scales, log_s2, log_ratio, log_offset = found.x
    s2 = math.exp(log_s2)
    return Hyperparameters(
        np.exp(log_scales),
        signal_var=s2,
        noise_var=s2 * math.exp(log_ratio) if noise_var is None else noise_var,
        offset=math.exp(log_offset) if stretched else math.inf,
    )
