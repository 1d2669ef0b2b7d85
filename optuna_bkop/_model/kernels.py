"""Stationary kernels as functions of the scaled squared distance.

With r² = Σ_j ((x_j - z_j) / ℓ_j)², a kernel returns k(r²) and its derivative dk/d(r²), both
elementwise. Each kernel has k(0) = 1, as the paper's theorems require, and a finite derivative
at 0, so that gradients need no special case where points coincide.

To add a kernel, write a function with the signature of `Kernel` and add it to `KERNELS`.
"""

from __future__ import annotations

from collections.abc import Callable

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


KERNELS: dict[str, Kernel] = {"matern52": matern52, "se": squared_exponential}


def squared_distances(A: FloatArray, B: FloatArray) -> FloatArray:
    """Squared Euclidean distances (..., n, m) between rows of A (..., n, d) and B (..., m, d)."""
    norms_a, norms_b = np.einsum("...ij,...ij->...i", A, A), np.einsum("...ij,...ij->...i", B, B)
    r2: FloatArray = A @ np.swapaxes(B, -1, -2)
    r2 *= -2.0
    r2 += norms_a[..., :, None]
    r2 += norms_b[..., None, :]
    return np.maximum(r2, 0.0, out=r2)
