"""The frozen kernel model: posterior mean and covariance.

Glossary, here and in `_fit`: ``F`` features of observed points (n, D), ``y`` their values (n,),
``ell`` length scales of the features (D,), ``s2`` prior variance, ``noise_var`` the paper's σ²,
``K`` kernel matrix with noise (n, n), ``L`` its Cholesky factor, ``alpha`` = K⁻¹ (y - prior mean).

Several features may share one length scale (the indicator columns of a categorical parameter):
``groups`` (D,) names the parameter of each feature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._kernels import FloatArray, Kernel, squared_distances

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
