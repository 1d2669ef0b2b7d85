"""Posterior of a function of known norm, and upper bounds of m + R σ on boxes.

Glossary: ``X`` queried points (n, D), ``y`` their values minus an offset (n,), ``K`` the kernel
matrix, ``noise_var`` the paper's σ², ``L`` the Cholesky factor of K + σ² I, ``κ`` = k(x, x), ``m``
and ``σ`` posterior mean and deviation, ``R`` the weight of the deviation, ``k_x`` = k(x, .),
``P`` the projection of RKHS elements to the complement of what the data determine.

All functions here are inner products. σ(x) = |P k_x|, and m(x) + R σ(x) is the supremum of f(x)
over the functions f = m + r with |r| <= R and r invisible to the data. Near a centre c,

    k_{c+δ} = k_c + ∂k_c δ + remainder,     |remainder| <= e(δ),

so that f(c + δ) <= f(c) + ∇f(c) δ + |f| e(δ) for each f, and the supremum is at most

    m(c) + ∇m(c) δ + R |P k_c + P ∂k_c δ| + |f| e(δ).

This is second-order accurate in δ, and no constant in it is unknown: e(δ)² is the sum of six inner
products, 2 κ - 2 k(ρ) + 2 ρ k'(ρ) - k''(0) ρ² with ρ = |δ / ℓ|, and at most k''''(0) ρ⁴ / 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._model.linalg import cho_solve, cholesky, solve_lower
from optuna_bkop._theory.stationary_kernel import StationaryKernel
from optuna_bkop._theory.theorems import KernelFunction

#: Fourth derivative of k0(r²) in r at 0: k0 = 1 - 5/6 r² + 25/24 r⁴ - ... for Matérn-5/2, and
#: 1 - r²/2 + r⁴/8 - ... for the squared exponential.
_FOURTH_DERIVATIVES = {"matern52": 25.0, "se": 3.0}
#: Below this ρ the sum of inner products loses digits, and its bound by ρ⁴ is nearly equal.
_SMALL = 0.1
#: Below this share of κ, variances are rounding errors of factors.
_ROUNDING = 1e-15


@dataclass(frozen=True)
class Posterior:
    """The posterior of a function of known norm, given its values at some points.

    K is the kernel matrix of the queried points, σ² the noise variance and y the values minus the
    offset.

    Attributes:
        kernel: The kernel.
        X: Queried points (n, D).
        L: Lower Cholesky factor (n, n) of K + σ² I.
        alpha: Weights (K + σ² I)⁻¹ y of the mean (n,).
        offset: Constant that was subtracted from the values; the mean includes it.
        data_norm: Norm sqrt(y' (K + σ² I)⁻¹ y) of the minimum-norm explanation of y by a function
            f and a perturbation g.
        mean_norm: Norm sqrt(α' K α) of f in that explanation, which is the mean minus the offset.
    """

    kernel: KernelFunction
    X: FloatArray
    L: FloatArray
    alpha: FloatArray
    offset: float
    data_norm: float
    mean_norm: float

    @classmethod
    def of(
        cls,
        X: FloatArray,
        y: FloatArray,
        kernel: KernelFunction,
        noise_var: float,
        offset: float = 0.0,
    ) -> Posterior:
        """Return the posterior given values y (n,) at X (n, D); ``offset`` is subtracted here."""
        K = kernel(X, X)
        L = cholesky(K, noise_var, float(np.diagonal(K).max()))
        alpha = cho_solve(L, y - offset)
        return cls(
            kernel=kernel,
            X=X,
            L=L,
            alpha=alpha,
            offset=offset,
            data_norm=math.sqrt(max(float(alpha @ (y - offset)), 0.0)),
            mean_norm=math.sqrt(max(float(alpha @ K @ alpha), 0.0)),
        )

    def mean_and_std(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the posterior means (m,) and deviations (m,) at points Z (m, D)."""
        k = self.kernel(self.X, Z)
        V = solve_lower(self.L, k)
        # A kernel function gives k(z, z) only as the diagonal of a matrix.
        kappa: FloatArray | float
        if isinstance(self.kernel, StationaryKernel):
            kappa = self.kernel.signal_var
        else:
            kappa = np.array([float(self.kernel(z[None], z[None])[0, 0]) for z in Z])
        variance = kappa - np.einsum("ij,ij->j", V, V)
        return self.offset + k.T @ self.alpha, np.sqrt(np.maximum(variance, 0.0))

    def bound_boxes(
        self, weight: float, centres: FloatArray, halves: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return m + R σ at the centres (k,) of boxes, and upper bounds (k,) of it on whole boxes.

        m is the posterior mean and σ the posterior deviation.

        Args:
            weight: The weight R of the deviation.
            centres: Centres (k, D) of the boxes.
            halves: Half of their sides (k, D).

        Raises:
            TypeError: If the kernel is not a `StationaryKernel`.
        """
        if not isinstance(self.kernel, StationaryKernel):
            raise TypeError(f"A StationaryKernel is needed, got {self.kernel!r}.")
        s2, ell = self.kernel.signal_var, np.asarray(self.kernel.length_scales, dtype=float)
        k0 = KERNELS[self.kernel.name]
        Z, C = self.X / ell, centres / ell
        w = np.broadcast_to(halves / ell, C.shape)
        n, (m, dim) = len(Z), C.shape
        difference = C[None] - Z[:, None]
        k, slope = k0(np.einsum("nmj,nmj->nm", difference, difference))
        d_k = (2.0 * s2 * slope)[:, :, None] * difference  # (n, m, D): ∂k_c at the queried points
        V = solve_lower(self.L, s2 * k)
        d_V = solve_lower(self.L, d_k.reshape(n, m * dim)).reshape(n, m, dim)
        curvature = -2.0 * s2 * float(k0(np.zeros(1))[1][0])  # -k''(0)

        mean = s2 * k.T @ self.alpha
        d_mean = np.einsum("nmj,n->mj", d_k, self.alpha)
        variance = np.maximum(s2 - np.einsum("nm,nm->m", V, V), _ROUNDING * s2)
        d_variance = -2.0 * np.einsum("nm,nmj->mj", V, d_V)
        H = curvature * np.eye(dim) - np.einsum("nmi,nmj->mij", d_V, d_V)  # J'J, J = P ∂k_c
        bend = np.einsum("mi,mij,mj->m", w, np.abs(H), w)
        std = np.sqrt(variance)

        # |P k_c + J δ|² = variance + d_variance δ + δ'Hδ. Its root is at most the bound of the
        # square, and at most the tangent of the root, in which the slopes of m and R σ cancel.
        apart = np.einsum("mj,mj->m", np.abs(d_mean), w) + weight * np.sqrt(
            variance + np.einsum("mj,mj->m", np.abs(d_variance), w) + bend
        )
        slopes = np.abs(d_mean + weight * d_variance / (2.0 * std[:, None]))
        tangent = np.einsum("mj,mj->m", slopes, w) + weight * (std + bend / (2.0 * std))
        # |f|: the norm of m plus R, or the root of the squares of their norms with g.
        norm = min(self.mean_norm + weight, math.hypot(self.data_norm, weight))
        remainder = norm * math.sqrt(s2) * self._remainder(np.sqrt((w * w).sum(axis=1)))
        upper = self.offset + mean + np.minimum(apart, tangent) + remainder
        return self.offset + mean + weight * std, upper

    def value_and_gradient(self, weight: float, z: FloatArray) -> tuple[float, FloatArray]:
        """Return m + R σ at one point z (D,), and its gradient (D,); R is ``weight``.

        Raises:
            TypeError: If the kernel is not a `StationaryKernel`.
        """
        if not isinstance(self.kernel, StationaryKernel):
            raise TypeError(f"A StationaryKernel is needed, got {self.kernel!r}.")
        s2, ell = self.kernel.signal_var, np.asarray(self.kernel.length_scales, dtype=float)
        difference = (z - self.X) / ell
        k, slope = KERNELS[self.kernel.name](np.einsum("nj,nj->n", difference, difference))
        d_k = (2.0 * s2 * slope)[:, None] * difference / ell
        V = solve_lower(self.L, np.column_stack([s2 * k, d_k]))
        std = math.sqrt(max(s2 - float(V[:, 0] @ V[:, 0]), _ROUNDING * s2))
        value = self.offset + s2 * float(k @ self.alpha) + weight * std
        return value, d_k.T @ self.alpha - weight * (V[:, 1:].T @ V[:, 0]) / std

    def _remainder(self, rho: FloatArray) -> FloatArray:
        """Return the remainders e(ρ) (m,) of the file's docstring, for distances ρ (m,), κ = 1."""
        if not isinstance(self.kernel, StationaryKernel):
            raise TypeError(f"A StationaryKernel is needed, got {self.kernel!r}.")
        k0 = KERNELS[self.kernel.name]
        k, slope = k0(np.append(rho, 0.0) ** 2)
        # ρ k'(ρ) = 2 ρ² dk0/d(r²), and k''(0) = 2 dk0/d(r²) at 0.
        squared = 2.0 - 2.0 * k[:-1] + rho**2 * (4.0 * slope[:-1] - 2.0 * slope[-1])
        quartic = 0.5 * math.sqrt(_FOURTH_DERIVATIVES[self.kernel.name]) * rho**2
        exact = np.sqrt(np.maximum(squared, 0.0))
        return np.where(rho < _SMALL, quartic, np.minimum(exact, quartic))
