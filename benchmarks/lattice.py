"""Speed, memory and width of the lattice searches: `python -m benchmarks.lattice --help`."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import click
import numpy as np
from numpy.typing import NDArray

from lattice_tools import alg7, best
from lattice_tools.hua_wang import cosine_vectors
from lattice_tools.paper import PAPER_DIMS, PAPER_POINTS
from lattice_tools.scs import CoordinateSearch

#: Minimum distances of our Algorithm 7, to five digits, for d = 10, 20, 30, 40, 50.
ALG7 = {
    1000: (0.63048, 1.06236, 1.36737, 1.62782, 1.85170),
    2000: (0.59119, 1.01688, 1.33070, 1.59188, 1.81407),
    3000: (0.57028, 0.99686, 1.30598, 1.56595, 1.78854),
}

#: What must hold.
MIN_RATIO = 30
MAX_MIB = 1024
MIN_PASSED = 12

PARTS = ("speed", "memory", "best")

#: Run by itself, so that the peak is that of one search; kilobytes on Linux.
MEMORY_CODE = """
import json, resource, sys, time
from lattice_tools import build
method, n_points, dim, budget = sys.argv[1], *map(int, sys.argv[2:4]), float(sys.argv[4])
begun = time.perf_counter()
lattice = build(method, n_points, dim, budget=budget)
print(json.dumps({
    "seconds": time.perf_counter() - begun,
    "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "min_distance": lattice.min_distance,
}))
"""


def literal_search(start: NDArray[np.int64], N: int, n_sweeps: int) -> NDArray[np.int64]:
    """The paper's inner search, word by word: every value measured over all points.

    Args:
        start: A base vector (d,), its first component 1.
        N: The number of points.
        n_sweeps: Passes over the components.

    Returns:
        The improved base vector (d,).
    """
    i = np.arange(1, N)[:, None]

    def squared(b: NDArray[np.int64]) -> int:
        r = i * b % N
        return int((np.minimum(r, N - r) ** 2).sum(axis=1).min())

    b = start.copy()
    current = squared(b)
    for _ in range(n_sweeps):
        for j in range(1, len(b)):
            candidate = b.copy()
            for v in range(1, N):
                candidate[j] = v
                value = squared(candidate)
                if value > current:
                    current = value
                    b[j] = v
    return b


def measure_speed(n_points: int, dim: int, n_starts: int) -> bool:
    """Print the time of the literal loops over that of `alg7`'s, on the same few starts."""
    blocks = cosine_vectors(n_points, dim, 50, size=64, ordered=True)
    starts = np.concatenate([block for _, block in blocks])
    chosen = starts[np.linspace(0, len(starts) - 1, n_starts).astype(int)]

    begun = time.perf_counter()
    literal = [literal_search(start, n_points, 3) for start in chosen]
    literal_seconds = (time.perf_counter() - begun) / n_starts

    n_repeats = 20
    begun = time.perf_counter()
    for _ in range(n_repeats):
        # A new worker each time, so that its table is paid for.
        worker = CoordinateSearch(n_points, dim, n_sweeps=3)
        fast = [worker.improve(start)[1] for start in chosen]
    fast_seconds = (time.perf_counter() - begun) / n_starts / n_repeats

    ratio = literal_seconds / fast_seconds
    # The literal search finds v before N - v, so that components are comparable as they are,
    # but for those of the start that it never changed.
    folded = [np.minimum(b % n_points, -b % n_points).tolist() for b in literal]
    equal = folded == [b.tolist() for b in fast]
    print(f"Algorithm 7, N={n_points}, d={dim}: {n_starts} of its {len(starts)} starts")
    print(f"  literal loops  {literal_seconds:10.4f} s per start")
    print(f"  alg7           {fast_seconds:10.4f} s per start")
    print(f"  ratio          {ratio:10.0f} (at least {MIN_RATIO}); base vectors equal: {equal}")
    return equal and ratio >= MIN_RATIO


def measure_memory(n_points: int, dim: int, budget: float) -> bool:
    """Print the peak memory of a short search by every method, each in its own process."""
    print(f"Memory, N={n_points}, d={dim}, budget {budget:g} s")
    within = True
    for method in ("korobov", "scs", "alg6", "alg7", "best"):
        arguments = [method, str(n_points), str(dim), str(budget)]
        done = subprocess.run(
            [sys.executable, "-c", MEMORY_CODE, *arguments], check=True, stdout=subprocess.PIPE
        )
        result = json.loads(done.stdout)
        within &= result["mib"] < MAX_MIB
        print(
            f"  {method:<8} {result['mib']:6.0f} MiB  {result['seconds']:6.1f} s  "
            f"minimum distance {result['min_distance']:.5f}"
        )
    print(f"  below {MAX_MIB} MiB: {within}")
    return within


def measure_best(budget: float, jobs: int, recompute: bool) -> bool:
    """Print `best` beside Algorithm 7 in the paper's fifteen cells."""
    print(f"best ({budget:g} s per cell, {jobs} processes) against Algorithm 7")
    print("     N   d     alg7     best     gain")
    passed = 0
    for N in PAPER_POINTS:
        for k, d in enumerate(PAPER_DIMS):
            ours = round(alg7(N, d, jobs=jobs).min_distance, 5) if recompute else ALG7[N][k]
            value = best(N, d, budget=budget, jobs=jobs).min_distance
            is_passed = round(value, 5) > ours
            passed += is_passed
            gain = f"{value / ours - 1:+8.2%}"
            print(f"  {N}  {d}  {ours:.5f}  {value:.5f} {gain} {'passed' if is_passed else ''}")
            sys.stdout.flush()
    print(f"  {passed} of 15 passed (at least {MIN_PASSED} in 120 s on two cores)")
    return passed >= MIN_PASSED


@click.command()
@click.option(
    "--only",
    "parts",
    type=click.Choice(PARTS),
    multiple=True,
    default=PARTS,
    show_default=True,
    help="Repeatable.",
)
@click.option("--points", type=click.IntRange(2), default=1000, show_default=True)
@click.option("--dim", type=click.IntRange(2), default=10, show_default=True)
@click.option(
    "--starts",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Of speed: how many starts; the literal loops would take hours for all.",
)
@click.option(
    "--memory-budget",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    help="Of memory: seconds per method.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    help="Of best: seconds per cell.",
)
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Of best.")
@click.option(
    "--alg7-values",
    type=click.Choice(["known", "recompute"]),
    default="known",
    show_default=True,
    help="Of best: what to compare with; to recompute takes minutes.",
)
def main(
    parts: tuple[str, ...],
    points: int,
    dim: int,
    starts: int,
    memory_budget: float,
    budget: float,
    jobs: int,
    alg7_values: str,
) -> None:
    """Measure the lattice searches; exit with 1 if a promise is broken."""
    kept = []
    if "speed" in parts:
        kept.append(measure_speed(points, dim, starts))
    if "memory" in parts:
        kept.append(measure_memory(20_000, dim, memory_budget))
    if "best" in parts:
        kept.append(measure_best(budget, jobs, alg7_values == "recompute"))
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
