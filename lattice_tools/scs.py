"""Successive coordinate search (SCS): change one component at a time, each to its best value.

Lyu (2017), "Spherical structured feature maps for kernel approximation". It is the inner search of
Algorithm 7 of Lyu, Yuan and Tsang, and the third row of their Tables 1-3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lattice_tools._folded import IntArray, SquareArray, fold
from lattice_tools._interrupt import keeps_best
from lattice_tools._kernels import compiled, coordinate
from lattice_tools._search import (
    Found,
    Measure,
    Progress,
    best_of,
    blocks_of,
    found_lattice,
    search_size,
)
from lattice_tools.lattice import Rank1Lattice, positive_integer

#: How many of the shortest points bound a step from above. More points give a tighter bound and
#: cost more: from 8 to 16 the time of a search is flat, 48 take up to three times as long.
_N_BINDING = 12
#: How many values are verified together.
_N_VERIFIED = 4


@keeps_best
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
    """Return the widest lattice that successive coordinate search finds from random starts.

    The widest lattice is the one with the largest minimum distance on the torus. The search sets
    one component of the base vector after the other to the value with the largest minimum
    distance, given all other components. The first component is always 1.

    Args:
        n_points: The number of points N.
        dim: The dimension d.
        n_sweeps: The largest number of passes over all components from each start. A pass that
            changes nothing is the last one. Lyu, Yuan and Tsang use 150.
        units_only: Restrict components to units modulo N, gcd(b_j, N) = 1, so that every
            coordinate takes N different values. Row "SCS" in the tables of Lyu, Yuan and Tsang has
            this restriction; for N = 3000 no such lattice has a minimum distance above
            sqrt(d) / 6.
        n_restarts: The number of random starts.
        seed: Seed of the random starts.
        jobs: The number of processes. The result depends on it only if a budget ends the search.
        budget: Seconds after which the best lattice so far is returned.
        progress: Called with the share, from 0 to 1, of the work that is done.

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
    found = best_of(worker, blocks_of(starts, 1), jobs=jobs, budget=budget, progress=progress)
    return found_lattice(N, found)


@dataclass
class CoordinateSearch(Measure):
    """A worker that improves each start vector by successive coordinate search.

    It is a callable that maps start vectors (k, d) to the best result from them.

    Attributes:
        n_points: The number of points N.
        dim: The dimension d.
        n_sweeps: The largest number of passes over the components.
        units_only: Restrict components to units modulo N (numbers without a common factor with N).
        first_free: Index of the first component that may change. With 1, the first component keeps
            its value: b_1 = 1 is the normal form of Lyu, Yuan and Tsang, in which coordinate 1
            takes N values.
        deadline: Time in seconds since the epoch after which the best result so far is returned.
    """

    n_sweeps: int
    units_only: bool = False
    first_free: int = 1

    @cached_property
    def values(self) -> IntArray:
        """The values (m,) from 0 to N // 2 that a component may take, ascending.

        A value v stands for N - v, too, because both give the same distances.
        """
        values: IntArray = np.arange(self.n_points // 2 + 1, dtype=np.int64)
        allowed = np.gcd(values, self.n_points) == 1 if self.units_only else values > 0
        return values[allowed]

    @cached_property
    def _forbidden(self) -> NDArray[np.bool_]:
        forbidden = np.ones(self.n_points // 2 + 1, dtype=np.bool_)
        forbidden[self.values] = False
        return forbidden

    def improve(self, start: IntArray) -> Found:
        """Pass over the components of ``start`` (d,) until a pass gains nothing or time is up.

        The result is the squared minimum distance, times N², and its base vector (d,).
        """
        b = fold(start, self.n_points)
        S = self.squares.lengths(b)
        squared = int(S.min())
        kernel = compiled(coordinate.search_components, self.seconds_per_pass)
        step = self._steps_at_once if kernel is not None else 1
        for _ in range(self.n_sweeps):
            before = squared
            for j in range(self.first_free, self.dim, step):
                if kernel is not None:
                    end = min(j + step, self.dim)
                    table = self.squares.table
                    squared = int(
                        kernel(table, self.n_points, b, S, squared, self._forbidden, j, end)
                    )
                else:
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

    @property
    def work_per_pass(self) -> int:
        """The work of one pass over all components, in units of about 20 ns (3 ns with numba)."""
        per_step = self.n_points // 2 + 500
        # Without a table each row is computed anew, which takes some forty times as long.
        return self.dim * per_step * (40 if self.squares.table.size == 0 else 1)

    @property
    def seconds_per_pass(self) -> float:
        """Rough seconds of one pass over all components without numba."""
        return 2e-8 * self.work_per_pass

    @property
    def _steps_at_once(self) -> int:
        """Components that the compiled step handles before the clock is looked at."""
        return max(1, 2**20 // (self.n_points // 2 + 1))

    def _best_value(self, R: SquareArray, current: int) -> tuple[int | None, int]:
        """Find the value v of a component with the largest min_i (R_i + c[i, v]).

        Here c[i, v] = min(i v mod N, N - i v mod N)². Only a few points can be the shortest: those
        with the smallest R, the squared lengths without the component. Their minimum bounds every
        v from above; v are then verified from the best bound down until no bound is left above
        what was verified. The result is that of an exhaustive search: the smallest v of those that
        are best.

        Args:
            R: Squared lengths (H + 1,), times N², of points 0, ..., H = N // 2 without the
                component.
            current: The squared minimum distance, times N², to exceed.

        Returns:
            The value and its squared minimum distance, times N²; None and ``current`` if no value
            exceeds ``current``.
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
