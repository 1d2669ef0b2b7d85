"""The kernel of main effects. A function with this kernel is a sum of functions of one feature.

Many objectives are nearly sums: each parameter has an effect of its own, and interactions are
smaller. A kernel of distances has to learn such a function anew in every part of the cube. The
kernel of this file learns the effect of a feature from all points, whatever their other features.

With D features, shares s (D,) that add up to 1, and length scales ℓ (D,), it is

    k(x, z) = Σ_j s_j κ(x_j - z_j; ℓ_j),   κ(δ; ℓ) = Σ_{i=0..I} w_i(ℓ) cos(π i δ),   Σ_i w_i = 1.

κ is the Fourier series, with period 2, of the Matérn kernel of smoothness 5/2, cut after I terms
and scaled to κ(0) = 1: w_i is proportional to the spectral density (1 + (π i ℓ)² / 5)^-3, and w_0
to half of it. The cosine of a difference is a sum of products of cosines and sines, here called
waves. So the kernel of two sets of points is the product of the matrices of their waves, and costs
no more than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray

#: Number I of frequencies. The shortest wave is a sixth of the range long. Effects with shorter
#: ripples are left to the kernel of distances.
N_FREQUENCIES = 12
_FREQUENCIES = np.pi * np.arange(1.0, N_FREQUENCIES + 1.0)


@dataclass(frozen=True)
class MainEffects:
    """The kernel of main effects with given length scales.

    Attributes:
        weights: Weight (2 I D,) of each wave: s_j w_i(ℓ_j), for cosines and for sines.
        constant: The part of the kernel that is the same for all points, that of frequency 0.
    """

    weights: FloatArray
    constant: float

    @classmethod
    def of(cls, length_scales: FloatArray, groups: NDArray[np.int64]) -> MainEffects:
        """Return the kernel with length scales (D,), in units of the features.

        Args:
            length_scales: Length scales of the features.
            groups: Index of the parameter that each feature belongs to (D,).
        """
        weights = shares(groups) * spectrum(length_scales)[0]
        return cls(np.tile(weights[1:].ravel(), 2), float(weights[0].sum()))


@dataclass(frozen=True)
class EffectsEnsemble:
    """The main effects of M models of the same points, evaluated side by side.

    Attributes:
        variance: Variance (M, 1, 1) of the main effects: their share of the prior variance.
        weights: Weights (M, 1, 2 I D) of the waves.
        constant: Part (M, 1, 1) of the kernel that is the same for all points.
    """

    variance: FloatArray
    weights: FloatArray
    constant: FloatArray

    @classmethod
    def of(cls, kernels: Sequence[MainEffects], variance: FloatArray) -> EffectsEnsemble:
        """Return the ensemble of M kernels with variances (M, 1, 1)."""
        constant = np.array([kernel.constant for kernel in kernels]).reshape(-1, 1, 1)
        return cls(variance, np.array([kernel.weights for kernel in kernels])[:, None], constant)

    def cov(self, R: FloatArray, Q: FloatArray) -> FloatArray:
        """Return covariances (M, ..., n, m) of points with waves R (..., n, 2 I D) and Q."""
        result: FloatArray = (R * self._like(self.weights, R)) @ np.swapaxes(Q, -1, -2)
        result += self._like(self.constant, R)
        result *= self._like(self.variance, R)
        return result

    def gradient(self, C: FloatArray, R: FloatArray, Q: FloatArray) -> FloatArray:
        """Return the gradient (..., m, D), in the features of Q, of the sum of C cov(R, Q).

        Args:
            C: Weights (M, ..., n, m) of the covariances.
            R: Waves (n, 2 I D) or (..., n, 2 I D) of points that stay where they are.
            Q: Waves (..., m, 2 I D) of the points.
        """
        pull = np.swapaxes(C * self._like(self.variance, Q), -1, -2)
        return waves_gradient(Q, (pull @ (R * self._like(self.weights, Q))).sum(axis=0))

    @staticmethod
    def _like(array: FloatArray, R: FloatArray) -> FloatArray:
        """Return an array (M, 1, c) with as many axes as one of M models of points R has."""
        return array.reshape(len(array), *[1] * (R.ndim - 1), -1)


def shares(groups: NDArray[np.int64]) -> FloatArray:
    """Return the share (D,) of each feature: equal for parameters, and within a parameter.

    Two choices of a categorical parameter differ in two of its c features, and are correlated by
    1 - 2 / c at least.

    Args:
        groups: Index of the parameter that each feature belongs to (D,).
    """
    counts = np.bincount(groups)
    result: FloatArray = 1.0 / (len(counts) * counts[groups])
    return result


def waves(F: FloatArray) -> FloatArray:
    """Return all waves (..., 2 I D) at features F (..., D).

    The cosines cos(π i x_j) come first, by frequency i and then by feature j; the sines follow in
    the same order.
    """
    phases = _FREQUENCIES[:, None] * F[..., None, :]
    phases = phases.reshape(*F.shape[:-1], -1)
    return np.concatenate([np.cos(phases), np.sin(phases)], axis=-1)


def waves_gradient(R: FloatArray, C: FloatArray) -> FloatArray:
    """Return the gradient (..., D) in the features of Σ_w C_w R_w, with waves R (..., 2 I D)."""
    shape = (*R.shape[:-1], 2, N_FREQUENCIES, -1)
    R, C = R.reshape(shape), C.reshape(shape)
    # The derivative of cos is -sin, and that of sin is cos, times the frequency.
    slopes = C[..., 1, :, :] * R[..., 0, :, :] - C[..., 0, :, :] * R[..., 1, :, :]
    result: FloatArray = np.einsum("i,...ij->...j", _FREQUENCIES, slopes)
    return result


def spectrum(length_scales: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weights w_i(ℓ_j) (I + 1, D), and their derivatives in log ℓ_j.

    The weights of each feature add up to 1. Frequency 0 counts half, as in any Fourier series.
    """
    u = (np.append(0.0, _FREQUENCIES)[:, None] * length_scales) ** 2 / 5.0
    weights = (1.0 + u) ** -3
    weights[0] *= 0.5
    weights /= weights.sum(axis=0)
    relative = -6.0 * u / (1.0 + u)
    return weights, weights * (relative - (weights * relative).sum(axis=0))
