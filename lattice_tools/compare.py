"""Tables of minimum distances: methods against each other, and against the paper's Tables 1-3."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from lattice_tools._search import Progress, in_order
from lattice_tools.build import build, option_names
from lattice_tools.paper import PAPER_METHODS, as_printed, printed
from lattice_tools.subgroup import is_admissible

#: What a row of a table is compared with, where it is not the paper's row of the same name.
_STANDS_FOR = {"best": "alg7"}


@dataclass(frozen=True)
class Cell:
    """One cell of a table: a construction and its size.

    Attributes:
        method: A name of `build`.
        n_points: N.
        dim: d.
        options: Of the construction, as (name, value).
    """

    method: str
    n_points: int
    dim: int
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def printed(self) -> str | None:
        """The paper's value, as printed; `best` is measured by the paper's best row."""
        return printed(_STANDS_FOR.get(self.method, self.method), self.n_points, self.dim)


@dataclass(frozen=True)
class Measured:
    """A cell with its lattice's minimum distance; None where the method has no such lattice."""

    cell: Cell
    min_distance: float | None
    seconds: float


def cells_of(
    methods: Sequence[str],
    points: Sequence[int],
    dims: Sequence[int],
    options: Mapping[str, Any],
    *,
    paper: bool,
) -> list[Cell]:
    """All cells of the tables, one table per number of points.

    Args:
        methods: The tables' rows.
        points: The tables' numbers of points N.
        dims: The tables' columns d.
        options: Passed to the methods that take them.
        paper: Whether methods get the options that the paper used.
    """
    return [
        Cell(method, N, d, tuple(_options(method, options, paper).items()))
        for N in dict.fromkeys(points)
        for method in dict.fromkeys(methods)
        for d in dict.fromkeys(dims)
    ]


def measure(
    cells: Sequence[Cell], *, jobs: int = 1, progress: Progress | None = None
) -> list[Measured]:
    """Build the lattice of every cell, ``jobs`` of them at a time."""
    measured: list[Measured] = []
    for result in in_order(_measure_cell, cells, jobs=jobs):
        measured.append(result)
        if progress is not None:
            progress(len(measured) / len(cells))
    return measured


def table(measured: Sequence[Measured], *, paper: bool) -> str:
    """The tables as text, one block per number of points; with the paper's value beside ours."""
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
    if any(m.min_distance is None for m in measured):
        blocks.append("- there is no subgroup lattice of this size.")
    return "\n\n".join(blocks)


def verdict(measured: Sequence[Measured]) -> str:
    """How many cells of each row are equal to, wider and lower than the paper's."""
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
    return Measured(cell, lattice.min_distance, time.perf_counter() - begun)


def _sign(m: Measured) -> str:
    """How ours compares with the paper's to every printed digit: "=", ">" or "<"; or ""."""
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
        return f"{m.min_distance:.5f}"
    return f"{as_printed(m.min_distance, theirs)} {_sign(m)} {theirs}"
