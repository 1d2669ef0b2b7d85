"""Certified maximum of a function over boxes, by branch and bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray

#: Maps centres (m, D) and half sides (m, D) of boxes to values at the centres (m,) and to upper
#: bounds (m,) on the boxes.
BoxBound = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

#: Number of boxes that are split at once. More make better use of matrix products, and split boxes
#: that a better point would have excluded.
_CHUNK = 128


@dataclass(frozen=True)
class Maximum:
    """A maximum that is known to lie between two numbers.

    Attributes:
        lower: Largest value that was found.
        upper: The function is nowhere larger, if ``is_certified``. Otherwise equal to ``lower``.
        at: Point (D,) at which ``lower`` was found.
        is_certified: Whether ``upper`` is proved, up to rounding. If False, the maximum is the
            result of a search, and larger values may exist.
        n_boxes: Number of boxes that were bounded.

    Example:
        >>> from optuna_bkop.regret import StationaryKernel, same_history_bound
        >>> X = np.array([[0.2], [0.7]])
        >>> maximum = same_history_bound(X, StationaryKernel("se", 0.5), 1.0).largest_std
        >>> maximum.lower <= maximum.upper, maximum.is_certified
        (True, True)
    """

    lower: float
    upper: float
    at: FloatArray
    is_certified: bool
    n_boxes: int


def maximize_on_boxes(
    bound: BoxBound,
    lower: FloatArray,
    upper: FloatArray,
    *,
    scales: FloatArray,
    start: tuple[float, FloatArray] | None = None,
    tolerance: float = 0.0,
    floor: float = -math.inf,
    enough: float = math.inf,
    max_boxes: int = 20_000,
) -> Maximum:
    """Return the maximum of a function over the union of m boxes.

    The box with the largest upper bound is split in the middle of its longest side, until the
    largest upper bound is close to the largest value found. The result is certified whenever the
    search ends: with few boxes it is valid, but the upper bound is less tight.

    Args:
        bound: Maps centres (k, D) and half sides (k, D) of boxes to the function's values (k,) at
            the centres and to upper bounds (k,) of it on the boxes.
        lower: Lower corners (m, D).
        upper: Upper corners (m, D).
        scales: Sides are measured in these units (D,), for example length scales.
        start: A known value of the function and its point (D,); None for none.
        tolerance: The search ends when upper and lower value differ by at most this.
        floor: Values up to this do not matter: the upper bound need not be smaller.
        enough: The search ends when a value above this was found.
        max_boxes: Number of bounded boxes after which the search ends.
    """
    centres, halves = (lower + upper) / 2, (upper - lower) / 2
    best, at = (-math.inf, centres[0]) if start is None else start
    bounds = np.full(len(centres), math.inf)
    settled = -math.inf  # largest upper bound of the boxes that are not split any more
    n_boxes = 0
    first = True
    while len(centres):
        if first:
            parents, chosen = bounds, np.arange(len(centres))
            new_centres, new_halves, first = centres, halves, False
        else:
            order = np.argsort(-bounds)[:_CHUNK]
            # Boxes far below the largest bound wait until it has come down to them.
            chosen = order[2 * bounds[order] >= bounds[order[0]] + best]
            new_centres, new_halves = _halved(centres[chosen], halves[chosen], scales)
            parents = np.tile(bounds[chosen], 2)
        values, new_bounds = bound(new_centres, new_halves)
        n_boxes += len(values)
        new_bounds = np.minimum(np.maximum(new_bounds, values), parents)
        k = int(np.argmax(values))
        if values[k] > best:
            best, at = float(values[k]), new_centres[k]

        keep = np.delete(np.arange(len(centres)), chosen)
        centres = np.vstack([centres[keep], new_centres])
        halves = np.vstack([halves[keep], new_halves])
        bounds = np.append(bounds[keep], new_bounds)
        is_open = (bounds > max(best + tolerance, floor)) & (halves > 0).any(axis=1)
        settled = max(settled, float(bounds[~is_open].max(initial=-math.inf)))
        centres, halves, bounds = centres[is_open], halves[is_open], bounds[is_open]
        if best > enough or n_boxes >= max_boxes:
            break
    top = max(best, settled, float(bounds.max(initial=-math.inf)))
    return Maximum(best, top, at, is_certified=True, n_boxes=n_boxes)


def _halved(
    centres: FloatArray, halves: FloatArray, scales: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the two halves (2 m, D) of each box, split across its longest side."""
    rows, longest = np.arange(len(centres)), np.argmax(halves / scales, axis=1)
    smaller, shift = halves.copy(), np.zeros_like(halves)
    smaller[rows, longest] /= 2
    shift[rows, longest] = smaller[rows, longest]
    return np.vstack([centres - shift, centres + shift]), np.vstack([smaller, smaller])
