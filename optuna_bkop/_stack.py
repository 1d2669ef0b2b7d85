"""Several kernel models side by side, so that one call of numpy does for all of them.

Arrays have one axis more, M, in front: that of the models.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optuna_bkop._kernels import FloatArray, squared_distances
from optuna_bkop._surrogate import KernelModel, invert_lower


class Stack:
    """Models of the same number of points.

    Python and numpy spend their overhead once for all models, which is most of the cost while
    there are few points. The factor is inverted once, since it is applied hundreds of times.
    """

    def __init__(self, models: Sequence[KernelModel]) -> None:
        def column(values: list[float]) -> FloatArray:
            return np.array(values).reshape(-1, 1, 1)

        self.kernel = models[0].kernel
        self.inverse_scales = np.stack([model.inverse_scales for model in models])[:, None, :]
        self.Z = np.stack([model.Z for model in models])
        self.L_inverse = np.stack([invert_lower(model.L) for model in models])
        self.alpha = np.stack([model.alpha for model in models])[:, :, None]
        self.signal_var = column([model.signal_var for model in models])
        self.noise_var = column([model.noise_var for model in models])
        self.prior_mean = column([model.prior_mean for model in models])

    def prior(self, A: FloatArray, B: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Prior covariance (M, n, m) of scaled features A (M, n, D), B (M, m, D); its slope."""
        k, slope = self.kernel(squared_distances(A, B))
        k *= self.signal_var
        slope *= self.signal_var
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
    """The gradient in B (M, m, D) of Σ weights (M, n, m) |A - B|²."""
    result: FloatArray = 2.0 * (
        weights.sum(axis=1)[:, :, None] * B - np.swapaxes(weights, 1, 2) @ A
    )
    return result
