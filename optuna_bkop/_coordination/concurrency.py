"""Finds out how many trials run in parallel, so that users need not state the batch size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from optuna.trial import FrozenTrial

from optuna_bkop._coordination.records import seen_running
from optuna_bkop._study.timestamps import timestamp


def recent_concurrency(recent: Sequence[FrozenTrial]) -> int:
    """Return the largest number of trials that ran in parallel in the last two rounds; at least 1.

    With c the `concurrency` of all trials in ``recent``, the last two rounds are the last 2 c of
    them. Earlier trials do not count, because workers may have left since.

    Args:
        recent: The latest finished trials, in the order of their numbers.
    """
    return concurrency(recent[-2 * concurrency(recent) :])


def concurrency(trials: Sequence[FrozenTrial]) -> int:
    """Return the largest number of trials that ran at the same time; at least 1.

    Whenever a trial began, the trials that were then running are counted, itself included. The
    count is based on the times at which trials began and ended.

    Some storages (MySQL) round times to whole seconds. There, a trial that ended when another
    one began may have run before it or in parallel with it. It is counted, but the count is
    limited to the number of running trials that the new trial saw and recorded. That number
    alone would not do, because it may include dead trials. If a trial recorded no number, trials
    that ended in the moment it began are not counted.

    Args:
        trials: Finished trials, in the order of their numbers.
    """
    spans = [
        (start, timestamp(trial.datetime_complete), seen_running(trial))
        for trial in trials
        if (start := timestamp(trial.datetime_start)) is not None
    ]
    # Unknown numbers are NaN.
    begun, ended, n_seen = np.array(spans, dtype=float).reshape(-1, 3).T
    ended = np.where(np.isnan(ended), np.inf, ended)
    # Row i: of the trials that had begun when trial i began, how many ended later, and how many
    # ended no earlier?
    had_begun = begun <= begun[:, None]
    after = (had_begun & (ended > begun[:, None])).sum(axis=1)
    # If two trials begin at the same moment, the one with the lower number may have the later
    # time. A trial has seen all trials with lower numbers.
    known = had_begun | np.tri(len(begun), dtype=bool)
    not_before = (known & (ended >= begun[:, None])).sum(axis=1)
    at_once = np.where(np.isnan(n_seen), after, np.minimum(n_seen, not_before))
    return int(at_once.max(initial=1))
