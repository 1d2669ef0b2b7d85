"""How wide the lattices of `best` are: as fractions of the limit, and beside Algorithm 7.

A lattice is wider than another of the same size (N, d) if its minimum distance on the torus is
larger. The limit is an upper bound of the minimum distance (see `distance_limit`).
"""

from __future__ import annotations

import sys
import time
from itertools import combinations_with_replacement

import click
import numpy as np

from lattice_tools import Rank1Lattice, alg7, best
from lattice_tools.limit import fraction_of_limit
from lattice_tools.paper import PAPER_DIMS, PAPER_POINTS

#: (N, d) -> the fraction of the limit that must be reached with 6 s.
FLOORS = {
    (1009, 6): 0.922, (1009, 7): 0.900, (1009, 8): 0.863,
    (10007, 4): 0.972, (10007, 5): 0.961, (10007, 6): 0.937, (10007, 7): 0.909, (10007, 8): 0.890,
    (100003, 4): 0.990, (100003, 6): 0.945, (100003, 8): 0.889,
}  # fmt: skip

#: Minimum distances of our Algorithm 7, to five digits, for d = 10, 20, 30, 40, 50.
ALG7 = {
    1000: (0.63048, 1.06236, 1.36737, 1.62782, 1.85170),
    2000: (0.59119, 1.01688, 1.33070, 1.59188, 1.81407),
    3000: (0.57028, 0.99686, 1.30598, 1.56595, 1.78854),
}


@click.command()
@click.option("--seconds", default=6.0, show_default=True, help="CPU seconds per size.")
@click.option("--points", type=int, multiple=True, help="Only this N. Repeatable.")
@click.option("--dim", "dims", type=int, multiple=True, help="Only this d. Repeatable.")
def width(seconds: float, points: tuple[int, ...], dims: tuple[int, ...]) -> None:
    """Print the minimum distances of `best` as fractions of the limit by Hermite's constant.

    The lattices are searched, not read from the catalogue. A fixed list of sizes (N, d) is
    measured; --points and --dim select from it. For N = 1000 and 3000 in ten dimensions, the
    distance is printed beside that of Algorithm 7 instead.
    """
    # The first searches load numba and compile; that happens once per installation.
    best(2003, 6, budget=1.0)
    best(100_003, 6, budget=2.0)
    kept = True

    def is_chosen(N: int, d: int) -> bool:
        return (not points or N in points) and (not dims or d in dims)

    print(f"best without the catalogue, {seconds:g} CPU s\n       N  d  fraction  at least  CPU s")
    for (N, d), floor in FLOORS.items():
        if not is_chosen(N, d):
            continue
        lattice, used = _with_cpu(N, d, seconds)
        fraction = fraction_of_limit(lattice)
        kept &= fraction >= floor
        sign = "" if fraction >= floor else "  BELOW"
        print(f"  {N:6}  {d}    {fraction:.4f}     {floor:.3f}  {used:5.1f}{sign}", flush=True)
    for N in (1000, 3000):
        if not is_chosen(N, 10):
            continue
        lattice, used = _with_cpu(N, 10, seconds)
        floor = ALG7[N][0]
        kept &= lattice.min_distance > floor
        print(f"  N={N} d=10 minimum distance {lattice.min_distance:.5f}, Algorithm 7 {floor}")
    sys.exit(0 if kept else 1)


def _with_cpu(N: int, d: int, seconds: float) -> tuple[Rank1Lattice, float]:
    """Return the widest lattice that `best` finds within CPU seconds, and the seconds used."""
    begun = time.process_time()
    found = [best(N, d, budget=seconds, use_records=False)]
    # On a busy machine a budget of wall-clock seconds leaves CPU time, which other seeds use.
    while (left := seconds - (time.process_time() - begun)) > 0.3:
        found.append(best(N, d, budget=left, seed=len(found), use_records=False))
    used = time.process_time() - begun
    return max(found, key=lambda lattice: lattice.squared_min_distance), used


@click.command()
@click.option(
    "--recompute", is_flag=True, help="Run Algorithm 7 instead of using its known values."
)
@click.option("--search", is_flag=True, help="Search with the default effort, without catalogue.")
def paper(recompute: bool, search: bool) -> None:
    """Print minimum distances of `best` and of our Algorithm 7 for the 15 sizes of Tables 1-3.

    The tables are those of Lyu, Yuan and Tsang.
    """
    print("     N   d     alg7     best     gain")
    signs = []
    for N in PAPER_POINTS:
        for k, d in enumerate(PAPER_DIMS):
            ours = round(alg7(N, d).min_distance, 5) if recompute else ALG7[N][k]
            value = round(best(N, d, use_records=not search).min_distance, 5)
            signs.append((value > ours) - (value < ours))
            print(f"  {N}  {d}  {ours:.5f}  {value:.5f} {value / ours - 1:+8.2%}", flush=True)
    print(
        f"  above in {signs.count(1)}, equal in {signs.count(0)}, below in {signs.count(-1)} of 15"
    )
    sys.exit(0 if -1 not in signs and signs.count(1) >= 14 else 1)


@click.command()
def small() -> None:
    """Compare `best` with a brute force: N <= 100 for d = 2, 3, 4 and N <= 50 for d = 5."""
    sizes = [(N, d) for N in range(2, 101) for d in range(2, 6) if d < 5 or N <= 50]
    n_optimal = n_declared = 0
    for N, d in sizes:
        lattice = best(N, d, use_records=False)
        n_optimal += lattice.squared_min_distance == _largest(N, d)
        n_declared += lattice.is_optimal
    print(f"{n_optimal} of {len(sizes)} sizes optimal, {n_declared} declared so")
    sys.exit(0 if n_optimal == n_declared == len(sizes) else 1)


def _largest(N: int, d: int) -> int:
    """The largest squared minimum distance, times N², by trying all base vectors."""
    H = N // 2
    r = np.outer(np.arange(H + 1), np.arange(1, H + 1)) % N
    c = np.minimum(r, N - r) ** 2
    largest = 0
    vectors = combinations_with_replacement(range(1, H + 1), d)
    while block := [b for b, _ in zip(vectors, range(50_000), strict=False)]:
        S = sum(c[list(column)] for column in zip(*block, strict=True))
        largest = max(largest, int(np.asarray(S).min(axis=1).max()))
    return largest
