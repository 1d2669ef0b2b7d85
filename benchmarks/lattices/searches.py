"""Speed of Algorithm 7 against literal loops, and memory of all searches."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import click
import numpy as np
from numpy.typing import NDArray

from lattice_tools.hua_wang import cosine_vectors
from lattice_tools.scs import CoordinateSearch

#: Limits: the smallest ratio of times, and the largest memory. A command exits with 1 beyond them.
MIN_RATIO = 30
MAX_MIB = 1024

#: Each search runs in a process of its own, so that the peak is its own; kilobytes on Linux.
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
    """Improve a base vector as the inner search of Algorithm 7 is printed, by literal loops.

    Each component in turn, except the first, takes every value, and every value is measured over
    all points. The first of the best values is kept, if it is better than the present one.

    Args:
        start: A base vector (d,), its first component 1.
        N: The number of points.
        n_sweeps: Number of passes over the components.

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


@click.command()
@click.option("--points", "n_points", default=1000, show_default=True, help="Number of points.")
@click.option("--dim", default=10, show_default=True, help="Dimension.")
@click.option("--starts", "n_starts", default=3, show_default=True, help="Number of starts.")
def speed(n_points: int, dim: int, n_starts: int) -> None:
    """Compare the literal loops of Algorithm 7 with `alg7`, on the same few starts."""
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
    # The literal search finds v before N - v. Components of the start that it never changed may
    # still be above N / 2.
    folded = [np.minimum(b % n_points, -b % n_points).tolist() for b in literal]
    equal = folded == [b.tolist() for b in fast]
    print(f"Algorithm 7, N={n_points}, d={dim}: {n_starts} of its {len(starts)} starts")
    print(f"  literal loops  {literal_seconds:10.4f} s per start")
    print(f"  alg7           {fast_seconds:10.4f} s per start")
    print(f"  ratio          {ratio:10.0f} (at least {MIN_RATIO}); base vectors equal: {equal}")
    sys.exit(0 if equal and ratio >= MIN_RATIO else 1)


@click.command()
@click.option("--points", "n_points", default=20_000, show_default=True, help="Number of points.")
@click.option("--dim", default=10, show_default=True, help="Dimension.")
@click.option("--budget", default=5.0, show_default=True, help="Seconds per method.")
def memory(n_points: int, dim: int, budget: float) -> None:
    """Measure the peak memory of a short search by every method."""
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
    sys.exit(0 if within else 1)
