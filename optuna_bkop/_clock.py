"""How long trials have been running, when the clocks of the machines need not agree.

A trial's start is written down by the machine that began it: on some storages in its local time,
which may be hours from ours if the machines' time zones differ, on all of them by a clock that may
be wrong. What a worker can trust is its own clock, and the order of its own reads: a trial that it
did not see in its previous read has begun since. So foreign clocks count only for the trials that
a worker finds when it reads for the first time, and a start in the future is taken for just now.
"""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Callable, Sequence

from optuna.trial import FrozenTrial

#: Trials whose begin is remembered; beyond, those are forgotten that do not run any more.
_MAX_REMEMBERED = 10_000


def timestamp(moment: datetime.datetime | None) -> float | None:
    """Seconds since 1970, of a moment with a time zone or without (then local); None: unknown."""
    if moment is None:
        return None
    try:
        return moment.timestamp()
    except (OverflowError, OSError, ValueError):
        return None  # the year 1 or 9999 has no timestamp on some systems


class Watch:
    """Tells the ages of running trials, by the own clock as far as that is possible."""

    def __init__(self) -> None:
        self._begun: dict[object, float] = {}
        self._last_read = -math.inf

    def ages(
        self, running: Sequence[FrozenTrial], stamp: Callable[[FrozenTrial], float | None]
    ) -> dict[int, float]:
        """Number -> seconds, never negative, for the running trials of a fresh read.

        Args:
            running: The trials.
            stamp: When, in seconds since 1970, a trial is known to have been alive; None: ask its
                start.
        """
        now = time.monotonic()
        ages: dict[int, float] = {}
        keys: set[object] = set()
        for trial in running:
            told = stamp(trial)
            # A stamp that was not there before is a sign of life, and the age counts from it.
            key = (trial._trial_id, trial.datetime_start, told)
            begun = self._begun.get(key)
            if begun is None:
                if told is None:
                    told = timestamp(trial.datetime_start)
                age = 0.0 if told is None else max(0.0, time.time() - told)
                begun = self._begun[key] = now - min(age, now - self._last_read)
            ages[trial.number] = now - begun
            keys.add(key)
        if len(self._begun) > _MAX_REMEMBERED + len(keys):
            self._begun = {key: self._begun[key] for key in keys}
        self._last_read = now
        return ages
