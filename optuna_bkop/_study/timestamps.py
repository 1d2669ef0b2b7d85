"""Moments of trials as seconds since 1970."""

from __future__ import annotations

import datetime

from optuna.trial import FrozenTrial


def timestamp(moment: datetime.datetime | None) -> float | None:
    """Return seconds since 1970; None if unknown. Without a time zone, it is local time."""
    if moment is None:
        return None
    try:
        return moment.timestamp()
    except (OverflowError, OSError, ValueError):
        return None  # on some systems the years 1 and 9999 have no timestamp


def duration(trial: FrozenTrial) -> float:
    """Return how many seconds a finished trial ran; 0 if unknown."""
    begun, ended = timestamp(trial.datetime_start), timestamp(trial.datetime_complete)
    return 0.0 if begun is None or ended is None else ended - begun
