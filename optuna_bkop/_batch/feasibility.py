"""Computes the probability that a point meets all constraints.

The model of a constraint is positive where the constraint is met.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.kernel_model import KernelModel
from optuna_bkop._model.kernels import squared_distances
from optuna_bkop._model.linalg import invert_lower
from optuna_bkop._model.scale_ensemble import TINY, distance_gradient

#: Number of points that are evaluated at a time: their covariances then fit into the cache.
_BLOCK = 100


def stacks(models: Sequence[KernelModel]) -> list[FeasibilityStack]:
    """Return the models in stacks, one for each number of known points."""
    by_size: dict[int, list[KernelModel]] = {}
    for model in models:
        by_size.setdefault(len(model.Z), []).append(model)
    return [FeasibilityStack(alike) for alike in by_size.values()]


class FeasibilityStack:
    """Models of several constraints, evaluated side by side.

    The model of a constraint is positive where the constraint is met. Numpy's overhead is paid
    once for all models; with few points that is most of the cost. The models may have different
    points and length scales. Arrays have the models as first axis, K.

    Args:
        models: The models. They must share the kernel and the number n of known points.
    """

    def __init__(self, models: Sequence[KernelModel]) -> None:
        def column(values: list[float]) -> FloatArray:
            return np.array(values).reshape(-1, 1, 1)

        self._kernel = models[0].kernel
        self._inverse_scales = np.stack([model.inverse_scales for model in models])[:, None]
        self._Z = np.stack([model.Z for model in models])
        self._L_inverse = np.stack([invert_lower(model.L) for model in models])
        self._alpha = np.stack([model.alpha for model in models])[:, :, None]
        self._roughness = column([model.roughness for model in models])
        self._signal_var = column([model.signal_var for model in models])
        self._noise_var = column([model.noise_var for model in models])
        self._prior_mean = column([model.prior_mean for model in models])

    def logs(self, F: FloatArray) -> FloatArray:
        """Return the log probabilities (m,) that all constraints are met at features F (m, D).

        They are Σ_k log P(value_k + noise_k > 0), because the models k are independent.
        """
        from scipy.special import log_ndtr

        logs = np.empty(len(F))
        for block in (slice(i, i + _BLOCK) for i in range(0, len(F), _BLOCK)):
            _, k, _, V = self._solve(F[block])
            mean, deviation = self._mean_and_deviation(k, V)
            logs[block] = log_ndtr(mean / deviation).sum(axis=(0, 1))
        return logs

    def logs_and_gradients(self, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log probabilities (m,) at features F (m, D), and their gradients (m, D).

        They are the probabilities that all constraints are met. With m the mean of a model, s² the
        variance of value and noise, z = m / s, α the weights of the mean, k the covariances with
        the known points and W = K⁻¹ k,

            dz = α . dk / s + m W . dk / s³.
        """
        from scipy.special import log_ndtr

        Z, k, slope, V = self._solve(F)
        W = np.swapaxes(self._L_inverse, 1, 2) @ V
        mean, s = self._mean_and_deviation(k, V)
        z = mean / s
        logs = log_ndtr(z)
        hazard = np.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - logs)
        weights = hazard * (self._alpha / s + mean / s**3 * W) * slope
        gradients = distance_gradient(weights, self._Z, Z) * self._inverse_scales
        return logs.sum(axis=(0, 1)), gradients.sum(axis=0)

    def _solve(self, F: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return scaled features (K, m, D), k (K, n, m), its slope in r², and V = L⁻¹ k."""
        Z = F * self._inverse_scales
        k, slope = self._kernel(self._roughness * squared_distances(self._Z, Z))
        k *= self._signal_var
        slope *= self._signal_var * self._roughness
        return Z, k, slope, self._L_inverse @ k

    def _mean_and_deviation(self, k: FloatArray, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return means and standard deviations of value + noise at m points, (K, 1, m) each.

        Args:
            k: Prior covariances (K, n, m) of the known points and the m points, for each of the K
                models.
            V: L⁻¹ k (K, n, m), where L is the Cholesky factor of a model's kernel matrix.
        """
        mean = self._prior_mean + np.swapaxes(self._alpha, 1, 2) @ k
        variance = self._signal_var - np.einsum("Kij,Kij->Kj", V, V)[:, None]
        variance = np.maximum(variance, TINY * self._signal_var)
        return mean, np.sqrt(variance + self._noise_var)
