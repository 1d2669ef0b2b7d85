"""Algorithms 6 and 7 of Lyu, Yuan and Tsang: base vectors from cosines of a prime's fractions.

Hua and Wang (1981), "Applications of number theory to numerical analysis", build base vectors
from the field of 2 cos(2 pi / p); the algorithms search over primes p and offsets i, which number
the first cosine of a vector (see `cosine_vectors`).
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from lattice_tools._folded import IntArray, fold
from lattice_tools._interrupt import keeps_best
from lattice_tools._primes import primes_from
from lattice_tools._search import (
    Block,
    Measure,
    Progress,
    best_of,
    found_lattice,
    search_size,
)
from lattice_tools.lattice import Rank1Lattice, positive_integer
from lattice_tools.scs import CoordinateSearch


@keeps_best
def alg6(
    n_points: int,
    dim: int,
    *,
    n_primes: int = 50,
    units_only: bool = False,
    jobs: int = 1,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """Return the best lattice among the cosine base vectors: Algorithm 6 of Lyu, Yuan and Tsang.

    The best lattice is the one with the largest minimum distance on the torus.

    Args:
        n_points: The number of points N.
        dim: The dimension d.
        n_primes: The number M of primes to try: the M smallest ones p >= 2 d + 1.
        units_only: Restrict components to units modulo N (numbers without a common factor with N),
            so that every coordinate takes N values: other components are replaced by the nearest
            unit.
        jobs: The number of processes. The result depends on it only if a budget ends the search.
        budget: Seconds after which the best lattice so far is returned.
        progress: Called with the share, from 0 to 1, of the work that is done.

    Example:
        >>> round(alg6(1000, 10).min_distance, 5)  # the paper's
        0.59632
    """
    N, d = search_size(n_points, dim)
    # Distances do not depend on signs and order of the components, and by the symmetry of the
    # cosine many (p, i) agree up to these: each lattice is measured once.
    size = block_size(N, d)
    blocks = cosine_vectors(N, d, n_primes, size=size, ordered=False, units_only=units_only)
    found = best_of(Measure(N, d), blocks, jobs=jobs, budget=budget, progress=progress)
    return found_lattice(N, found)


@keeps_best
def alg7(
    n_points: int,
    dim: int,
    *,
    n_primes: int = 50,
    n_sweeps: int = 3,
    units_only: bool = False,
    jobs: int = 1,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """Search coordinates from every cosine base vector: Algorithm 7 of Lyu, Yuan and Tsang.

    From each base vector of Algorithm 6 (`alg6`), components are set one after the other to the
    value with the largest minimum distance on the torus, given all other components. The first
    component is always 1. The lattice with the largest minimum distance is returned.

    Args:
        n_points: The number of points N.
        dim: The dimension d.
        n_primes: The number M of primes to try: the M smallest ones p >= 2 d + 1.
        n_sweeps: The largest number T of passes over the components from each start. A pass that
            changes nothing is the last one. Lyu, Yuan and Tsang use 3.
        units_only: Restrict components to units modulo N (numbers without a common factor with N),
            so that every coordinate takes N values: other components of the starts are replaced by
            the nearest unit, and only units are tried.
        jobs: The number of processes. The result depends on it only if a budget ends the search.
        budget: Seconds after which the best lattice so far is returned.
        progress: Called with the share, from 0 to 1, of the work that is done.

    Example:
        >>> round(alg7(1000, 10, n_primes=5).min_distance, 5)  # paper, 50 primes: 0.62738
        0.62183
    """
    N, d = search_size(n_points, dim)
    n_sweeps = positive_integer("n_sweeps", n_sweeps)
    worker = CoordinateSearch(N, d, n_sweeps=n_sweeps, units_only=units_only)
    # The search depends on the order of the components: only vectors that are equal as they
    # stand are searched once.
    size = min(8, block_size(N, d))
    blocks = cosine_vectors(N, d, n_primes, size=size, ordered=True, units_only=units_only)
    found = best_of(worker, blocks, jobs=jobs, budget=budget, progress=progress)
    return found_lattice(N, found)


def cosine_vectors(
    n_points: int,
    dim: int,
    n_primes: int,
    *,
    size: int,
    ordered: bool,
    units_only: bool = False,
) -> Iterator[Block]:
    """Yield the distinct base vectors of Algorithm 6 of Lyu, Yuan and Tsang, in blocks.

    Components are the fractional parts of |2 cos(2 pi k / p)|, times N and rounded, for primes p
    and consecutive k; the first component is 1. Vectors come in the order of the algorithm's
    loops: by prime, then by the first k.

    Args:
        n_points: The number of points N.
        dim: The dimension d.
        n_primes: The number M of primes: the M smallest ones p >= 2 d + 1 are used.
        size: The largest number of vectors in a block.
        ordered: Whether vectors that differ by the order of their components are distinct. Vectors
            that differ only by signs never are.
        units_only: Whether components that are no units modulo N are replaced by the nearest unit.

    Yields:
        Pairs of the share of all vectors, from 0 to 1, that is done after this block, and the base
        vectors (k, d) of the block.
    """
    primes = primes_from(2 * dim + 1, positive_integer("n_primes", n_primes))
    seen: set[bytes] = set()
    done = 0
    for p in primes:
        for first in range(0, p, size):
            offsets = np.arange(first, min(first + size, p))
            done += len(offsets)
            b = _cosine_block(n_points, dim, p, offsets)
            if units_only:
                b = nearest_units(b, n_points)
            shapes = fold(b, n_points)
            if not ordered:
                shapes.sort(axis=1)
            new = []
            for row, shape in enumerate(shapes):
                # A digest in place of the vector: there are many, and they may be long.
                key = blake2b(shape.tobytes(), digest_size=16).digest()
                if key not in seen:
                    seen.add(key)
                    new.append(row)
            if new:
                yield done / sum(primes), b[new]


def block_size(n_points: int, dim: int) -> int:
    """How many vectors to measure before the clock is looked at: 64, fewer for large sizes."""
    return max(1, min(64, 10**7 // (n_points * dim)))


def nearest_units(vectors: IntArray, N: int) -> IntArray:
    """Return each component (...,) replaced by the nearest unit modulo N; the smaller of two.

    A unit modulo N is a number without a common factor with N.
    """
    values = np.arange(N, dtype=np.int64)
    units = values[np.gcd(values, N) == 1]
    above = np.searchsorted(units, vectors % N)
    high = units[np.minimum(above, len(units) - 1)]
    low = units[np.maximum(above - 1, 0)]
    nearest: IntArray = np.where(vectors % N - low <= np.abs(high - vectors % N), low, high)
    return nearest


def _cosine_block(N: int, d: int, p: int, offsets: IntArray) -> IntArray:
    """Return the base vectors (k, d) of one prime p, one for each of the offsets i (k,)."""
    q = np.arange(1, d)
    g = (q + offsets[:, None]) % p
    # np.round rounds half to even, as the paper's tables need.
    g = np.round(N * np.mod(np.abs(2 * np.cos(2 * np.pi * g / p)), 1)).astype(np.int64)
    return np.column_stack([np.ones(len(offsets), dtype=np.int64), g])
