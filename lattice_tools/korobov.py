"""Lattices in Korobov's form: the powers of one multiplier.

They are the second row of Tables 1-3 of Lyu, Yuan and Tsang.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lattice_tools._folded import IntArray, fold
from lattice_tools._interrupt import keeps_best
from lattice_tools._search import (
    Block,
    Found,
    Measure,
    Progress,
    best_of,
    found_lattice,
    search_size,
)
from lattice_tools._shortest import compiled_lengths
from lattice_tools.lattice import Rank1Lattice

#: Multipliers handed to a worker at once; fewer in many dimensions.
_CHUNK = 4096
#: Points of each lattice, the first ones, that bound its minimum distance from above.
_N_SCREENED = 32


@keeps_best
def korobov(
    n_points: int,
    dim: int,
    *,
    units_only: bool = False,
    jobs: int = 1,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """Return the best of the base vectors (1, a, a², ..., a^(d-1)) mod N over all multipliers a.

    The best lattice is the one with the largest minimum distance on the torus; of several such
    lattices, the one with the smallest a.

    Args:
        n_points: The number of points N.
        dim: The dimension d.
        units_only: Try only multipliers that are units modulo N (numbers without a common factor
            with N), so that every coordinate takes N values.
        jobs: The number of processes. The result depends on it only if a budget ends the search.
        budget: Seconds after which the best lattice so far is returned.
        progress: Called with the share, from 0 to 1, of the work that is done.

    Example:
        >>> korobov(1000, 3).base_vector
        (1, 306, 636)
    """
    N, d = search_size(n_points, dim)
    blocks = _power_vectors(N, d, units_only)
    found = best_of(Screened(N, d), blocks, jobs=jobs, budget=budget, progress=progress)
    return found_lattice(N, found)


@dataclass
class Screened(Measure):
    """A worker that skips base vectors whose first points show that they cannot be the best."""

    def __call__(self, starts: IntArray) -> Found:
        """Return the one of the base vectors ``starts`` (k, d) with the largest minimum distance.

        The result is the squared distance, times N², and the vector (d,); the first of equals.
        """
        N = self.n_points
        lengths = compiled_lengths(N, starts)
        if lengths is not None and lengths.min() >= 0:
            first = int(lengths.argmax())
            return int(lengths[first]), starts[first]
        bound = np.full(len(starts), np.iinfo(np.int64).max)
        for i in range(1, min(_N_SCREENED, N // 2) + 1):
            bound = np.minimum(bound, (fold(i * starts, N) ** 2).sum(axis=1))
        best, at = -1, 0
        for k in np.argsort(-bound, kind="stable").tolist():
            if bound[k] < best or (best >= 0 and self.is_late()):
                break
            squared = self.squared_length(starts[k])
            if squared > best or (squared == best and k < at):
                best, at = squared, k
        return best, starts[at]


def _power_vectors(N: int, d: int, units_only: bool) -> Iterator[Block]:
    # N - a only flips signs of a's components, so multipliers up to N // 2 are all there are.
    H = N // 2
    size = max(1, min(_CHUNK, 2**18 // d))
    for first in range(1, H + 1, size):
        a = np.arange(first, min(first + size, H + 1), dtype=np.int64)
        if units_only:
            a = a[np.gcd(a, N) == 1]
        b = np.ones((len(a), d), dtype=np.int64)
        for j in range(1, d):
            b[:, j] = b[:, j - 1] * a % N
        if len(a):
            yield int(a[-1]) / H, b
