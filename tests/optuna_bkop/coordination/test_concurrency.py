"""How many trials ran in parallel."""

import datetime
import math
from collections.abc import Sequence

import numpy as np
import pytest
from optuna.trial import FrozenTrial, TrialState, create_trial

from optuna_bkop._coordination.concurrency import concurrency, recent_concurrency
from optuna_bkop._coordination.records import KEY, pack
from tests.optuna_bkop.coordination.support import running_trial


def span(begin: float, end: float | None) -> FrozenTrial:
    start = datetime.datetime(2024, 1, 1)
    trial = create_trial(value=1.0)
    trial.datetime_start = start + datetime.timedelta(seconds=begin)
    trial.datetime_complete = None if end is None else start + datetime.timedelta(seconds=end)
    trial.state = TrialState.RUNNING if end is None else TrialState.COMPLETE
    return trial


def say(trials: Sequence[FrozenTrial], seen: Sequence[int | None]) -> None:
    """Let trials publish how many they saw running."""
    for number, (trial, n_seen) in enumerate(zip(trials, seen, strict=True)):
        trial.number = number
        head = {"version": 3, "number": number, "running": n_seen}
        trial.system_attrs = {KEY: pack(head, [])}


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], 1),
        ([(0, 1), (1, 2), (2, 3)], 1),
        ([(0, 1), (1, 2), (2, None)], 1),
        ([(0, 2), (1, 3), (2.5, 4)], 2),
        ([(0, 9), (1, 9), (2, 9), (3, None)], 4),
        ([(0, None), (1, None), (2, None)], 3),
    ],
)
def test_concurrency_is_how_many_ran_at_once(
    spans: list[tuple[float, float | None]], expected: int
) -> None:
    assert concurrency([span(*ends) for ends in spans]) == expected


@pytest.mark.parametrize("seed", range(20))
def test_concurrency_counts_like_a_loop_and_heeds_what_a_trial_saw(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Whole seconds, so that ends and beginnings coincide.
    begun = np.sort(rng.integers(0, 10, 12))
    ended = [None if rng.random() < 0.2 else int(b + rng.integers(0, 4)) for b in begun]
    seen = [None if rng.random() < 0.5 else int(rng.integers(1, 9)) for _ in begun]
    trials = [span(float(b), e) for b, e in zip(begun, ended, strict=True)]
    counts = [1]
    for now, n_seen in zip(begun, seen, strict=True):
        ends = [
            math.inf if e is None else e for b, e in zip(begun, ended, strict=True) if b <= now
        ]
        if n_seen is None:
            counts.append(sum(end > now for end in ends))
        else:
            counts.append(min(n_seen, sum(end >= now for end in ends)))
    say(trials, seen)
    assert concurrency(trials) == max(counts)


def test_concurrency_counts_trials_that_begin_at_the_same_moment() -> None:
    # The second has the later time and the lower number than the third, which saw all of them.
    trials = [span(0.0, 9.0), span(0.2, 9.0), span(0.1, 9.0)]
    say(trials, (2, 2, 3))
    assert concurrency(trials) == 3


def test_what_was_long_ago_is_forgotten() -> None:
    old = [span(0, 1), span(0, 1), span(0, 1)]
    new = [span(10 + i, 11 + i) for i in range(20)]
    assert concurrency([*old, *new]) == 3
    assert recent_concurrency([*old, *new]) == 1
    assert recent_concurrency([*new, *old]) == 3


@pytest.mark.parametrize(("seen", "expected"), [(1, 1), (4, 4)])
def test_whole_seconds_do_not_hide_who_ran_at_once(seen: int, expected: int) -> None:
    """MySQL keeps whole seconds: what a trial itself saw decides."""
    second = datetime.datetime.now().replace(microsecond=0)
    trials = [running_trial(second, number) for number in range(6)]
    for trial in trials:
        trial.state, trial.datetime_complete = TrialState.COMPLETE, second
    assert concurrency(trials) == 1
    say(trials, [seen] * 6)
    assert concurrency(trials) == expected
