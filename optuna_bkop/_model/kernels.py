"""Stationary kernels as functions of the scaled squared distance.

With r² = Σ_j ((x_j - z_j) / ℓ_j)², a kernel returns k(r²) and its derivative dk/d(r²), both
elementwise. Each kernel has k(0) = 1, as the paper's theorems require, and a finite derivative
at 0, so that gradients need no special case where points coincide.

To add a kernel, write a function with the signature of `Kernel` and add it to `KERNELS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray

#: Maps r² to k(r²) and dk/d(r²), both of the shape of r².
Kernel = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def matern52(r2: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Matérn kernel of smoothness 5/2: k = (1 + s + s²/3) exp(-s), s = sqrt(5 r²)."""
    s = np.sqrt(5.0 * r2)
    decay = np.exp(-s)
    slope = 1.0 + s
    # In-place operations: most of an ask's time is spent here.
    k = s
    k *= s
    k /= 3.0
    k += slope
    k *= decay
    slope *= decay
    slope *= -5.0 / 6.0
    return k, slope


def squared_exponential(r2: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Squared exponential kernel: k = exp(-r²/2)."""
    k = np.exp(-0.5 * r2)
    return k, -0.5 * k


#: Length scale of the detail of a `DetailedKernel`, divided by that of the trend. 0.1, 0.2 and 0.3
#: were compared (benchmarks/README.md).
DETAIL_SCALE = 0.1


@dataclass(frozen=True)
class DetailedKernel:
    """Kernel of a sum of two functions: a trend, and a detail with shorter length scales.

    k(r²) = (1 - w) k₀(r²) + w k₀(r² / ρ²), with ρ = `DETAIL_SCALE` and r² the squared distance in
    units of the trend's length scales.

    A function with many basins is a smooth trend with ripples. A kernel with one length scale has
    to follow every ripple or to count all of them as noise. This one follows the trend, and knows
    the ripples where they were measured.

    Attributes:
        kernel: The kernel k₀ of both parts.
        share: Share w, from 0 to 1, of the detail in the variance.
    """

    kernel: Kernel
    share: float

    def __call__(self, r2: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return k(r²) and dk/d(r²)."""
        (trend, trend_slope), (detail, detail_slope) = self.parts(r2)
        trend *= 1.0 - self.share
        trend += self.share * detail
        trend_slope *= 1.0 - self.share
        trend_slope += self.share * detail_slope
        return trend, trend_slope

    def parts(
        self, r2: FloatArray
    ) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        """Return values and derivatives in r² of the trend's and of the detail's kernel."""
        detail, slope = self.kernel(r2 / DETAIL_SCALE**2)
        slope /= DETAIL_SCALE**2
        return self.kernel(r2), (detail, slope)


KERNELS: dict[str, Kernel] = {"matern52": matern52, "se": squared_exponential}


def squared_distances(A: FloatArray, B: FloatArray) -> FloatArray:
    """Squared Euclidean distances (..., n, m) between rows of A (..., n, d) and B (..., m, d)."""
    norms_a, norms_b = np.einsum("...ij,...ij->...i", A, A), np.einsum("...ij,...ij->...i", B, B)
    r2: FloatArray = A @ np.swapaxes(B, -1, -2)
    r2 *= -2.0
    r2 += norms_a[..., :, None]
    r2 += norms_b[..., None, :]
    return np.maximum(r2, 0.0, out=r2)
