"""Measures of a point set beside those of SciPy's Sobol, Halton, Latin hypercube and random."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import qmc

from lattice_tools._search import Progress
from lattice_tools.engine import RNG_KEYWORD
from lattice_tools.integration.merit import p_alpha, p_alpha_of_points
from lattice_tools.lattice import Rank1Lattice
from lattice_tools.limit import fraction_of_limit
from lattice_tools.radius import FloatArray, Radius, covering_radius, separation, unit_cube_points

__all__ = ["numbers_of", "report"]

#: Discrepancies by their name in `scipy.stats.qmc.discrepancy`.
DISCREPANCIES = {
    "CD": "centred discrepancy",
    "WD": "wrap-around discrepancy",
    "MD": "mixture discrepancy",
    "L2-star": "L2-star discrepancy",
}

#: Measures of which larger values are better; of the others smaller ones are.
_LARGER_IS_BETTER = {"separation, torus", "separation, Euclidean"}

#: The integration error; see `lattice_tools.integration.merit`.
_P2 = "sqrt(P2), weights 1/j^2"

#: Discrepancies and P2 compare all pairs of points: n² d steps, in about 0.2 s per measure and
#: point set at this number. Beyond it they are left out unless wished.
MAX_PAIR_STEPS = 10**8

#: In more than ten dimensions a search for nearest neighbours compares a large share of all pairs:
#: up to this number of steps n² d the separations of all sets take about a minute. Beyond it they
#: are left out unless wished.
MAX_NEIGHBOUR_STEPS = 5 * 10**9
_MANY_DIMENSIONS = 10

#: The measures of one point set by name: plain numbers, and radii that may be lower bounds.
Numbers = dict[str, float | Radius]


def reference_sets(n_points: int, dim: int, seed: int = 0) -> Iterator[tuple[str, FloatArray]]:
    """Yield names and points (n, d) of the point sets to compare with, all of the same size.

    They are scrambled Sobol and Halton points, a Latin hypercube, and random points.
    """
    rng = {RNG_KEYWORD: np.random.default_rng(seed)}
    with warnings.catch_warnings():
        # Sobol' points are balanced only for powers of two; they are compared at all sizes.
        warnings.filterwarnings("ignore", message="The balance properties of Sobol")
        sobol = qmc.Sobol(dim, **rng).random(n_points)
    yield "Sobol", sobol
    yield "Halton", qmc.Halton(dim, **rng).random(n_points)
    yield "Latin hypercube", qmc.LatinHypercube(dim, **rng).random(n_points)
    # A stream of its own: the search for a covering radius draws places with the same seed.
    yield "random", np.random.default_rng([seed, 1]).random((n_points, dim))


def numbers_of(
    points: ArrayLike,
    *,
    n_starts: int = 16,
    seed: int = 0,
    pairs: bool = True,
    neighbours: bool = True,
) -> Numbers:
    """Return separation, covering radius, mesh ratio, discrepancies and sqrt(P2) of points.

    The separation is the smallest distance between two points; the mesh ratio is the covering
    radius divided by half of the separation. Each of these is given on the torus and in the plain
    cube ("Euclidean"). The discrepancies are the centred, wrap-around, mixture and L2-star
    discrepancy of SciPy. P2 is the squared worst-case error of integrating periodic functions,
    with weights 1 / j² (see `p_alpha`). If the points are a rank-1 lattice in its order, shifted
    or not, this is recognised and saves work.

    Args:
        points: Array (n, d) in [0, 1], n >= 2.
        n_starts: Number of local ascents for a covering radius in more than three dimensions.
        seed: Seed of the starts of the ascents.
        pairs: Whether to compute the measures that compare all pairs of points: the discrepancies
            and, unless the points are a lattice, P2.
        neighbours: Whether to search for nearest neighbours, which separations and mesh ratios
            need. The separation of a lattice on the torus is known without such a search.

    Returns:
        The measures by name, for example "separation, torus" and "covering radius, Euclidean".
        Measures that were not computed are missing.

    Example:
        >>> from lattice_tools import build
        >>> round(numbers_of(build("korobov", 53, 2).points())["separation, torus"], 4)
        0.1437
    """
    X = unit_cube_points(points)
    lattice = lattice_of(X)
    separations: Numbers = {}
    coverings: Numbers = {}
    ratios: Numbers = {}
    for metric, periodic in (("torus", True), ("Euclidean", False)):
        covering = covering_radius(X, periodic=periodic, n_starts=n_starts, seed=seed)
        coverings[f"covering radius, {metric}"] = covering
        if periodic and lattice is not None:
            distance = lattice.min_distance
        elif neighbours:
            distance = separation(X, periodic=periodic)
        else:
            continue
        ratio = 2 * covering.value / distance if distance > 0 else math.inf
        separations[f"separation, {metric}"] = distance
        ratios[f"mesh ratio, {metric}"] = Radius(ratio, covering.is_exact, covering.n_starts)
    numbers = separations | coverings | ratios
    if pairs:
        for method, name in DISCREPANCIES.items():
            numbers[name] = float(qmc.discrepancy(X, method=method))
    if lattice is not None:
        numbers[_P2] = math.sqrt(max(0.0, p_alpha(lattice)))
    elif pairs:
        numbers[_P2] = math.sqrt(max(0.0, p_alpha_of_points(X)))
    return numbers


def lattice_of(points: FloatArray) -> Rank1Lattice | None:
    """Return the rank-1 lattice whose points, shifted or not, are these (n, d) in its order.

    None if there is no such lattice.
    """
    n = len(points)
    if n < 2:
        return None
    b = np.rint((points[1] - points[0]) * n).astype(np.int64)
    lattice = Rank1Lattice(n, tuple(b))
    difference = lattice.points(points[0]) - points
    is_equal = np.abs(difference - np.rint(difference)).max() < 1e-9
    return lattice if is_equal else None


def report(
    points: ArrayLike,
    *,
    name: str = "points",
    n_starts: int = 16,
    seed: int = 0,
    full: bool = False,
    progress: Progress | None = None,
) -> str:
    """Return a table of the measures of the points and of reference sets of the same size.

    The measures are those of `numbers_of`. The reference sets are Sobol, Halton, Latin hypercube
    and random points. The best number of each row, that is, the largest separation and the
    smallest of any other measure, has a star; a row with lower bounds or missing numbers has none.

    Args:
        points: Array (n, d) in [0, 1], n >= 2.
        name: The heading of the points' column.
        n_starts: Number of local ascents for a covering radius in more than three dimensions.
        seed: Seed of the ascents, and of the reference sets.
        full: Compute all measures even if that takes minutes or hours.
        progress: Called with the share, from 0 to 1, of the work that is done.

    Example:
        >>> from lattice_tools import build
        >>> print(report(build("korobov", 53, 2).points()).splitlines()[0])
        53 points in 2 dimensions
    """
    X = unit_cube_points(points)
    n, d = X.shape
    pairs = full or n**2 * d <= MAX_PAIR_STEPS
    neighbours = full or d <= _MANY_DIMENSIONS or n**2 * d <= MAX_NEIGHBOUR_STEPS
    options: dict[str, Any] = {
        "n_starts": n_starts,
        "seed": seed,
        "pairs": pairs,
        "neighbours": neighbours,
    }
    columns: dict[str, Numbers] = {name: numbers_of(X, **options)}
    n_sets = 5
    for title, reference in reference_sets(n, d, seed):
        if progress is not None:
            progress(len(columns) / n_sets)
        columns[title] = numbers_of(reference, **options)
    if progress is not None:
        progress(1.0)
    lines = [f"{n} points in {d} dimensions", "", *_table(columns), "", "* the best of its row."]
    if not all(v.is_exact for v in columns[name].values() if isinstance(v, Radius)):
        lines.append(
            f">= Covering radii and mesh ratios are lower bounds: the best of {n_starts} local "
            "ascents."
        )
    if not pairs:
        lines.append(
            f"Discrepancies and P2 of point sets compare all {n:,}² pairs of points and were left "
            "out; --full (`full=True`) computes them."
        )
    if not neighbours:
        lines.append(
            f"Separations and mesh ratios of this many points in {d} dimensions need nearly all "
            "of these pairs, too, and were left out where they are not known from a lattice."
        )
    lattice = lattice_of(X)
    if lattice is not None:
        lines.append(
            f"These are a rank-1 lattice with base vector "
            f"({','.join(map(str, lattice.base_vector))}): minimum distance "
            f"{lattice.min_distance:.5f}, {fraction_of_limit(lattice):.4f} of the limit."
        )
    return "\n".join(lines)


def _table(columns: dict[str, Numbers]) -> list[str]:
    first = next(iter(columns.values()))
    label = max(len(row) for row in first)
    texts = {
        row: _row([numbers.get(row) for numbers in columns.values()], row in _LARGER_IS_BETTER)
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


def _row(values: list[float | Radius | None], larger_is_better: bool) -> list[str]:
    choose: Callable[[list[float]], float] = max if larger_is_better else min
    best = choose([float(value) for value in values if value is not None])
    # Which of several lower bounds belongs to the best set is unknown.
    is_bound = any(isinstance(value, Radius) and not value.is_exact for value in values)
    is_starred = not is_bound and None not in values
    return [
        "- "
        if value is None
        else f"{'>= ' if is_bound else ''}{float(value):.5g}"
        f"{'*' if is_starred and float(value) == best else ' '}"
        for value in values
    ]
