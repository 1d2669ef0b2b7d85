"""Exact minimum distances by the shortest lattice vector instead of a scan of all points.

The points of a rank-1 lattice, times N, and all integer translations by N form a lattice in Z^d.
While the minimum distance on the torus is below 1, it is the length of the shortest non-zero
vector, divided by N. Otherwise the shortest vector is a translation, and only a scan of the points
gives the minimum distance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lattice_tools._kernels import compiled, shortest

IntArray = NDArray[np.int64]

#: In more dimensions the enumeration may take long, and the scan is used.
MAX_DIM = 20
#: Beyond this N the floating point of the reduction is not trusted.
MAX_POINTS = 2**31


def seconds_plain(dim: int) -> float:
    """Rough seconds to find one shortest vector in plain Python: 1e-4 at d=4, 3e-3 at d=10."""
    return 3e-6 * dim**3


def seconds_scan(n_points: int, dim: int) -> float:
    """Rough seconds of one scan of all points: 0.02 at N=10^6, d=6."""
    return 3e-5 + 2e-9 * n_points * (dim + 4)


def is_faster(n_points: int, dim: int) -> bool:
    """Whether a shortest vector in plain Python is likely to be found faster than by a scan."""
    return (
        dim <= MAX_DIM
        and n_points <= MAX_POINTS
        # A minimum distance near 1 makes the enumeration long, and a scan necessary beyond it.
        and n_points > 2.0**dim
        and seconds_plain(dim) < seconds_scan(n_points, dim)
    )


def compiled_lengths(n_points: int, vectors: IntArray) -> IntArray | None:
    """Return squared minimum distances, times N², of base vectors (k, d), by the compiled kernel.

    Only the first of the largest values is sure to be exact; the others are upper bounds that are
    no larger than it. That suffices to find the lattice with the largest minimum distance.

    Args:
        n_points: The number of points N.
        vectors: Base vectors (k, d) with components in [0, N).

    Returns:
        Integers (k,), with -1 where the distance is not below 1. None if d is above 12, if N is
        below 2^d or above 2^31, or if numba is missing or not yet worth loading.
    """
    k, d = vectors.shape
    if d > 12 or n_points > MAX_POINTS or n_points < 2**d:
        return None
    if compiled(shortest.squared_lengths, k * min(1e-4, seconds_plain(d))) is None:
        return None
    return squared_lengths(n_points, vectors, enough=0)


def squared_lengths(n_points: int, vectors: IntArray, enough: int = -1) -> IntArray:
    """Return squared minimum distances, times N², of base vectors (k, d).

    Args:
        n_points: The number of points N.
        vectors: Base vectors (k, d) with components in [0, N).
        enough: Squared distances, times N², up to this one need not be exact: the value is then an
            upper bound that is at most ``enough``. It rises to the largest value so far, so that
            the first largest value is always exact.

    Returns:
        Integers (k,); 0 where two points coincide, and -1 where the distance is not below 1 or the
        reduction of the basis fails, which needs a scan of the points.
    """
    k, d = vectors.shape
    kernel = compiled(shortest.squared_lengths, k * seconds_plain(d))
    if kernel is not None:
        out = np.empty(k, dtype=np.int64)
        integers = np.empty((3, d), dtype=np.int64)
        B = np.empty((d, d), dtype=np.int64)
        mu, r, c = np.zeros((d, d)), np.zeros(d), np.zeros(2 * d + 1)
        kernel(n_points, vectors, enough, out, integers[0], B, mu, r, integers[1], c, integers[2])
        return out
    values = [0] * k
    shortest.squared_lengths(
        n_points,
        vectors.tolist(),
        enough,
        values,
        [0] * d,
        [[0] * d for _ in range(d)],
        [[0.0] * d for _ in range(d)],
        [0.0] * d,
        [0] * d,
        [0.0] * (2 * d + 1),
        [0] * d,
    )
    return np.array(values, dtype=np.int64)
