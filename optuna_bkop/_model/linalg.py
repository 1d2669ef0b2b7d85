"""Cholesky factors and triangular solves, straight from LAPACK to save overhead."""

from __future__ import annotations

import numpy as np

from optuna_bkop._arrays import FloatArray

#: First jitter that is tried, relative to the prior variance. Each failure multiplies it by ten.
#: It lies a little above rounding errors of kernel matrices with a few hundred rows.
_FIRST_JITTER = 1e-10
#: Smallest squared pivot of a factor, relative to the prior variance. Below it, posterior
#: deviations would consist of rounding errors.
_SMALLEST_PIVOT = 1e-13


def cholesky(K: FloatArray, noise_var: float, signal_var: float) -> FloatArray:
    """Return the lower Cholesky factor (n, n) of K + noise_var I, with as little jitter as needed.

    Jitter is a small number that is added to the diagonal if the matrix has no factor.

    Args:
        K: Symmetric matrix (n, n).
        noise_var: Noise variance, added to the diagonal.
        signal_var: Prior variance, the scale of the jitter.

    Raises:
        numpy.linalg.LinAlgError: If even a jitter as large as the signal variance is too small.
    """
    from scipy.linalg.lapack import dpotrf

    diagonal = np.diag_indices_from(K)
    jitter = 0.0
    while jitter <= signal_var:
        shifted = K.copy()
        shifted[diagonal] += noise_var + jitter
        L, info = dpotrf(shifted, lower=1, clean=1, overwrite_a=1)
        if info == 0 and L[diagonal].min() ** 2 > _SMALLEST_PIVOT * signal_var:
            factor: FloatArray = L
            return factor
        jitter = max(10.0 * jitter, _FIRST_JITTER * signal_var)
    raise np.linalg.LinAlgError("The kernel matrix has no Cholesky factor at any jitter.")


def solve_lower(L: FloatArray, B: FloatArray) -> FloatArray:
    """Return L⁻¹ B by forward substitution, for a lower triangular L (n, n) and B (n, m)."""
    from scipy.linalg.lapack import dtrtrs

    solution: FloatArray = dtrtrs(L, B, lower=1)[0]
    return solution


def invert_lower(L: FloatArray) -> FloatArray:
    """Return the inverse (n, n) of a lower triangular L (n, n)."""
    from scipy.linalg.lapack import dtrtri

    inverse: FloatArray = dtrtri(L, lower=1)[0]
    return inverse


def cho_solve(L: FloatArray, B: FloatArray) -> FloatArray:
    """Return (L L')⁻¹ B by two substitutions, for B (n,) or (n, m)."""
    from scipy.linalg.lapack import dpotrs

    solution: FloatArray = dpotrs(L, B, lower=1)[0]
    return solution if B.ndim == 2 else solution.reshape(-1)
