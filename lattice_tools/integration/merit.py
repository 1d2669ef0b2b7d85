"""P_alpha: the squared worst-case error of a point set in a weighted space of periodic functions.

With product weights gamma_1, gamma_2, ... and alpha 2, 4 or 6

    P_alpha = -1 + mean_k prod_j (1 + gamma_j omega(x_kj)),
    omega(x) = sum_{h != 0} e^(2 pi i h x) / |h|^alpha,

over the points x_k of a lattice; omega is a Bernoulli polynomial up to a factor. The square root
of P_alpha is the largest error of the lattice in integrating a function of unit norm in the space
with smoothness alpha / 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lattice_tools.lattice import Rank1Lattice

FloatArray = NDArray[np.float64]

#: Bernoulli polynomials B_alpha by increasing powers of x.
_BERNOULLI = {
    2: (1 / 6, -1.0, 1.0),
    4: (-1 / 30, 0.0, 1.0, -2.0, 1.0),
    6: (1 / 42, 0.0, -1 / 2, 0.0, 5 / 2, -3.0, 1.0),
}
#: Points handled at once.
_CHUNK = 1 << 14


def p_alpha(
    lattice: Rank1Lattice, *, alpha: int = 2, weights: Sequence[float] | None = None
) -> float:
    """Return P_alpha of a rank-1 lattice, in O(N d).

    P_alpha is the squared worst-case error of integrating periodic functions with the lattice.

    Args:
        lattice: The lattice.
        alpha: Smoothness of the functions: 2, 4 or 6.
        weights: Product weights gamma_j >= 0, at least d of them; 1 / j² by default.

    Example:
        >>> round(p_alpha(Rank1Lattice(5, (1, 2))), 4)
        0.6676
    """
    gamma = checked_weights(weights, lattice.dim)
    total = 0.0
    for start in range(0, lattice.n_points, _CHUNK):
        n = min(_CHUNK, lattice.n_points - start)
        X = lattice.sequence(start, n)
        total += float(np.prod(1 + gamma * omega(X, alpha), axis=1).sum())
    return total / lattice.n_points - 1


def p_alpha_of_points(
    points: ArrayLike, *, alpha: int = 2, weights: Sequence[float] | None = None
) -> float:
    """Return P_alpha of any points (n, d) with equal weights 1/n, in O(n² d).

    P_alpha is the squared worst-case error of integrating periodic functions with the points. It
    is the mean, over all pairs of points, of the product prod_j (1 + gamma_j omega(x_j)) at their
    difference x, minus 1. For a lattice it equals `p_alpha`.

    Args:
        points: Array (n, d) in [0, 1].
        alpha: Smoothness of the functions: 2, 4 or 6.
        weights: Product weights gamma_j >= 0, at least d of them; 1 / j² by default.

    Example:
        >>> from lattice_tools import korobov
        >>> lattice = korobov(53, 2)
        >>> abs(p_alpha_of_points(lattice.points()) - p_alpha(lattice)) < 1e-9
        True
    """
    X = np.asarray(points, dtype=np.float64)
    n, d = X.shape
    gamma = checked_weights(weights, d)
    total = 0.0
    step = max(1, 2**22 // (n * d))
    for start in range(0, n, step):
        differences = (X[start : start + step, None] - X[None]) % 1.0
        total += float(np.prod(1 + gamma * omega(differences, alpha), axis=-1).sum())
    return float(total / n**2 - 1)


def omega(x: FloatArray, alpha: int) -> FloatArray:
    """The sum over h != 0 of e^(2 pi i h x) / |h|^alpha, elementwise for x (...,) in [0, 1].

    Raises:
        ValueError: ``alpha`` is not 2, 4 or 6.
    """
    if alpha not in _BERNOULLI:
        choices = ", ".join(map(str, _BERNOULLI))
        raise ValueError(f"`alpha` must be one of {choices}, got {alpha!r}.")
    factor = (2 * math.pi) ** alpha * (-1) ** (alpha // 2 + 1) / math.factorial(alpha)
    value: FloatArray = factor * np.polynomial.polynomial.polyval(x, _BERNOULLI[alpha])
    return value


def checked_weights(weights: Sequence[float] | None, dim: int) -> FloatArray:
    """Return the first ``dim`` product weights as an array (d,).

    Args:
        weights: At least ``dim`` weights; None for 1 / j², j = 1, ..., d.
        dim: The dimension d.

    Raises:
        ValueError: There are fewer than ``dim`` weights, or one is negative or not finite.
    """
    if weights is None:
        return 1.0 / np.arange(1, dim + 1) ** 2
    gamma = np.asarray(weights, dtype=np.float64)
    if gamma.ndim != 1 or len(gamma) < dim:
        raise ValueError(f"`weights` must hold at least {dim} numbers, got {gamma.size}.")
    if not np.all(gamma >= 0) or not np.all(np.isfinite(gamma)):
        raise ValueError(f"`weights` must be non-negative and finite, got {weights!r}.")
    return gamma[:dim]
