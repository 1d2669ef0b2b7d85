"""Ages of trials, whatever the clocks say."""

import datetime
import math
from collections.abc import Callable
from typing import Any
from unittest.mock import create_autospec

import optuna
import pytest

from optuna_bkop._coordination import liveness
from optuna_bkop._coordination.liveness import Limits, Watch, limits
from tests.optuna_bkop.coordination.support import A, hold, running_trial, trials_with


@pytest.mark.parametrize(
    ("begun", "least", "most"),
    [
        (lambda: None, 0, 1),
        (lambda: datetime.datetime.now() - datetime.timedelta(hours=2), 7199, 7300),
        (lambda: datetime.datetime.now() + datetime.timedelta(hours=2), 0, 1),
        (
            lambda: datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=2),
            7199,
            7300,
        ),
        (lambda: datetime.datetime.max, 0, 1),
        (lambda: datetime.datetime.min, 0, math.inf),
    ],
)
def test_at_the_first_read_a_foreign_clock_counts_but_no_future(
    begun: Callable[[], datetime.datetime | None], least: float, most: float
) -> None:
    age = Watch().ages([running_trial(begun())])[0]
    assert least <= age <= most


def test_later_only_the_own_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(liveness.time, "monotonic", lambda: now)
    watch = Watch()
    watch.ages([])
    for hours in (-10, 10):
        skewed = datetime.datetime.now() + datetime.timedelta(hours=hours)
        trial = running_trial(skewed, number=abs(hours) + hours)
        now += 3.0
        assert 0.0 <= watch.ages([trial])[trial.number] <= 3.0
        now += 100.0
        assert 100.0 <= watch.ages([trial])[trial.number] <= 103.0


def test_another_time_zone_does_not_make_a_trial_look_dead() -> None:
    study = trials_with({})
    hold(study, 0, A)
    trial = study.get_trials()[0]
    trial.datetime_start = datetime.datetime.now() - datetime.timedelta(hours=9)
    assert Watch().ages([trial])[0] < 5.0


def test_a_watch_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "_MAX_REMEMBERED", 10)
    watch = Watch()
    for number in range(100):
        watch.ages([running_trial(None, number)])
    assert len(watch._begun) <= 12


def limits_of(study: optuna.Study | None = None, **changes: Any) -> Limits:
    given: dict[str, Any] = {
        "stale_after": 60.0,
        "longest": 1.0,
        "last_ask": 0.1,
        "batch_size": None,
        "n_at_once": 1,
    }
    return limits(optuna.create_study() if study is None else study, **{**given, **changes})


@pytest.mark.parametrize(
    ("stale_after", "longest", "expected"), [(60.0, 1.0, 60.0), (60.0, 30.0, 150.0)]
)
def test_a_trial_is_dead_after_the_argument_and_five_times_the_longest(
    stale_after: float, longest: float, expected: float
) -> None:
    assert limits_of(stale_after=stale_after, longest=longest).running == expected


def test_with_heartbeats_a_trial_is_dead_ten_times_later() -> None:
    storage = create_autospec(optuna.storages.RDBStorage, instance=True)
    study = create_autospec(optuna.Study, instance=True, _storage=storage)
    for interval, expected in ((None, 60.0), (30, 600.0)):
        storage.get_heartbeat_interval.return_value = interval
        assert limits_of(study).running == expected


@pytest.mark.parametrize(("last_ask", "expected"), [(0.1, 5.0), (40.0, 80.0)])
def test_a_place_is_kept_for_twice_as_long_as_an_ask_takes(
    last_ask: float, expected: float
) -> None:
    assert limits_of(last_ask=last_ask).asking == expected


@pytest.mark.parametrize(
    ("batch_size", "n_at_once", "expected"), [(None, 1, 16), (50, 1, 50), (None, 30, 60)]
)
def test_places_are_kept_for_as_many_as_the_batch_or_twice_the_workers(
    batch_size: int | None, n_at_once: int, expected: int
) -> None:
    assert limits_of(batch_size=batch_size, n_at_once=n_at_once).n_asking == expected
