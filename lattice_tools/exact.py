"""The widest rank-1 lattice of a small size, by an exhaustive search that proves it.

A lattice is wider than another of the same size (N, d) if its minimum distance on the torus is
larger. Base vectors that differ by the order or the signs of their components, or by a unit modulo
N as a common factor, have the same minimum distance. The search visits one vector of each such
class, or a few. It skips all vectors with the same first components as soon as it is clear that
none of them has a larger minimum distance than the best so far.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lattice_tools._folded import IntArray
from lattice_tools._interrupt import keeps_best
from lattice_tools._kernels import compiled, exhaustive
from lattice_tools._primes import divisors
from lattice_tools._search import (
    Found,
    Measure,
    Progress,
    check_budget,
    found_lattice,
    search_size,
)
from lattice_tools.lattice import Rank1Lattice
from lattice_tools.scs import CoordinateSearch

#: The largest N: the search needs the whole table of squared lengths, 200 MB at this N.
MAX_POINTS = 14_000
#: Random starts of coordinate search that give the first value to pass.
_N_STARTS = 20


@keeps_best
def exact(
    n_points: int,
    dim: int,
    *,
    units_only: bool = False,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """Find the widest lattice of all, proved by an exhaustive search.

    The widest lattice is the one with the largest minimum distance of two points on the torus.
    With the extra ``fast`` the search takes about half a second for N = 1009 in four dimensions
    and for N = 101 in seven.

    Args:
        n_points: The number of points N, at most 14,000.
        dim: The dimension d.
        units_only: Restrict components to units modulo N, that is, to numbers without a common
            factor with N. The result is the widest lattice of this kind, and ``is_optimal`` stays
            False, because other lattices may be wider.
        budget: Seconds after which the best lattice so far is returned, without a proof.
        progress: Called with the share, from 0 to 1, of the work that is done.

    Returns:
        The lattice. Its ``is_optimal`` is True unless the search was cut short or restricted to
        units.

    Example:
        >>> lattice = exact(20, 3)
        >>> lattice.base_vector, lattice.is_optimal
        ((2, 5, 6), True)
    """
    N, d = search_size(n_points, dim)
    if N > MAX_POINTS:
        raise ValueError(f"`n_points` of method 'exact' must be at most {MAX_POINTS}, got {N}.")
    check_budget(budget)
    deadline = math.inf if budget is None else time.time() + budget
    search = Exhaustive(N, d, units_only=units_only, deadline=deadline)
    found, is_proved = search.run(progress)
    if progress is not None:
        progress(1.0)
    return found_lattice(N, found, is_optimal=is_proved and not units_only)


def estimated_work(n_points: int, dim: int) -> float:
    """Rough work of `exact`, in the units of `CoordinateSearch.work_per_pass`."""
    H = n_points // 2
    # One coordinate step for each choice of the components but the first and the last.
    return math.comb(max(H, 1) + max(dim - 3, 0), max(dim - 2, 0)) * (H + 500) / max(1, dim - 1)


@dataclass
class Exhaustive(Measure):
    """Search for the lattice with the largest minimum distance among all base vectors.

    Attributes:
        n_points: The number of points N.
        dim: The dimension d.
        deadline: Time in seconds since the epoch after which the search ends without a proof.
        units_only: Restrict components to units modulo N (numbers without a common factor with N).
    """

    units_only: bool = dataclasses.field(default=False, kw_only=True)

    def run(self, progress: Progress | None = None) -> tuple[Found, bool]:
        """Return the best result, and whether it is proved to be the best.

        The result is the largest squared minimum distance, times N², with its base vector (d,).
        There is no proof if the deadline or Ctrl-C ended the search. ``progress`` is called with
        the share of the work, from 0 to 1, that is done.
        """
        first = self._first()
        # One less, so that the first of the best vectors in the order of the search is found.
        best, vector = first[0] - 1, first[1]
        prefixes = list(self._prefixes())
        is_proved = True
        for k, (prefix, values, least_ratio) in enumerate(prefixes):
            found = np.zeros(self.dim, dtype=np.int64)
            before = best
            best = self._search_below(prefix, values, least_ratio, best, found)
            if best > before:
                vector = found
            if progress is not None:
                progress((k + 1) / len(prefixes))
            if self.is_late():
                is_proved = False
                break
        return max((best, vector), first, key=lambda found: found[0]), is_proved

    def _first(self) -> Found:
        """Return a good lattice from a quick search.

        The result is the squared minimum distance, times N², and its base vector (d,). The
        exhaustive search skips vectors that cannot exceed this distance.
        """
        worker = CoordinateSearch(
            self.n_points,
            self.dim,
            n_sweeps=20,
            units_only=self.units_only,
            first_free=0,
            deadline=self.deadline,
        )
        starts = np.random.default_rng(0).choice(worker.values, size=(_N_STARTS, self.dim))
        return worker(starts)

    def _prefixes(self) -> Iterator[tuple[IntArray, IntArray, int]]:
        """Split the search into parts, which together contain a vector of every class.

        Vectors of one class have the same minimum distance: they differ by the order or the signs
        of their components, or by a unit modulo N as a common factor.

        Yields:
            For each part: the first components; the values (m,), from 1 to N // 2, that the
            further components may take; and the smallest allowed ratio. A ratio is v / u modulo N
            for a component v and a component u that is a unit, where r and N - r count as the
            smaller of the two. Vectors with a smaller ratio have an equivalent vector in another
            part. 0 allows all ratios.
        """
        N, d = self.n_points, self.dim
        values = np.arange(1, N // 2 + 1, dtype=np.int64)
        if d == 1:
            yield np.zeros(0, dtype=np.int64), values[:1], 0
            return
        factors = np.gcd(values, N)
        allowed = values[factors == 1] if self.units_only else values
        # Vectors with a unit: it becomes 1 by multiplication, and the second component the
        # smallest ratio of another component to a unit.
        if d == 2:
            yield np.array([1]), allowed, 0
        else:
            for a in allowed:
                yield np.array([1, a]), allowed, int(a)
        if self.units_only:
            return
        # Vectors without a unit: the component with the smallest factor becomes that factor.
        for g in divisors(N):
            if 1 < g < N:
                yield np.array([g]), values[factors >= g], 0

    def _search_below(
        self, prefix: IntArray, values: IntArray, least_ratio: int, best: int, found: IntArray
    ) -> int:
        seconds = 4e-8 * estimated_work(self.n_points, self.dim)
        kernel = compiled(exhaustive.search_below, seconds / max(1, self.n_points // 2))
        return self._descend(kernel, prefix.tolist(), values, least_ratio, best, found)

    def _descend(
        self,
        kernel: Callable[..., int] | None,
        b: list[int],
        values: IntArray,
        least_ratio: int,
        best: int,
        found: IntArray,
    ) -> int:
        """Search all vectors that begin with ``b``, with numpy or with the compiled kernel.

        The vectors and their order are those of `exhaustive.search_below`. The compiled kernel
        searches the last components, as many as take it about a tenth of a second. Between its
        calls the deadline is checked.

        Args:
            kernel: The compiled `exhaustive.search_below`, or None without numba.
            b: The first components, from 1 to N // 2.
            values: Values (m,) that the further components may take, in increasing order.
            least_ratio: Smallest allowed ratio of a component to one that is a unit modulo N.
            best: Squared minimum distance, times N², to exceed.
            found: Filled with the base vector (d,) if ``best`` is exceeded.

        Returns:
            The largest squared minimum distance, times N², or ``best`` if none is larger.
        """
        table, N = self.squares.table, self.n_points
        n_left = self.dim - len(b)
        if kernel is not None and n_left <= self._n_compiled:
            prefix = np.array(b, dtype=np.int64)
            arguments = (
                table,
                N,
                self._inverse,
                values,
                prefix,
                self.dim,
                least_ratio,
                best,
                found,
            )
            return int(kernel(*arguments))
        S = table[b].sum(axis=0, dtype=np.int64)
        few = 1 + np.argsort(S[1:], kind="stable")[:8]
        if n_left == 1:
            start = np.searchsorted(values, b[-1]) if len(b) > 1 else 0
            bound = (S[few, None] + table[np.ix_(few, values[start:])]).min(axis=0)
            candidates = start + (bound > best).nonzero()[0]
            for t in candidates[np.argsort(-bound[candidates - start], kind="stable")]:
                if bound[t - start] <= best:
                    break
                squared = int((S + table[values[t]])[1:].min())
                if squared > best:
                    best = squared
                    found[:] = [*b, values[t]]
            return best
        gain = table[few].astype(np.int64).cumsum(axis=0).max(axis=1)
        if np.any(S[few].cumsum() + n_left * gain <= np.arange(1, len(few) + 1) * best):
            return best
        start = np.searchsorted(values, b[-1]) if len(b) > 1 else 0
        for v in values[start:].tolist():
            if exhaustive.is_canonical(N, self._inverse, np.array(b), len(b), v, least_ratio):
                best = self._descend(kernel, [*b, v], values[start:], least_ratio, best, found)
                if self.is_late():
                    break
        return best

    @cached_property
    def _n_compiled(self) -> int:
        """How many of the last components the compiled kernel searches at once."""
        H = max(1, self.n_points // 2)
        n = 1
        while n < self.dim and math.comb(H + n - 1, n) * (H + 50) < 1e8:
            n += 1
        return n

    @cached_property
    def _inverse(self) -> IntArray:
        """Inverses (H + 1,) modulo N of 0, ..., H = N // 2; 0 for numbers that have none."""
        N = self.n_points
        inverse = [pow(v, -1, N) if math.gcd(v, N) == 1 else 0 for v in range(N // 2 + 1)]
        return np.array(inverse, dtype=np.int64)
