"""Squared torus lengths of multiples modulo N, folded by symmetry: the engine of every search.

On the torus v and N - v are equally long, and so are the points i and N - i. With H = N // 2 all
lengths are therefore found in the symmetric table

    c[i, v] = min(i v mod N, N - i v mod N)^2,   0 <= i, v <= H,

and a lattice with base vector b has the squared minimum distance min_{i >= 1} sum_j c[i, b_j],
an exact integer. Up to `TABLE_BYTES` the table is kept; beyond, its rows are computed when asked
for, which needs O(N) memory and gives the same integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: The largest table that is kept (N = 11,584 or so); larger N are computed row by row.
TABLE_BYTES = 128 * 2**20

#: Rows summed at once by `lengths`, to bound its memory.
_ROWS = 64

IntArray = NDArray[np.int64]
#: int32 where all sums of squares fit, int64 elsewhere.
SquareArray = NDArray[np.signedinteger]


def fold(base_vector: NDArray[np.integer], n_points: int) -> IntArray:
    """Each component v (..., d) replaced by the smaller of v mod N and N - v mod N."""
    v = np.asarray(base_vector, dtype=np.int64) % n_points
    return np.minimum(v, n_points - v)


class FoldedSquares:
    """The table c of one N, as far as sums over ``dim`` coordinates need it.

    Args:
        n_points: N.
        dim: The largest number of coordinates that will be summed; it decides the integer type.
        table_bytes: The size up to which the table is kept.
    """

    def __init__(self, n_points: int, dim: int, table_bytes: int = TABLE_BYTES) -> None:
        self.n_points = n_points
        self.half = n_points // 2
        largest_sum = (dim + 1) * self.half**2
        self.dtype: type[np.signedinteger] = np.int32 if largest_sum < 2**31 else np.int64
        self.index = np.arange(self.half + 1, dtype=np.int64)
        n_bytes = (self.half + 1) ** 2 * np.dtype(self.dtype).itemsize
        self._table = self._computed_rows(self.index) if n_bytes <= table_bytes else None

    def rows(self, v: NDArray[np.integer]) -> SquareArray:
        """Rows c[v] as an array (len(v), H + 1). The table is symmetric: rows are columns."""
        if self._table is not None:
            taken: SquareArray = self._table[v]
            return taken
        return self._computed_rows(np.asarray(v, dtype=np.int64))

    def lengths(self, base: IntArray) -> SquareArray:
        """Squared lengths (H + 1,) of the points of a folded base vector (d,).

        Entry 0, the origin, is set so high that it never is the minimum.
        """
        total: SquareArray = np.zeros(self.half + 1, dtype=self.dtype)
        for start in range(0, len(base), _ROWS):
            total += self.rows(base[start : start + _ROWS]).sum(axis=0, dtype=self.dtype)
        # Every true length is at most d H^2; one H^2 is left so that no later sum overflows.
        total[0] = np.iinfo(self.dtype).max - self.half**2
        return total

    def _computed_rows(self, v: IntArray) -> SquareArray:
        out: SquareArray = np.empty((len(v), self.half + 1), dtype=self.dtype)
        for start in range(0, len(v), _ROWS):
            product = np.multiply.outer(v[start : start + _ROWS], self.index)
            product %= self.n_points
            np.minimum(product, self.n_points - product, out=product)
            out[start : start + _ROWS] = product * product
        return out
