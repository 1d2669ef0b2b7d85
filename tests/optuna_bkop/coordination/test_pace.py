"""Points of older plans are used if and only if planning does not keep pace with results."""

import datetime
from dataclasses import replace
from typing import Any

import optuna
import pytest
from optuna.trial import FrozenTrial, create_trial

from optuna_bkop._coordination.pace import Pace, Worker, read_pace
from optuna_bkop._coordination.records import Entry, read_point, write_entry
from tests.optuna_bkop.coordination.support import (
    HERE,
    SPACE,
    A,
    B,
    C,
    D,
    entry_of,
    finish,
    make_study,
    spy_on_choose_batch,
    suggest,
    value,
    worker,
)

ME, OTHER = Worker.of("study", "me"), Worker.of("study", "other")
PLAN = Entry(plan=(A, B), fingerprint="old", worker=OTHER.text, known=20, cost=200)


def evaluations(*seconds: float) -> list[FrozenTrial]:
    """Finished trials of these durations."""
    begun = datetime.datetime(2026, 1, 1)
    trials = [create_trial(value=0.0) for _ in seconds]
    for trial, duration in zip(trials, seconds, strict=True):
        trial.datetime_start = begun
        trial.datetime_complete = begun + datetime.timedelta(seconds=duration)
    return trials


def pace(*published: Entry, seconds: float = 1.0, **changes: Any) -> Pace:
    given: dict[str, Any] = {"n_finished": 22, "n_running": 8, "worker": ME, **changes}
    return read_pace(published, evaluations(0.1, seconds, 100.0), **given)


def test_a_slow_plan_may_be_used_for_some_results_and_new_ones_are_longer() -> None:
    assert pace(PLAN) == Pace("old", 2)
    assert pace(PLAN, n_finished=24) == Pace("old", 2)
    assert pace(PLAN, n_finished=25) == Pace("", 2)
    # The present plan is not older, and another view may know less than the plan does.
    assert pace(PLAN, n_finished=20) == Pace("", 2)
    assert pace(PLAN, n_finished=19) == Pace("", 2)


def test_a_fast_plan_is_made_anew() -> None:
    assert pace(PLAN, seconds=2.0) == Pace()
    assert pace(replace(PLAN, cost=100)) == Pace()


def test_only_plans_of_other_processes_tell() -> None:
    assert pace(PLAN, worker=OTHER) == Pace()
    assert pace(PLAN, worker=Worker.of("copy of the study", "me")) == Pace()
    assert pace(replace(PLAN, worker="")) == Pace()
    assert pace(replace(PLAN, plan=())) == Pace()
    assert pace() == Pace()
    assert read_pace((PLAN,), (), n_finished=22, n_running=8, worker=ME) == Pace()


def test_the_newest_plan_counts() -> None:
    newer = replace(PLAN, fingerprint="newer", known=21)
    assert pace(PLAN, newer, replace(newer, fingerprint="equally new")).older == "newer"
    assert pace(PLAN, replace(newer, cost=1)) == Pace()


def pressed_study(cost: int) -> tuple[optuna.Study, optuna.Trial]:
    """A study of slow evaluations whose first running trial, of another process, has planned."""
    study = make_study(n_known=0)
    for trial in evaluations(*[1.0] * 6):
        x = 0.1 + 0.1 * len(study.trials)
        study.add_trial(
            create_trial(
                params={"x": x, "y": 0.5},
                distributions=SPACE,
                value=value(x, 0.5),
            )
        )
        # A trial that is added begins and ends now; the storage's own object can be changed.
        stored = study.get_trials(deepcopy=False)[-1]
        stored.datetime_start, stored.datetime_complete = (
            trial.datetime_start,
            trial.datetime_complete,
        )
    first = study.ask()
    entry = Entry(point=A, of="old", plan=(A, B, C, D), fingerprint="old")
    entry = replace(entry, worker=OTHER.text, known=5, cost=cost)
    write_entry(study, study._storage.get_trial(first._trial_id), HERE, entry)
    return study, first


def test_asks_are_served_from_an_older_plan_without_a_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, _ = pressed_study(cost=500)
    for held in (study.ask(), study.ask()):
        hold_elsewhere(study, held)
    calls = spy_on_choose_batch(monkeypatch)
    points = []
    for _ in range(3):
        trial = study.ask()
        suggest(trial)
        entry = entry_of(study, trial)
        points.append(entry.point)
        assert (entry.of, entry.plan) == ("old", ())
    assert points == [B, C, D]
    assert calls == []
    # The plan is used up: the next one plans anew, with points in advance.
    suggest(study.ask())
    assert [q for _, q in calls] == [2]


def hold_elsewhere(study: optuna.Study, trial: optuna.Trial) -> None:
    """Let a trial hold a point that was not planned."""
    entry = Entry(point=(10**7 * (trial.number + 1), 10**8))
    write_entry(study, study._storage.get_trial(trial._trial_id), HERE, entry)


def test_fast_plans_are_not_used_when_they_are_older(monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = pressed_study(cost=50)
    for held in (study.ask(), study.ask()):
        hold_elsewhere(study, held)
    calls = spy_on_choose_batch(monkeypatch)
    suggest(study.ask())
    assert len(calls) == 1


def test_points_that_were_evaluated_meanwhile_are_not_offered_again() -> None:
    study, _ = pressed_study(cost=500)
    for held in [study.ask() for _ in range(6)]:
        hold_elsewhere(study, held)
    trial = study.ask()
    finish(study, trial)
    assert read_point(study.get_trials(deepcopy=False)[trial.number], HERE) == B
    trial = study.ask()
    suggest(trial)
    assert entry_of(study, trial).point == C


def test_one_process_never_uses_its_own_older_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study(batch_size=4)
    calls = spy_on_choose_batch(monkeypatch)
    # All evaluations take no time, so that planning is slow in comparison.
    running = [study.ask() for _ in range(4)]
    for trial in running:
        suggest(trial)
    for trial in running[:3]:
        finish(study, trial)
        suggest(study.ask())
    assert len(calls) == 4


def test_another_process_uses_them(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study(batch_size=6)
    running = [study.ask() for _ in range(4)]
    for trial in running:
        suggest(trial)
    other = worker(study, batch_size=6)
    calls = spy_on_choose_batch(monkeypatch)
    finish(study, running[1])
    trial = other.ask()
    suggest(trial)
    assert entry_of(study, trial).of == entry_of(study, running[0]).of
    assert calls == []
