"""Which of two readings of the data chooses which point of a batch.

The plain reading has one length scale per parameter, and takes every value at its word. The
detailed one has a `DetailedKernel`, and tells a trend from ripples. Data rarely show which of them
is right, so they take turns.
"""

from __future__ import annotations

from collections.abc import Iterable

from optuna_bkop._settings import Settings


def is_detailed(number: int) -> bool:
    """Return whether the detailed models choose the point with this number.

    Detailed models have a kernel with a second, short length scale; plain models do not. The
    detailed ones choose the points with even numbers, and the plain ones the others. In a
    conditional space, every eighth point is reserved for another branch than that of the best
    point. These points have odd numbers, so that the plain models choose them.

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
        True if detailed models, with a second, short length scale, choose all of them; False if
        plain models do; None if each kind chooses some. False if the settings allow no detail.
    """
    if not settings.detail or settings.strategy != "bkop":
        return False
    kinds = {is_detailed(number) for number in numbers}
    return kinds.pop() if len(kinds) == 1 else None
