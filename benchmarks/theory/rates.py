"""The line of Theorems 7 and 8 against the covering radius, for lattices of growing size.

Theorem 7: for a kernel whose space is norm-equivalent to the Sobolev space of order s, the largest
deviation falls like h^(s - d/2). Matérn-5/2 has s = 5/2 + d/2, so the power is 5/2 in every
dimension. Theorem 8: for the squared exponential it falls faster than any power.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness.pictures import COLOURS, style
from lattice_tools import build, covering_radius
from optuna_bkop.regret import StationaryKernel, same_history_bound

#: Kernel and dimension -> length scale and numbers of points. Length scales are such that even the
#: smallest lattice is in the range of the rates, and the largest deviation above rounding errors.
CASES: dict[tuple[str, int], tuple[float, tuple[int, ...]]] = {
    ("matern52", 1): (0.5, (8, 13, 21, 34, 55, 89, 144)),
    ("matern52", 2): (3.0, (34, 55, 89, 144, 233, 377, 610, 987, 1597)),
    ("matern52", 3): (5.0, (89, 144, 233, 377, 610, 987, 1597)),
    ("se", 1): (0.15, (5, 8, 13, 21, 27)),
    ("se", 2): (0.5, (13, 21, 34, 55, 89, 144)),
}
#: Boxes of the branch and bound. Deviations far below 1 need many.
_MAX_BOXES = 300_000


@dataclass(frozen=True)
class Rate:
    """The largest deviation of a lattice.

    Attributes:
        n_points: Number of lattice points.
        radius: Covering radius h in the plain cube.
        std: Proved upper bound of the largest deviation.
        searched: Largest deviation that was found.
    """

    n_points: int
    radius: float
    std: float
    searched: float


def rates(kernel: str, dim: int) -> list[Rate]:
    """Return the largest deviations of the lattices of a case."""
    found = []
    length_scale, sizes = CASES[kernel, dim]
    for n in sizes:
        X = build("korobov", n_points=n, dim=dim).points()
        # A lattice has its first point at 0; the shift centres it in the cube.
        X = X + (1.0 - X.max(axis=0)) / 2
        largest = same_history_bound(
            X, StationaryKernel(kernel, length_scale), 1.0, tolerance=0.02, max_boxes=_MAX_BOXES
        ).largest_std
        radius = float(covering_radius(X, periodic=False))
        found.append(Rate(n, radius, largest.upper, largest.lower))
    return found


def slopes(found: list[Rate]) -> tuple[float, float, float]:
    """Return the slopes of log std against log h: smaller and larger lattices, and all."""
    x, y = np.log([r.radius for r in found]), np.log([r.std for r in found])
    half = len(x) // 2
    first = np.polyfit(x[: half + 1], y[: half + 1], 1)[0]
    last = np.polyfit(x[-half - 1 :], y[-half - 1 :], 1)[0]
    return float(first), float(last), float(np.polyfit(x, y, 1)[0])


def draw_rates(all_rates: dict[tuple[str, int], list[Rate]], path: Path) -> None:
    """Draw the largest deviations against the covering radius, in log-log scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    names = {"matern52": "Matérn-5/2", "se": "squared exponential"}
    for colour, ((kernel, dim), found) in zip(COLOURS, all_rates.items(), strict=False):
        h, std = [r.radius for r in found], [r.std for r in found]
        first, last, _ = slopes(found)
        label = f"{names[kernel]}, d = {dim}: slope {first:.1f}, then {last:.1f}"
        axes.loglog(
            h, std, "o-" if kernel == "matern52" else "s--", color=colour, label=label, ms=4
        )
        if kernel == "matern52":
            line = std[-1] * (np.array(h) / h[-1]) ** 2.5
            axes.loglog(h, line, color="0.7", lw=0.8)
    axes.plot([], [], color="0.7", lw=0.8, label="slope 5/2 (Theorem 7)")
    axes.set(xlabel="covering radius h", ylabel="largest deviation, proved")
    axes.legend(frameon=False, fontsize=8)
    style(axes)
    figure.savefig(path, dpi=110)
