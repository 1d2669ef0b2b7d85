"""A picture of two coordinates of a point set, beside as many random points."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from lattice_tools.lattice import integer
from lattice_tools.radius import separation, unit_cube_points

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_points"]

#: File formats that matplotlib writes without a display.
IMAGE_FORMATS = ("png", "pdf", "svg")

_INK = "#1b2a41"
_POINT = "#0b5fa5"
_DISC = "#9fc9eb"
_RANDOM_POINT = "#a8431f"
_RANDOM_DISC = "#f2c3ad"


def plot_points(
    points: ArrayLike, pair: tuple[int, int] = (1, 2), *, name: str = "points", seed: int = 0
) -> Figure:
    """Draw two panels: the points in a pair of coordinates, and as many random points.

    Each point has a disc that reaches half of the way to its nearest neighbour on the torus (in
    these two coordinates), so discs touch and never overlap. On a lattice all discs have the
    packing radius; among random points most are small, and the holes between them are large.

    Args:
        points: Array (n, d) in [0, 1], n >= 2, d >= 2.
        pair: Two different coordinates to draw, counted from 1.
        name: Name of the points in the left panel's title.
        seed: Seed of the random points.

    Returns:
        A matplotlib figure, apart from pyplot and without a window.

    Example:
        >>> from lattice_tools import build
        >>> figure = plot_points(build("korobov", 101, 2).points(), name="lattice points")
        >>> len(figure.axes)
        2
    """
    Figure_, EllipseCollection = _matplotlib()
    X = unit_cube_points(points)
    where = " in this plane" if X.shape[1] > 2 else ""
    first, second = _checked_pair(pair, X.shape[1])
    X = X[:, [first - 1, second - 1]]
    random = np.random.default_rng(seed).random(X.shape)
    figure: Figure = Figure_(figsize=(10.4, 5.6), dpi=160, layout="constrained")
    axes = figure.subplots(1, 2)
    for ax, P, title, point, disc in (
        (axes[0], X, f"{len(X):,} {name}", _POINT, _DISC),
        (axes[1], random, f"{len(X):,} random points", _RANDOM_POINT, _RANDOM_DISC),
    ):
        centres, diameters = _discs(P)
        ax.add_collection(
            EllipseCollection(
                diameters,
                diameters,
                np.zeros(len(centres)),
                units="xy",
                offsets=centres,
                offset_transform=ax.transData,
                facecolor=disc,
                edgecolor="white",
                linewidth=0.5,
            )
        )
        # Points shrink as they grow in number, so that discs stay visible.
        size = float(np.clip(1200 / len(P), 0.6, 14))
        ax.scatter(P[:, 0], P[:, 1], s=size, color=point, linewidths=0, zorder=3, clip_on=False)
        distance = separation(P, periodic=True)
        ax.set_title(f"{title}\nminimum distance {distance:.3g}{where}", fontsize=11, color=_INK)
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        ax.set_xlabel(f"coordinate {first}", color=_INK)
        ax.set_ylabel(f"coordinate {second}", color=_INK)
        ax.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
        ax.tick_params(colors=_INK, length=3)
        for spine in ax.spines.values():
            spine.set_color(_INK)
            spine.set_linewidth(0.8)
    return figure


def image(figure: Figure, format: str) -> bytes:
    """The figure as the content of a file in one of `IMAGE_FORMATS`; others are a ValueError."""
    if format not in IMAGE_FORMATS:
        raise ValueError(
            f"A picture's format must be one of {', '.join(IMAGE_FORMATS)}, got {format!r}."
        )
    buffer = io.BytesIO()
    figure.savefig(buffer, format=format)
    return buffer.getvalue()


def _matplotlib() -> tuple[Any, Any]:
    try:
        from matplotlib.collections import EllipseCollection
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("Plots need matplotlib: pip install 'optuna-bkop[plot]'.") from None
    return Figure, EllipseCollection


def _checked_pair(pair: tuple[int, int], dim: int) -> tuple[int, int]:
    if dim < 2:
        raise ValueError("A plot needs points with at least two coordinates, got one.")
    first, second = (integer("pair", j) for j in pair)
    if first == second or not (1 <= first <= dim and 1 <= second <= dim):
        raise ValueError(
            f"`pair` must be two different coordinates from 1 to {dim}, got {first},{second}."
        )
    return first, second


def _discs(P: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return centres (m, 2) and diameters (m,) of the discs of points P (n, 2).

    A disc that reaches over an edge appears at the opposite edge as well, as on the torus.
    """
    W = P % 1.0
    diameters = cKDTree(W, boxsize=1.0).query(W, k=2)[0][:, 1]
    centres, sizes = [], []
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            C = W + np.array([dx, dy])
            r = diameters[:, None] / 2
            visible = np.all((C > -r) & (C < 1 + r), axis=1)
            centres.append(C[visible])
            sizes.append(diameters[visible])
    return np.concatenate(centres), np.concatenate(sizes)
