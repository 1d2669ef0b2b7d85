"""Lattices in Korobov's form: the powers of one multiplier (second row of Tables 1-3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lattice_tools._search import Block, Measure, Progress, best_of, search_size
from lattice_tools.lattice import Rank1Lattice

#: Multipliers handed to a worker at once.
_CHUNK = 64


def korobov(
    n_points: int,
    dim: int,
    *,
    jobs: int = 1,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """The best of the base vectors (1, a, a², ..., a^(d-1)) mod N over all multipliers a.

    Args:
        n_points: N.
        dim: d.
        jobs: The number of processes; the result does not depend on it.
        budget: Seconds after which the best so far is returned.
        progress: Told the share that is done.

    Example:
        >>> korobov(1000, 3).base_vector
        (1, 306, 636)
    """
    N, d = search_size(n_points, dim)
    worker = Measure(N, d)
    _, b = best_of(worker, _power_vectors(N, d), jobs=jobs, budget=budget, progress=progress)
    return Rank1Lattice(N, tuple(b))


def _power_vectors(N: int, d: int) -> Iterator[Block]:
    # N - a only flips signs of a's components, so multipliers up to N // 2 are all there are.
    H = N // 2
    for first in range(1, H + 1, _CHUNK):
        a = np.arange(first, min(first + _CHUNK, H + 1), dtype=np.int64)
        b = np.ones((len(a), d), dtype=np.int64)
        for j in range(1, d):
            b[:, j] = b[:, j - 1] * a % N
        yield int(a[-1]) / H, b
