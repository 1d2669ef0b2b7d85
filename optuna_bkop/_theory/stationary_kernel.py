"""A stationary kernel with its parameters, as the theorems use it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._checks import check_choice, check_number
from optuna_bkop._model.kernels import KERNELS, squared_distances


@dataclass(frozen=True)
class StationaryKernel:
    """The kernel k(x, z) = signal_var k0(Σ_j ((x_j - z_j) / length_scale_j)²).

    Attributes:
        name: Name of k0: "matern52" or "se" (squared exponential).
        length_scales: One length scale for all features, or one for each (D,); positive.
        signal_var: Prior variance k(x, x), positive.

    Example:
        >>> kernel = StationaryKernel("se", length_scales=0.5, signal_var=2.0)
        >>> kernel(np.array([[0.0]]), np.array([[0.0], [0.5]])).round(4).tolist()
        [[2.0, 1.2131]]
    """

    name: str = "matern52"
    length_scales: float | tuple[float, ...] = 1.0
    signal_var: float = 1.0

    def __post_init__(self) -> None:
        check_choice("name", self.name, KERNELS)
        if not np.all(np.asarray(self.length_scales) > 0):
            raise ValueError(f"`length_scales` must be positive, got {self.length_scales!r}.")
        check_number("signal_var", self.signal_var, positive=True)

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """Return the kernel matrix (n, m) of X (n, D) and Z (m, D)."""
        ell = np.asarray(self.length_scales)
        if ell.ndim and ell.shape != X.shape[1:]:
            raise ValueError(
                f"`length_scales` must be one number or one for each of the {X.shape[1]} "
                f"features, got {len(ell)}."
            )
        return self.signal_var * KERNELS[self.name](squared_distances(X / ell, Z / ell))[0]
