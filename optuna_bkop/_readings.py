"""Decides which of two readings of the data chooses which point of a batch.

A reading is a set of kernel models of the values. The plain reading has one length scale per
parameter. The detailed reading has a second, short length scale per parameter (`DetailedKernel`),
which separates ripples from a trend. Data rarely show which reading is right, so each of them
chooses every second point.
"""

from __future__ import annotations

from collections.abc import Iterable

from optuna_bkop._settings import Settings


def is_detailed(number: int) -> bool:
    """Return whether the detailed models choose the point with this number.

    Detailed models have a kernel with a second, short length scale; plain models do not. Detailed
    models choose the points with even numbers, and plain models those with odd numbers. In a
    conditional space, every eighth point is in another branch than the best point. Its number is
    odd, so that plain models choose it.

    Args:
        number: Number of trials and planned points before this point.
    """
    return number % 2 == 0


def reading_of(numbers: Iterable[int], settings: Settings) -> bool | None:
    """Return which models choose the points with these numbers.

    Args:
        numbers: Numbers of the points, counted like trials.
        settings: How batches are chosen.

    Returns:
        True if detailed models, with a second, short length scale, choose all of the points;
        False if plain models do; None if each kind chooses some. Always False with
        ``settings.detail`` False or another strategy than "bkop".
    """
    if not settings.detail or settings.strategy != "bkop":
        return False
    kinds = {is_detailed(number) for number in numbers}
    return kinds.pop() if len(kinds) == 1 else None
