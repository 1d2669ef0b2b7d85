"""Squared torus lengths of multiples modulo N, folded by symmetry: the engine of every search.

On the torus v and N - v are equally long, and so are the points i and N - i. With H = N // 2 all
lengths are therefore found in the symmetric table

    c[i, v] = min(i v mod N, N - i v mod N)^2,   0 <= i, v <= H,

and a lattice with base vector b has the squared minimum distance min_{i >= 1} sum_j c[i, b_j],
an exact integer. A table of at most `TABLE_BYTES` is kept. The rows of a larger one are computed
when they are needed, which takes O(N) memory and gives the same integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: The largest table that is kept: N = 11,584 with 32 bits.
TABLE_BYTES = 128 * 2**20

#: Memory of the rows that are computed or summed together.
_CHUNK_BYTES = 4 * 2**20

IntArray = NDArray[np.int64]
#: int32 where all sums of squares fit, int64 elsewhere.
SquareArray = NDArray[np.signedinteger]


def fold(base_vector: NDArray[np.integer], n_points: int) -> IntArray:
    """Each component v (..., d) replaced by the smaller of v mod N and N - v mod N."""
    v = np.asarray(base_vector, dtype=np.int64) % n_points
    return np.minimum(v, n_points - v)


class FoldedSquares:
    """Table of the squared lengths c[i, v] = min(i v mod N, N - i v mod N)², for one N.

    The indices i and v run from 0 to H = N // 2; the table is symmetric. Sums of its rows are the
    squared lengths, times N², of the points of a lattice.

    Args:
        n_points: The number of points N.
        dim: The largest number of coordinates that will be summed; it decides between 32 and 64
            bits.
        table_bytes: The largest table, in bytes, that is kept in memory. Rows of a larger one are
            computed when they are needed.
    """

    def __init__(self, n_points: int, dim: int, table_bytes: int = TABLE_BYTES) -> None:
        self.n_points = n_points
        self.half = n_points // 2
        largest_sum = (dim + 1) * self.half**2
        self.dtype: type[np.signedinteger] = np.int32 if largest_sum < 2**31 else np.int64
        self._n_rows = max(1, _CHUNK_BYTES // (8 * (self.half + 1)))
        # Products are below 2^32 for N < 131,072, where unsigned division is six times faster.
        self._index: NDArray[np.integer] = np.arange(
            self.half + 1, dtype=np.uint32 if self.half**2 < 2**32 else np.int64
        )
        n_bytes = (self.half + 1) ** 2 * np.dtype(self.dtype).itemsize
        self._table = self._computed_rows(self._index) if n_bytes <= table_bytes else None

    @property
    def table(self) -> SquareArray:
        """The table (H + 1, H + 1), or an array (0, 0) if it is too large to be kept."""
        if self._table is None:
            return np.empty((0, 0), dtype=self.dtype)
        return self._table

    def rows(self, v: NDArray[np.integer]) -> SquareArray:
        """Rows c[v] as an array (len(v), H + 1). The table is symmetric: rows are columns."""
        if self._table is not None:
            taken: SquareArray = self._table[v]
            return taken
        return self._computed_rows(v)

    def lengths(self, base: IntArray) -> SquareArray:
        """Return the squared torus lengths (H + 1,), times N², of points 0, ..., H of a lattice.

        Entry 0, the origin, is set so high that it never is the minimum.

        Args:
            base: Base vector (d,), folded: with components from 0 to H = N // 2.
        """
        total: SquareArray = np.zeros(self.half + 1, dtype=self.dtype)
        for start in range(0, len(base), self._n_rows):
            total += self.rows(base[start : start + self._n_rows]).sum(axis=0, dtype=self.dtype)
        # Every true length is at most d H^2; one H^2 is left so that no later sum overflows.
        total[0] = np.iinfo(self.dtype).max - self.half**2
        return total

    def lowest(self, i: NDArray[np.integer], R: SquareArray) -> SquareArray:
        """Return the minimum over some points i (k,) of R_i + c[i, v], for every v (H + 1,).

        R (H + 1,) are squared lengths, times N², of the points 0, ..., H without one component.
        The entry of point 0 is the huge one of `lengths`, so that ``i`` may contain 0.
        """
        lowest: SquareArray | None = None
        for start in range(0, len(i), self._n_rows):
            block = i[start : start + self._n_rows]
            low: SquareArray = (self.rows(block) + R[block, None]).min(axis=0)
            lowest = low if lowest is None else np.minimum(lowest, low)
        if lowest is None:
            raise ValueError("`i` must name at least one point.")
        return lowest

    def _computed_rows(self, v: NDArray[np.integer]) -> SquareArray:
        out: SquareArray = np.empty((len(v), self.half + 1), dtype=self.dtype)
        N = np.asarray(self.n_points, dtype=self._index.dtype)
        for start in range(0, len(v), self._n_rows):
            block = v[start : start + self._n_rows].astype(self._index.dtype)
            r = np.multiply.outer(block, self._index)
            r -= r // N * N  # The remainder: numpy's division is faster than its modulo.
            np.minimum(r, N - r, out=r)
            r *= r
            out[start : start + self._n_rows] = r
        return out
