"""The numbers of a point set beside those of SciPy's Sobol, Halton, Latin hypercube and random."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import qmc

from lattice_tools._search import Progress
from lattice_tools.engine import RNG_KEYWORD
from lattice_tools.radius import FloatArray, Radius, covering_radius, separation, unit_cube_points

#: Discrepancies by their name in `scipy.stats.qmc.discrepancy`.
DISCREPANCIES = {
    "CD": "centred discrepancy",
    "WD": "wrap-around discrepancy",
    "MD": "mixture discrepancy",
    "L2-star": "L2-star discrepancy",
}

#: Where larger is better; elsewhere smaller is.
_LARGER_IS_BETTER = {"separation, torus", "separation, Euclidean"}

#: The numbers of one point set by name: plain ones, and radii that may be lower bounds.
Numbers = dict[str, float | Radius]


def reference_sets(n_points: int, dim: int, seed: int = 0) -> Iterator[tuple[str, FloatArray]]:
    """Point sets (n, d) of the same size to compare with, by name."""
    rng = {RNG_KEYWORD: np.random.default_rng(seed)}
    with warnings.catch_warnings():
        # Sobol' points are balanced for powers of two only, which is no reason to compare less.
        warnings.filterwarnings("ignore", message="The balance properties of Sobol")
        sobol = qmc.Sobol(dim, **rng).random(n_points)
    yield "Sobol", sobol
    yield "Halton", qmc.Halton(dim, **rng).random(n_points)
    yield "Latin hypercube", qmc.LatinHypercube(dim, **rng).random(n_points)
    yield "random", np.random.default_rng(seed).random((n_points, dim))


def numbers_of(points: ArrayLike, *, n_starts: int = 16, seed: int = 0) -> Numbers:
    """Separation, covering radius, mesh ratio and discrepancies of points (n, d) in [0, 1].

    Args:
        points: The points.
        n_starts: Local ascents for a covering radius beyond three dimensions.
        seed: Of their starts.
    """
    X = unit_cube_points(points)
    separations: Numbers = {}
    coverings: Numbers = {}
    ratios: Numbers = {}
    for metric, periodic in (("torus", True), ("Euclidean", False)):
        distance = separation(X, periodic=periodic)
        covering = covering_radius(X, periodic=periodic, n_starts=n_starts, seed=seed)
        ratio = 2 * covering.value / distance if distance > 0 else math.inf
        separations[f"separation, {metric}"] = distance
        coverings[f"covering radius, {metric}"] = covering
        ratios[f"mesh ratio, {metric}"] = Radius(ratio, covering.is_exact, covering.n_starts)
    discrepancies: Numbers = {
        name: float(qmc.discrepancy(X, method=method)) for method, name in DISCREPANCIES.items()
    }
    return separations | coverings | ratios | discrepancies


def report(
    points: ArrayLike,
    *,
    name: str = "points",
    n_starts: int = 16,
    seed: int = 0,
    progress: Progress | None = None,
) -> str:
    """A table of `numbers_of` the points and of the reference sets, the best of each row starred.

    Args:
        points: Array (n, d) in [0, 1], n >= 2.
        name: The heading of the points' column.
        n_starts: Local ascents for a covering radius beyond three dimensions.
        seed: Of these, and of the reference sets.
        progress: Told the share that is done.
    """
    X = unit_cube_points(points)
    n, d = X.shape
    columns: dict[str, Numbers] = {name: numbers_of(X, n_starts=n_starts, seed=seed)}
    n_sets = 5
    for title, reference in reference_sets(n, d, seed):
        if progress is not None:
            progress(len(columns) / n_sets)
        columns[title] = numbers_of(reference, n_starts=n_starts, seed=seed)
    if progress is not None:
        progress(1.0)
    lines = [f"{n} points in {d} dimensions", "", *_table(columns), "", "* the best of its row."]
    if not all(v.is_exact for v in columns[name].values() if isinstance(v, Radius)):
        lines.append(
            f">= Covering radii and mesh ratios are lower bounds: the best of {n_starts} local "
            "ascents."
        )
    return "\n".join(lines)


def _table(columns: dict[str, Numbers]) -> list[str]:
    first = next(iter(columns.values()))
    label = max(len(row) for row in first)
    texts = {
        row: _row([numbers[row] for numbers in columns.values()], row in _LARGER_IS_BETTER)
        for row in first
    }
    widths = [
        max(len(title) + 1, *(len(row[k]) for row in texts.values()))
        for k, title in enumerate(columns)
    ]

    def line(head: str, cells: list[str]) -> str:
        padded = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
        return "  ".join([head.ljust(label), *padded])

    # Every number ends in a star or a blank, so that digits stand below each other.
    heading = line("", [f"{title} " for title in columns])
    return [heading.rstrip(), *(line(row, cells).rstrip() for row, cells in texts.items())]


def _row(values: list[float | Radius], larger_is_better: bool) -> list[str]:
    choose: Callable[[list[float]], float] = max if larger_is_better else min
    best = choose([float(value) for value in values])
    # Of lower bounds nobody knows which is the best.
    is_bound = any(isinstance(value, Radius) and not value.is_exact for value in values)
    return [
        f"{'>= ' if is_bound else ''}{float(value):.5g}"
        f"{'*' if float(value) == best and not is_bound else ' '}"
        for value in values
    ]
