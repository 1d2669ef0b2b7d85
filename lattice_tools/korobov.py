"""Lattices in Korobov's form: the powers of one multiplier (second row of Tables 1-3)."""

from __future__ import annotations

import numpy as np

from lattice_tools._search import Measure, Progress, best_of
from lattice_tools.lattice import Rank1Lattice, positive_integer


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
    N = positive_integer("n_points", n_points, minimum=2)
    positive_integer("dim", dim)
    # N - a only flips signs of a's components, so multipliers up to N // 2 are all there are.
    a = np.arange(1, N // 2 + 1, dtype=np.int64)
    starts = np.ones((len(a), dim), dtype=np.int64)
    for j in range(1, dim):
        starts[:, j] = starts[:, j - 1] * a % N
    worker = Measure(N, dim)
    _, b = best_of(worker, starts, chunk=64, jobs=jobs, budget=budget, progress=progress)
    return Rank1Lattice(N, tuple(b))
