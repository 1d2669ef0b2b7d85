"""Decides which running trials count as alive, and which are expected to ask.

A trial is expected to ask if it has begun recently and has no point yet. Plans reserve a point for
each of these trials.

The clocks of machines need not agree. The start of a trial is written by the machine that began
it: in some storages as local time, which may be hours off if time zones differ, and in all of them
by a clock that may be wrong. A worker can trust its own clock and the order of its own reads: a
trial that was missing in its previous read has begun since. So foreign clocks matter only for
trials that a worker finds at its first read, and a start in the future counts as just now.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from optuna import Study
from optuna.storages._heartbeat import is_heartbeat_enabled
from optuna.trial import FrozenTrial

from optuna_bkop._coordination.records import written_at
from optuna_bkop._study.timestamps import timestamp

#: A running trial is considered dead when it is this many times older than the longest finished
#: one (and older than the sampler's ``stale_after``).
_DEAD_TIMES = 5.0
#: With heartbeats, Optuna itself detects dead trials long before. But a trial that was begun
#: without a heartbeat cannot miss one; it is considered dead after this many times the bound.
_HEARTBEAT_TIMES = 10.0
#: Seconds for which a place is reserved for a trial that has not asked yet: at least
#: `_ASK_SECONDS`, or `_ASK_TIMES` times the duration of this worker's last ask.
_ASK_SECONDS, _ASK_TIMES = 5.0, 2.0
#: Maximum number of trials for which a place is reserved: `_N_ASKING`, the batch size, or
#: `_ASKING_TIMES` times the number of trials that recently ran in parallel.
_N_ASKING, _ASKING_TIMES = 16, 2
#: Number of trials whose start is remembered. When there are more, those that no longer run are
#: forgotten.
_MAX_REMEMBERED = 10_000


@dataclass(frozen=True)
class Limits:
    """Limits beyond which other trials are ignored.

    Attributes:
        running: Age in seconds beyond which a running trial is considered dead. Another trial may
            then take its point.
        asking: Age in seconds beyond which a running trial without a point is no longer expected
            to ask. Plans reserve a point for each trial that is.
        n_asking: Maximum number of trials that are expected to ask, youngest first.
    """

    running: float
    asking: float
    n_asking: int


def limits(
    study: Study,
    *,
    stale_after: float,
    longest: float,
    last_ask: float,
    batch_size: int | None,
    n_at_once: int,
) -> Limits:
    """Return the limits for one ask.

    A running trial is considered dead beyond ``stale_after`` or five times ``longest``, whichever
    is longer; with a storage that has heartbeats, beyond ten times that.

    Args:
        study: The study.
        stale_after: The sampler's argument: minimum age in seconds of a dead trial.
        longest: Duration of the longest finished trial in seconds.
        last_ask: Duration of this worker's last ask in seconds.
        batch_size: The sampler's argument: number of trials that are planned together; None if the
            user gave none.
        n_at_once: Number of trials that recently ran in parallel.
    """
    running = max(stale_after, _DEAD_TIMES * longest)
    if is_heartbeat_enabled(study._storage):
        running *= _HEARTBEAT_TIMES
    return Limits(
        running=running,
        asking=max(_ASK_SECONDS, _ASK_TIMES * last_ask),
        n_asking=max(_N_ASKING, batch_size or 0, _ASKING_TIMES * n_at_once),
    )


class Watch:
    """Measures the ages of running trials, by this worker's own clock where possible."""

    def __init__(self) -> None:
        self._begun: dict[object, float] = {}
        self._last_read = -math.inf

    def ages(self, running: Sequence[FrozenTrial]) -> dict[int, float]:
        """Map the numbers of the running trials of a fresh read to ages in seconds.

        The age of a trial counts from its start, or from the record that it has published last.
        """
        now = time.monotonic()
        ages: dict[int, float] = {}
        keys: set[object] = set()
        for trial in running:
            alive_at = written_at(trial)
            key = (trial._trial_id, trial.datetime_start, alive_at)
            begun = self._begun.get(key)
            if begun is None:
                if alive_at is None:
                    alive_at = timestamp(trial.datetime_start)
                age = 0.0 if alive_at is None else max(0.0, time.time() - alive_at)
                begun = self._begun[key] = now - min(age, now - self._last_read)
            ages[trial.number] = now - begun
            keys.add(key)
        if len(self._begun) > _MAX_REMEMBERED + len(keys):
            self._begun = {key: self._begun[key] for key in keys}
        self._last_read = now
        return ages
