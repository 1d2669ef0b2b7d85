"""Several kernel models side by side, so that one call of numpy does for all of them.

Arrays have one axis more, M, in front, where the models differ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optuna_bkop._kernels import FloatArray, squared_distances
from optuna_bkop._surrogate import KernelModel, invert_lower

#: Variances below this share of the prior's are taken for zero.
_TINY = 1e-12


class Stack:
    """Models of the same points, whose length scales differ by no more than a factor.

    They share distances. Python and numpy spend their overhead once for all models, which is most
    of the cost while there are few points. The factor of the kernel matrix is inverted once, since
    it is applied hundreds of times.
    """

    def __init__(self, models: Sequence[KernelModel]) -> None:
        def column(values: list[float]) -> FloatArray:
            return np.array(values).reshape(-1, 1, 1)

        first = models[0]
        self.kernel, self.inverse_scales, self.Z = first.kernel, first.inverse_scales, first.Z
        self.roughness = column([model.roughness for model in models])
        self.signal_var = column([model.signal_var for model in models])
        self.noise_var = column([model.noise_var for model in models])
        self.prior_mean = column([model.prior_mean for model in models])
        self.floor = _TINY * self.signal_var[:, 0]
        self.L_inverse = np.stack([invert_lower(model.L) for model in models])
        self.alpha = np.stack([model.alpha for model in models])[:, :, None]

    def prior(self, A: FloatArray, B: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Prior covariance (M, n, m) of scaled features A (n, D), B (m, D), and its slope."""
        return self._prior_of(squared_distances(A, B))

    def prior_within(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same (M, p, q, q) within each of many batches Z (p, q, D)."""
        p, q, _ = Z.shape
        k, slope = self._prior_of(squared_distances(Z, Z).reshape(p, q * q))
        return k.reshape(-1, p, q, q), slope.reshape(-1, p, q, q)

    def _prior_of(self, r2: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Prior covariance (M, n, m) at squared distances r2 (n, m), and its derivative in r2."""
        k, slope = self.kernel(self.roughness * r2)
        k *= self.signal_var
        slope *= self.signal_var * self.roughness
        return k, slope

    def solve(self, F: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Of features F (m, D): scaled, Z; covariance with the known points, k; its slope; V.

        V = L⁻¹ k (M, n, m): the posterior covariance is k(Z, Z) - V'V.
        """
        Z = F * self.inverse_scales
        k, slope = self.prior(self.Z, Z)
        return Z, k, slope, self.L_inverse @ k

    def mean(self, k: FloatArray) -> FloatArray:
        """Posterior means (M, m), given the covariance k (M, n, m) with the known points."""
        result: FloatArray = self.prior_mean[:, 0] + (np.swapaxes(self.alpha, 1, 2) @ k)[:, 0]
        return result


def distance_gradient(weights: FloatArray, A: FloatArray, B: FloatArray) -> FloatArray:
    """The gradient in B (..., m, D) of Σ weights (..., n, m) |A - B|², A (..., n, D) or (n, D)."""
    pull = np.swapaxes(weights, -1, -2) @ A
    result: FloatArray = 2.0 * (weights.sum(axis=-2)[..., None] * B - pull)
    return result
