"""The paper's Algorithms 6 and 7: base vectors from cosines of a prime's fractions.

Hua and Wang (1981), "Applications of number theory to numerical analysis", build base vectors
from the field of 2 cos(2 pi / p); the paper searches over primes p and offsets.
"""

from __future__ import annotations

import numpy as np

from lattice_tools._folded import IntArray, fold
from lattice_tools._primes import primes_from
from lattice_tools._search import Measure, Progress, best_of
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
    starts = cosine_vectors(n_points, dim, n_primes)
    # Distances do not depend on signs and order of the components, and by the symmetry of the
    # cosine many (p, i) agree up to these: each lattice is measured once.
    shapes = np.sort(fold(starts, n_points), axis=1)
    starts = starts[np.sort(np.unique(shapes, axis=0, return_index=True)[1])]
    worker = Measure(n_points, dim)
    _, b = best_of(worker, starts, chunk=64, jobs=jobs, budget=budget, progress=progress)
    return Rank1Lattice(n_points, tuple(b))


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
    starts = fold(cosine_vectors(n_points, dim, n_primes), n_points)
    # The search depends on the order of the components: only vectors that are equal as they
    # stand are searched once.
    starts = starts[np.sort(np.unique(starts, axis=0, return_index=True)[1])]
    worker = CoordinateSearch(n_points, dim, n_sweeps=positive_integer("n_sweeps", n_sweeps))
    _, b = best_of(worker, starts, chunk=8, jobs=jobs, budget=budget, progress=progress)
    return Rank1Lattice(n_points, tuple(b))


def cosine_vectors(n_points: int, dim: int, n_primes: int) -> IntArray:
    """All base vectors (n, d) of Algorithm 6, in the order of its loops."""
    N = positive_integer("n_points", n_points, minimum=2)
    positive_integer("dim", dim)
    blocks = []
    for p in primes_from(2 * dim + 1, positive_integer("n_primes", n_primes)):
        q = np.arange(1, dim)
        g = (q + np.arange(p)[:, None]) % p
        # np.round rounds half to even, as the paper's tables need.
        g = np.round(N * np.mod(np.abs(2 * np.cos(2 * np.pi * g / p)), 1)).astype(np.int64)
        blocks.append(np.column_stack([np.ones(p, dtype=np.int64), g]))
    return np.concatenate(blocks)
