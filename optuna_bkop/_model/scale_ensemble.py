"""Several kernel models evaluated side by side, in one numpy call for all of them.

Arrays have one more axis than those of a single model: the first axis, M, runs over the models.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.kernel_model import KernelModel
from optuna_bkop._model.kernels import squared_distances
from optuna_bkop._model.linalg import invert_lower
from optuna_bkop._model.main_effects import EffectsEnsemble, waves

#: Variances below this share of the prior variance count as zero: they are rounding errors.
TINY = 1e-12


class ScaleEnsemble:
    """Models of the same points whose length scales differ only by a common factor.

    The models share distances, and numpy's overhead is paid once for all of them; with few points
    that is most of the cost. The Cholesky factor is inverted once, because it is applied hundreds
    of times.

    Args:
        models: The models. They must share kernel, points, length scales before the factor, and
            the share of main effects.

    Raises:
        ValueError: If the models have different kernels, points, length scales or shares of main
            effects.
    """

    def __init__(self, models: Sequence[KernelModel]) -> None:
        def column(values: list[float]) -> FloatArray:
            return np.array(values).reshape(-1, 1, 1)

        first = models[0]
        for model in models[1:]:
            _check_alike(first, model)
        self.kernel, self.inverse_scales, self.Z = first.kernel, first.inverse_scales, first.Z
        self.roughness = column([model.roughness for model in models])
        self.signal_var = column([model.signal_var for model in models])
        self.noise_var = column([model.noise_var for model in models])
        self.prior_mean = column([model.prior_mean for model in models])
        self.floor = TINY * self.signal_var[:, 0]
        self.L_inverse = np.stack([invert_lower(model.L) for model in models])
        self.alpha = np.stack([model.alpha for model in models])[:, :, None]
        self.effects: EffectsEnsemble | None = None
        kernels = [model.main for model in models if model.main is not None]
        if kernels:
            self.effects = EffectsEnsemble.of(kernels, first.main_share * self.signal_var)
        self._share_of_distances = 1.0 - first.main_share
        #: Waves of the known points; without main effects, none are needed.
        self.R = self.waves(self.Z) if kernels else np.empty((len(self.Z), 0))

    def waves(self, Z: FloatArray) -> FloatArray:
        """Return the waves (..., 2 I D) of scaled features Z (..., D), for the main effects."""
        return waves(Z / self.inverse_scales)

    def prior(self, A: FloatArray, B: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the prior covariance (M, n, m) of scaled features A (n, D), B (m, D), and slopes.

        The slope (M, n, m) is the derivative of the covariance in the squared distance before it
        is multiplied by a model's roughness.
        """
        k, slope = self._prior_of(squared_distances(A, B))
        if self.effects is not None:
            k += self.effects.cov(self.R if A is self.Z else self.waves(A), self.waves(B))
        return k, slope

    def prior_within(self, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Prior covariance (M, p, q, q) within each of p batches Z (p, q, D), and its slope.

        The slope (M, p, q, q) is the derivative of the covariance in the squared distance.
        """
        p, q, _ = Z.shape
        k, slope = self._prior_of(squared_distances(Z, Z).reshape(p, q * q))
        k, slope = k.reshape(-1, p, q, q), slope.reshape(-1, p, q, q)
        if self.effects is not None:
            R = self.waves(Z)
            k += self.effects.cov(R, R)
        return k, slope

    def _prior_of(self, r2: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the part of distances in the prior covariance (M, n, m), and its slope.

        The squared distances r2 are (n, m), and the slope is the derivative in them.
        """
        k, slope = self.kernel(self.roughness * r2)
        k *= self._share_of_distances * self.signal_var
        slope *= self._share_of_distances * self.signal_var * self.roughness
        return k, slope

    def solve(self, F: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return (Z, k, slope, V) for features F (m, D).

        Z (m, D) are the scaled features, k (M, n, m) their prior covariance with the known
        points, slope (M, n, m) its derivative in the squared distance, and V = L⁻¹ k (M, n, m).
        The posterior covariance is k(Z, Z) - V'V.
        """
        Z = F * self.inverse_scales
        k, slope = self.prior(self.Z, Z)
        return Z, k, slope, self.L_inverse @ k

    def mean(self, k: FloatArray) -> FloatArray:
        """Posterior means (M, m), given the prior covariance k (M, n, m) with the known points."""
        result: FloatArray = self.prior_mean[:, 0] + (np.swapaxes(self.alpha, 1, 2) @ k)[:, 0]
        return result


def distance_gradient(weights: FloatArray, A: FloatArray, B: FloatArray) -> FloatArray:
    """Return the gradient (..., m, D) of Σ_ij w_ij |A_i - B_j|² with respect to B (..., m, D).

    The weights w are (..., n, m), and A is (..., n, D) or (n, D).
    """
    pull = np.swapaxes(weights, -1, -2) @ A
    result: FloatArray = 2.0 * (weights.sum(axis=-2)[..., None] * B - pull)
    return result


def _check_alike(first: KernelModel, other: KernelModel) -> None:
    if (other.main is None) != (first.main is None) or other.main_share != first.main_share:
        raise ValueError(
            "Models must share their main effects, got the shares "
            f"{first.main_share} and {other.main_share}."
        )
    if other.kernel != first.kernel:
        raise ValueError(f"Models must share a kernel, got {first.kernel} and {other.kernel}.")
    for name in ("inverse_scales", "Z"):
        a, b = getattr(first, name), getattr(other, name)
        if a is not b and not np.array_equal(a, b):
            raise ValueError(f"Models must share `{name}`, got arrays that differ: {a} and {b}.")
