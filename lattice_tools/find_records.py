"""Finding and extending the catalogue of records: `lattice-tools records --improve FILE`.

A record is the lattice of a size (N, d) with the largest minimum distance on the torus that has
been found so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from lattice_tools._files import write_whole
from lattice_tools._folded import fold
from lattice_tools._interrupt import is_interrupted, keeps_best
from lattice_tools.best import search
from lattice_tools.exact import MAX_POINTS, estimated_work, exact
from lattice_tools.hua_wang import alg7
from lattice_tools.lattice import Rank1Lattice
from lattice_tools.limit import reaches_limit
from lattice_tools.records import parse, text_of
from lattice_tools.scs import CoordinateSearch

#: The catalogue's sizes.
RECORD_POINTS = (
    16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000, 1009, 1024, 2000, 2048, 3000, 4096,
    5000, 10007,
)  # fmt: skip
RECORD_DIMS = tuple(range(2, 51))

#: Proofs are tried up to this work, or for few points: pruning then leaves little to do.
_PROOF_WORK = 1e9
_PROOF_POINTS = 100


@keeps_best
def improve_records(
    path: Path,
    sizes: Iterable[tuple[int, int]],
    *,
    effort: float | None = None,
    budget: float | None = None,
    proof_budget: float | None = None,
    with_alg7: bool = False,
    seed: int = 0,
    report: Callable[[str], None] = lambda line: None,
) -> int:
    """Search for wider lattices than those in a file, and keep the file up to date.

    A lattice is wider if its minimum distance on the torus is larger.

    Args:
        path: A file of records, in the format of the package's catalogue
            (`lattice_tools.records`); created if it does not exist.
        sizes: Pairs (N, d) to search. Sizes whose record is proved to be optimal are skipped.
        effort: Multiple of the default work per size; None for 1.
        budget: Seconds per size instead of the effort.
        proof_budget: Seconds per size for an exhaustive search, where that may succeed; None for
            no such search.
        with_alg7: Whether to run Algorithm 7 of Lyu, Yuan and Tsang whole, whatever the effort or
            the budget, where the file does not have its value yet. No record can fall below that
            value afterwards.
        seed: Seed of all random choices.
        report: Called with a line about each improvement.

    Returns:
        The number of sizes that improved. Ctrl-C ends the search; the file keeps what was found.
    """
    known, floors = parse(path.read_text("utf-8")) if path.exists() else ({}, {})
    n_improved = 0
    for N, d in sizes:
        before = known.get((N, d))
        if before is not None and before.is_optimal:
            continue
        found = None if before is None else normal_form(before)
        if (N, d - 1) in known:
            found = _better(found, _extended(known[N, d - 1]))
        may_prove = N <= _PROOF_POINTS or (N <= MAX_POINTS and estimated_work(N, d) < _PROOF_WORK)
        if proof_budget is not None and may_prove:
            found = _better(found, exact(N, d, budget=proof_budget))
        is_compared = (N, d) in floors
        if with_alg7 and not is_compared and (found is None or not found.is_optimal):
            by_alg7 = alg7(N, d)
            found = _better(found, by_alg7)
            if not is_interrupted():
                floors[N, d] = by_alg7.squared_min_distance
        if found is None or not (found.is_optimal or is_interrupted()):
            found = _better(found, search(N, d, found, effort, budget, seed=seed))
        is_better = before is None or _rank(found) > _rank(before)
        if is_better:
            n_improved += 1
            known[N, d] = found
            word = "optimal" if found.is_optimal else "found"
            report(f"N={N} d={d} minimum distance {found.min_distance:.5f} {word}")
        if is_better or ((N, d) in floors) != is_compared:
            write_whole(path, [text_of(known, floors).encode()])
        if is_interrupted():
            break
    return n_improved


def normal_form(lattice: Rank1Lattice) -> Rank1Lattice:
    """Return an equivalent lattice, whose base vector does not depend on order, signs and factors.

    Order and signs of components, and a unit modulo N as a common factor, do not change the
    minimum distance. Components are folded, that is, v is replaced by N - v if that is smaller,
    and sorted. The result has the first, in lexicographic order, of all such vectors that contain
    a 1. A vector without a unit component is only folded and sorted.
    """
    N = lattice.n_points
    b = np.array(lattice.base_vector)
    units = [u for u in lattice.base_vector if math.gcd(u, N) == 1]
    forms = [sorted(fold(b * pow(u, -1, N) % N, N).tolist()) for u in units]
    vector = min(forms, default=sorted(fold(b, N).tolist()))
    form = Rank1Lattice(N, tuple(vector))
    is_optimal = lattice.is_optimal or reaches_limit(form)
    return Rank1Lattice(N, tuple(vector), is_optimal=is_optimal)


def _extended(lattice: Rank1Lattice) -> Rank1Lattice:
    """Return a lattice in one more dimension, whose minimum distance is at least as large."""
    search = CoordinateSearch(lattice.n_points, lattice.dim + 1, n_sweeps=20, first_free=0)
    _, b = search.improve(np.array([*lattice.base_vector, 1]))
    return Rank1Lattice(lattice.n_points, tuple(b))


def _better(one: Rank1Lattice | None, other: Rank1Lattice) -> Rank1Lattice:
    other = normal_form(other)
    return other if one is None or _rank(other) > _rank(one) else one


def _rank(lattice: Rank1Lattice) -> tuple[int, bool]:
    return lattice.squared_min_distance, lattice.is_optimal
