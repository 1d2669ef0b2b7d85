"""The paper's Algorithms 6 and 7: base vectors from cosines of a prime's fractions.

Hua and Wang (1981), "Applications of number theory to numerical analysis", build base vectors
from the field of 2 cos(2 pi / p); the paper searches over primes p and offsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from lattice_tools._folded import IntArray, fold
from lattice_tools._primes import primes_from
from lattice_tools._search import Block, Measure, Progress, best_of, search_size
from lattice_tools.lattice import Rank1Lattice, positive_integer
from lattice_tools.scs import CoordinateSearch


def alg6(
    n_points: int,
    dim: int,
    *,
    n_primes: int = 50,
    jobs: int = 1,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """Algorithm 6: the best lattice among the cosine base vectors.

    Args:
        n_points: N.
        dim: d.
        n_primes: How many primes p >= 2 d + 1 are tried (the paper's M).
        jobs: The number of processes; the result does not depend on it.
        budget: Seconds after which the best so far is returned.
        progress: Told the share that is done.

    Example:
        >>> round(alg6(1000, 10).min_distance, 5)  # the paper's
        0.59632
    """
    N, d = search_size(n_points, dim)
    # Distances do not depend on signs and order of the components, and by the symmetry of the
    # cosine many (p, i) agree up to these: each lattice is measured once.
    blocks = cosine_vectors(N, d, n_primes, size=64, ordered=False)
    _, b = best_of(Measure(N, d), blocks, jobs=jobs, budget=budget, progress=progress)
    return Rank1Lattice(N, tuple(b))


def alg7(
    n_points: int,
    dim: int,
    *,
    n_primes: int = 50,
    n_sweeps: int = 3,
    jobs: int = 1,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """Algorithm 7: successive coordinate search from every cosine base vector.

    Args:
        n_points: N.
        dim: d.
        n_primes: How many primes p >= 2 d + 1 are tried (the paper's M).
        n_sweeps: Passes of the coordinate search from each of them (the paper's T = 3).
        jobs: The number of processes; the result does not depend on it.
        budget: Seconds after which the best so far is returned.
        progress: Told the share that is done.

    Example:
        >>> round(alg7(1000, 10, n_primes=5).min_distance, 5)  # paper, 50 primes: 0.62738
        0.62183
    """
    N, d = search_size(n_points, dim)
    worker = CoordinateSearch(N, d, n_sweeps=positive_integer("n_sweeps", n_sweeps))
    # The search depends on the order of the components: only vectors that are equal as they
    # stand are searched once.
    blocks = cosine_vectors(N, d, n_primes, size=8, ordered=True)
    _, b = best_of(worker, blocks, jobs=jobs, budget=budget, progress=progress)
    return Rank1Lattice(N, tuple(b))


def cosine_vectors(
    n_points: int, dim: int, n_primes: int, *, size: int, ordered: bool
) -> Iterator[Block]:
    """The distinct base vectors of Algorithm 6, in the order of its loops, in small blocks.

    Args:
        n_points: N.
        dim: d.
        n_primes: How many primes p >= 2 d + 1.
        size: The largest number of vectors in a block.
        ordered: Whether vectors that differ by the order of their components are distinct; those
            that differ only by signs never are.
    """
    primes = primes_from(2 * dim + 1, positive_integer("n_primes", n_primes))
    seen: set[bytes] = set()
    done = 0
    for p in primes:
        for first in range(0, p, size):
            offsets = np.arange(first, min(first + size, p))
            done += len(offsets)
            b = _cosine_block(n_points, dim, p, offsets)
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


def _cosine_block(N: int, d: int, p: int, offsets: IntArray) -> IntArray:
    """The base vectors (k, d) of one prime p and some offsets i (k,)."""
    q = np.arange(1, d)
    g = (q + offsets[:, None]) % p
    # np.round rounds half to even, as the paper's tables need.
    g = np.round(N * np.mod(np.abs(2 * np.cos(2 * np.pi * g / p)), 1)).astype(np.int64)
    return np.column_stack([np.ones(len(offsets), dtype=np.int64), g])
