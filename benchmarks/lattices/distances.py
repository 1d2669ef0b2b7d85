"""Time of minimum distances and of Korobov's search, and of an answer from the catalogue."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import click
import numpy as np

from lattice_tools import Rank1Lattice, _kernels, korobov
from lattice_tools._shortest import IntArray, squared_lengths


@click.command()
@click.option("--points", "N", default=10**6, show_default=True, help="Number of points.")
@click.option("--lattices", default=3000, show_default=True, help="Random lattices to compare.")
def distance(N: int, lattices: int) -> None:
    """Compare shortest vectors with scans of all points: time, and equality on random lattices."""
    rng = np.random.default_rng(0)
    print(f"N={N}, median of 20 random lattices")
    print("   d      scan     plain  compiled   scan/plain  /compiled")
    kept = True
    for d in (3, 4, 6, 10, 15, 20):
        vectors = rng.integers(1, N, (20, d))
        scan = _median(lambda b: Rank1Lattice(N, tuple(b))._scanned_min_distance(), vectors[:5])
        plain = _timed(False, N, vectors)
        fast = _timed(True, N, vectors) if _kernels.is_available() else float("nan")
        print(
            f"  {d:2}  {1e3 * scan:5.1f} ms  {1e3 * plain:5.2f} ms  {1e6 * fast:5.1f} us  "
            f"{scan / plain:9.0f}  {scan / fast:9.0f}"
        )
        if d == 6:
            kept = scan / plain >= 5 and (scan / fast >= 100 or fast != fast)
    n_equal = 0
    for _ in range(lattices):
        n, d = int(rng.integers(2, 5000)), int(rng.integers(2, 9))
        b = rng.integers(0, n, (1, d))
        (found,) = squared_lengths(n, b)
        scanned = Rank1Lattice(n, tuple(b[0]))._scanned_min_distance()
        n_equal += found == scanned or (found < 0 and scanned >= n**2)
    print(f"equal on {n_equal} of {lattices} random lattices")
    begun = time.perf_counter()
    korobov(100_003, 3)
    print(f"Korobov, N=100003, d=3: {time.perf_counter() - begun:.3f} s")
    sys.exit(0 if kept and n_equal == lattices else 1)


def _timed(is_compiled: bool, N: int, vectors: IntArray) -> float:
    _kernels.LOAD_AFTER = 0.0 if is_compiled else float("inf")
    squared_lengths(N, vectors)
    return _median(lambda b: squared_lengths(N, b[None]), vectors)


def _median(function: Callable[[IntArray], object], vectors: IntArray) -> float:
    seconds = []
    for b in vectors:
        begun = time.perf_counter()
        function(b)
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds)


@click.command()
def answer() -> None:
    """Time ``lattice-tools build --method best`` for a catalogued size, with start-up."""
    command = [sys.executable, "-m", "lattice_tools", "build", "--method", "best"]
    command += ["--points", "1000", "--dim", "20", "--format", "vector"]
    seconds = []
    for _ in range(5):
        before = os.times()
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user
        seconds.append((time.perf_counter() - begun, cpu - before.children_system))
    wall, cpu = min(seconds)
    print(f"build best, N=1000, d=20: {wall:.2f} s, {cpu:.2f} s of CPU")
    sys.exit(0 if cpu < 1 else 1)
