"""The frozen kernel model: posterior mean and covariance.

Glossary, here and in `fit`: ``F`` features of observed points (n, D), ``y`` their values (n,),
``ell`` length scales of the features (D,), ``s2`` prior variance, ``noise_var`` the paper's σ²,
``K`` kernel matrix with noise (n, n), ``L`` its Cholesky factor, ``alpha`` = K⁻¹ (y - prior mean).

Several features may share one length scale (the indicator columns of a categorical parameter):
``groups`` (D,) holds the index of each feature's parameter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.kernels import DetailedKernel, Kernel, squared_distances
from optuna_bkop._model.linalg import cho_solve, cholesky, solve_lower
from optuna_bkop._model.main_effects import MainEffects, waves


@dataclass(frozen=True)
class Hyperparameters:
    """The parameters that a fit determines.

    Attributes:
        length_scales: One length scale per parameter (d,), where the range of a parameter is 1.
        signal_var: Prior variance s2 of the values, in squared units of the values.
        noise_var: Noise variance, in squared units of the values.
        offset: Offset of the logarithmic `stretch` of the values; infinite without a stretch.
        detail: Share, from 0 to 1, of the detail (the part with a second, short length scale) in
            the signal variance; 0 for a kernel with one length scale per parameter.
        main: Share, from 0 to 1, of the main effects (see `main_effects`) in the signal variance;
            0 for none.
        main_ratio: Length scales of the main effects, divided by ``length_scales``.
    """

    length_scales: FloatArray
    signal_var: float
    noise_var: float
    offset: float = math.inf
    detail: float = 0.0
    main: float = 0.0
    main_ratio: float = 1.0


@dataclass(frozen=True)
class KernelModel:
    """Posterior mean and covariance of a kernel model.

    These are Eqs. 4-5 and 12-13 of Lyu, Yuan and Tsang, and Eqs. 8 and 16 for batches. Held points
    are those whose values are unknown. They narrow the covariance and leave the mean unchanged:
    they are rows of the factor without a weight in ``alpha``.

    Attributes:
        kernel: Kernel as a function of the scaled squared distance.
        inverse_scales: Reciprocal length scales 1 / ell of the features (D,).
        roughness: Multiplier of squared distances; above 1 for shorter length scales.
        signal_var: Prior variance.
        noise_var: Noise variance; 0 in the noise-free setting.
        prior_mean: Mean of the values far from all data.
        Z: Scaled features (n + p, D) of the n observed points, followed by the p held ones.
        L: Lower Cholesky factor (n + p, n + p) of the kernel matrix with noise.
        alpha: Weights (n + p,) of the mean; 0 for held points.
        main: Kernel of the main effects; None for none.
        main_share: Share, from 0 to 1, of the main effects in the prior variance.
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
    main: MainEffects | None = None
    main_share: float = 0.0

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
        """Return the model given values ``y`` (n,) at features ``F`` (n, D).

        Args:
            F: Features of the observed points.
            y: Their values.
            kernel: Kernel as a function of the scaled squared distance. If
                ``hyperparameters.detail`` is positive, both parts of a `DetailedKernel` have it.
            hyperparameters: Length scales (d,), one per parameter; variances; and the detail's
                share (the detail is the part of the kernel with a second, short length scale).
            groups: Index of the parameter that each feature belongs to (D,).
            prior_mean: Mean of the values far from all data.
            factor: Multiplier of the length scales. A factor below 1 gives a larger RKHS.
        """
        s2, noise_var = hyperparameters.signal_var, hyperparameters.noise_var
        if hyperparameters.detail:
            kernel = DetailedKernel(kernel, hyperparameters.detail)
        length_scales = hyperparameters.length_scales[groups]
        inverse_scales = 1.0 / length_scales
        Z = F * inverse_scales
        main = None
        if hyperparameters.main:
            main = MainEffects.of(factor * hyperparameters.main_ratio * length_scales, groups)
        empty = np.empty((0, 0))
        prior = cls(
            kernel,
            inverse_scales,
            factor**-2,
            s2,
            noise_var,
            prior_mean,
            Z,
            L=empty,
            alpha=empty,
            main=main,
            main_share=hyperparameters.main,
        )
        L = cholesky(prior.prior(Z, Z), noise_var, s2)
        return replace(prior, L=L, alpha=cho_solve(L, y - prior_mean))

    def hold(self, F_held: FloatArray) -> KernelModel:
        """Return the model that also holds points at features ``F_held`` (p, D).

        A held point narrows the covariance and leaves the mean unchanged. The Cholesky factor is
        extended by rows, not rebuilt: with K = [[K11, K12], [K21, K22]] the new rows are [V',
        L22], where V = L11⁻¹ K12 and L22 is the factor of K22 - V'V.
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
        """Prior covariance (n, m) of the values at scaled features A (n, D) and B (m, D)."""
        k: FloatArray = self.kernel(self.roughness * squared_distances(A, B))[0]
        if self.main is not None:
            R_A, R_B = waves(A / self.inverse_scales), waves(B / self.inverse_scales)
            k *= 1.0 - self.main_share
            k += self.main_share * ((R_A * self.main.weights) @ R_B.T + self.main.constant)
        k *= self.signal_var
        return k

    def whiten(self, Z: FloatArray) -> FloatArray:
        """V = L⁻¹ k (n + p, m), with k the prior covariance of the model's points and Z (m, D).

        Z are scaled features. Their posterior covariance is k(Z, Z) - V'V.
        """
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
