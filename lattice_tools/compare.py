"""Tables of minimum distances: methods beside each other, and beside printed values.

The printed values are those of Tables 1-3 of Lyu, Yuan and Tsang. A lattice is wider than another
of the same size (N, d) if its minimum distance on the torus is larger.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from lattice_tools._interrupt import keeps_best
from lattice_tools._search import Progress, in_order
from lattice_tools.build import build, option_names
from lattice_tools.limit import distance_limit
from lattice_tools.paper import PAPER_METHODS, as_printed, printed
from lattice_tools.subgroup import is_admissible

#: Rows that are compared with a row of the paper that has another name.
_STANDS_FOR = {"best": "alg7"}


@dataclass(frozen=True)
class Cell:
    """One cell of a table: a construction and its size.

    Attributes:
        method: Name of the construction, as in `build`, for example "alg7".
        n_points: The number of points N.
        dim: The dimension d.
        options: Options of the construction, as pairs (name, value).
    """

    method: str
    n_points: int
    dim: int
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def printed(self) -> str | None:
        """The value in the tables of Lyu, Yuan and Tsang, as printed; None if they lack the cell.

        The method "best" is compared with their best row, Algorithm 7.
        """
        return printed(_STANDS_FOR.get(self.method, self.method), self.n_points, self.dim)


@dataclass(frozen=True)
class Measured:
    """A measured cell.

    Attributes:
        cell: The construction and its size.
        min_distance: The minimum distance on the torus of the lattice that was built; None if the
            construction has no lattice of this size.
        seconds: Wall seconds that the construction took.
        is_optimal: Whether it is proved that no lattice of this size has a larger minimum
            distance.
    """

    cell: Cell
    min_distance: float | None
    seconds: float
    is_optimal: bool = False

    @property
    def fraction(self) -> str:
        """The minimum distance divided by `distance_limit`, as text; with a star if optimal.

        Empty if there is no lattice.
        """
        if self.min_distance is None:
            return ""
        limit = distance_limit(self.cell.n_points, self.cell.dim)
        return f"({self.min_distance / limit:.4f}{'*' if self.is_optimal else ''})"


def cells_of(
    methods: Sequence[str],
    points: Sequence[int],
    dims: Sequence[int],
    options: Mapping[str, Any],
    *,
    paper: bool,
) -> list[Cell]:
    """Return all cells of the tables, one table per number of points.

    Args:
        methods: The rows of the tables, as names of constructions.
        points: The numbers of points N, one table each.
        dims: The columns d of the tables.
        options: Options by name, passed to those methods that take them.
        paper: Whether methods get the options that Lyu, Yuan and Tsang used for their Tables 1-3,
            which take precedence over ``options``.

    Returns:
        The cells by table, then by row. Repeated rows, columns and tables are left out.
    """
    return [
        Cell(method, N, d, tuple(_options(method, options, paper).items()))
        for N in dict.fromkeys(points)
        for method in dict.fromkeys(methods)
        for d in dict.fromkeys(dims)
    ]


@keeps_best
def measure(
    cells: Sequence[Cell], *, jobs: int = 1, progress: Progress | None = None
) -> list[Measured]:
    """Build the lattice of every cell and measure it.

    Args:
        cells: The cells.
        jobs: Number of cells that are built at a time, in processes of their own if above 1.
        progress: Called with the share, from 0 to 1, of the cells that are done.

    Returns:
        The measured cells, in the same order. After Ctrl-C only those that were begun, with the
        best values so far.
    """
    measured: list[Measured] = []
    for result in in_order(_measure_cell, cells, jobs=jobs):
        measured.append(result)
        if progress is not None:
            progress(len(measured) / len(cells))
    return measured


def table(measured: Sequence[Measured], *, paper: bool) -> str:
    """Return the tables as text, one block per number of points.

    A cell shows a minimum distance and its fraction of the upper bound for its size. If ``paper``
    is True, it also shows the value that Lyu, Yuan and Tsang printed, if there is one.
    """
    if not measured:
        return "No cell was measured."
    blocks = []
    width = max(len(_text(m, paper)) for m in measured)
    label = max(len(m.cell.method) for m in measured) + 1
    for N, group in groupby(measured, key=lambda m: m.cell.n_points):
        rows = {name: list(row) for name, row in groupby(group, key=lambda m: m.cell.method)}
        dims = [m.cell.dim for m in next(iter(rows.values()))]
        head = "  ".join(f"d={d}".ljust(width) for d in dims)
        lines = [f"N={N}", " " * label + " " + head.rstrip()]
        for name, row in rows.items():
            texts = "  ".join(_text(m, paper).ljust(width) for m in row)
            lines.append(f"{name:<{label}} {texts.rstrip()}")
        blocks.append("\n".join(lines))
    notes = ["(fraction of the limit)"]
    if any(m.is_optimal for m in measured):
        notes.append("* proved to be the widest of all.")
    if any(m.min_distance is None for m in measured):
        notes.append("- there is no subgroup lattice of this size.")
    blocks.append("\n".join(notes))
    return "\n\n".join(blocks)


def verdict(measured: Sequence[Measured]) -> str:
    """Return a sentence with the number of cells of each row that are equal, wider or lower.

    The cells are compared with the values that Lyu, Yuan and Tsang printed, after rounding to
    their digits. Cells without a printed value are left out.
    """
    sentences = []
    for name in dict.fromkeys(m.cell.method for m in measured):
        signs = [_sign(m) for m in measured if m.cell.method == name and _sign(m)]
        counts = [
            f"{signs.count(sign)} of {len(signs)} {word}"
            for sign, word in (("=", "equal"), (">", "wider"), ("<", "LOWER"))
            if sign in signs
        ]
        if counts:
            sentences.append(f"{name}: {', '.join(counts)}")
    return "; ".join(sentences) + "." if sentences else "The paper has none of these cells."


def _options(method: str, options: Mapping[str, Any], paper: bool) -> dict[str, Any]:
    known = option_names(method)
    taken = {name: value for name, value in options.items() if name in known}
    return taken | (PAPER_METHODS.get(method, {}) if paper else {})


def _measure_cell(cell: Cell) -> Measured:
    begun = time.perf_counter()
    if cell.method == "subgroup" and not is_admissible(cell.n_points, cell.dim):
        return Measured(cell, None, 0.0)
    lattice = build(cell.method, cell.n_points, cell.dim, **dict(cell.options))
    seconds = time.perf_counter() - begun
    return Measured(cell, lattice.min_distance, seconds, lattice.is_optimal)


def _sign(m: Measured) -> str:
    """Compare our distance with the one that Lyu, Yuan and Tsang printed, rounded to their digits.

    Returns "=" if both are equal, ">" if ours is larger, "<" if it is smaller, and "" if one of
    them is missing.
    """
    theirs = m.cell.printed
    if theirs is None or m.min_distance is None:
        return ""
    ours = float(as_printed(m.min_distance, theirs))
    return "=" if ours == float(theirs) else ">" if ours > float(theirs) else "<"


def _text(m: Measured, paper: bool) -> str:
    if m.min_distance is None:
        return "-"
    theirs = m.cell.printed if paper else None
    if theirs is None:
        return f"{m.min_distance:.5f} {m.fraction}"
    return f"{as_printed(m.min_distance, theirs)} {_sign(m)} {theirs} {m.fraction}"
