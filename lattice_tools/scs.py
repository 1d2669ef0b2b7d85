"""Successive coordinate search (SCS): change one component at a time, each to its best value.

Lyu (2017), "Spherical structured feature maps for kernel approximation"; the inner search of the
paper's Algorithm 7 and the third row of its Tables 1-3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lattice_tools._folded import IntArray, SquareArray, fold
from lattice_tools._search import Found, Measure, Progress, best_of, blocks_of, search_size
from lattice_tools.lattice import Rank1Lattice, positive_integer

#: How many of the shortest points bound a step from above. More make the bound tighter, fewer
#: make it cheaper; from 8 to 16 the time of a search is flat, 48 take up to three times as long.
_N_BINDING = 12
#: How many values are verified at once.
_N_VERIFIED = 4


def scs(
    n_points: int,
    dim: int,
    *,
    n_sweeps: int = 150,
    units_only: bool = False,
    n_restarts: int = 10,
    seed: int = 0,
    jobs: int = 1,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """The best lattice that successive coordinate search finds from random starts.

    Args:
        n_points: N.
        dim: d.
        n_sweeps: The largest number of passes over all components (the paper's T = 150); a pass
            that changes nothing ends the search.
        units_only: Restrict components to units modulo N, gcd(b_j, N) = 1. This is the paper's
            row "SCS": for N = 3000 no such lattice is wider than sqrt(d) / 6.
        n_restarts: The number of random starts.
        seed: Of the random starts.
        jobs: The number of processes; the result does not depend on it.
        budget: Seconds after which the best so far is returned.
        progress: Told the share that is done.

    Example:
        >>> round(scs(1000, 50, units_only=True, n_restarts=1).min_distance, 4)  # the paper's
        1.5811
    """
    N, d = search_size(n_points, dim)
    n_sweeps = positive_integer("n_sweeps", n_sweeps)
    worker = CoordinateSearch(N, d, n_sweeps=n_sweeps, units_only=units_only)
    size = (positive_integer("n_restarts", n_restarts), d)
    starts = np.random.default_rng(seed).choice(worker.values, size=size)
    starts[:, 0] = 1
    _, b = best_of(worker, blocks_of(starts, 1), jobs=jobs, budget=budget, progress=progress)
    return Rank1Lattice(N, tuple(b))


@dataclass
class CoordinateSearch(Measure):
    """A worker that improves each start vector by successive coordinate search.

    Attributes:
        n_points: N.
        dim: d.
        n_sweeps: The largest number of passes.
        units_only: Restrict components to units modulo N.
        first_free: The first component that may change. From 1 on the first stays as it is: with
            b_1 = 1 the points project to N distinct values, the paper's normal form.
        deadline: See `Measure`.
    """

    n_sweeps: int
    units_only: bool = False
    first_free: int = 1

    @cached_property
    def values(self) -> IntArray:
        """The folded values that a component may take."""
        values: IntArray = np.arange(self.n_points // 2 + 1, dtype=np.int64)
        allowed = np.gcd(values, self.n_points) == 1 if self.units_only else values > 0
        return values[allowed]

    @cached_property
    def _forbidden(self) -> NDArray[np.bool_]:
        forbidden = np.ones(self.n_points // 2 + 1, dtype=np.bool_)
        forbidden[self.values] = False
        return forbidden

    def improve(self, start: IntArray) -> Found:
        """Passes over the components of ``start`` (d,) until one changes nothing."""
        b = fold(start, self.n_points)
        S = self.squares.lengths(b)
        squared = int(S.min())
        for _ in range(self.n_sweeps):
            before = squared
            for j in range(self.first_free, self.dim):
                R = S - self.squares.rows(b[j : j + 1])[0]
                value, squared = self._best_value(R, squared)
                if value is not None:
                    b[j] = value
                    S = R + self.squares.rows(b[j : j + 1])[0]
                if self.is_late():
                    return squared, b
            if squared == before:
                break
        return squared, b

    def _best_value(self, R: SquareArray, current: int) -> tuple[int | None, int]:
        """The value v of one component with the largest min_i (R_i + c[i, v]) above ``current``.

        Only a few points can be the shortest: those with the smallest R, the squared lengths
        without the component. Their minimum bounds every v from above; v are then verified
        from the best bound down until no bound is left above what was verified. This is exactly
        the exhaustive step: the smallest v of those that are best, or none.

        Args:
            R: Squared lengths (H + 1,) of all points without the component.
            current: The squared minimum distance to pass.

        Returns:
            The value (None: there is none) and the squared minimum distance with it.
        """
        k = min(_N_BINDING, len(R))
        binding = np.argpartition(R, k - 1)[:k]
        bound = self.squares.lowest(binding, R)
        bound[self._forbidden] = -1
        candidates = (bound > current).nonzero()[0]
        candidates = candidates[(-bound[candidates]).argsort(kind="stable")]
        best_value, best = None, current
        for start in range(0, len(candidates), _N_VERIFIED):
            block = candidates[start : start + _N_VERIFIED]
            if bound[block[0]] < best:
                break
            exact = (self.squares.rows(block) + R).min(axis=1)
            for v, squared in zip(block.tolist(), exact.tolist(), strict=True):
                tie = best_value is not None and squared == best and v < best_value
                if squared > best or tie:
                    best_value, best = v, squared
        return best_value, best
