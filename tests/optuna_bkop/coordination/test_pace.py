"""Points of older plans are used if and only if planning does not keep pace with results."""

import datetime
from dataclasses import replace
from typing import Any
from unittest.mock import create_autospec

import optuna
import pytest
from optuna.trial import FrozenTrial, create_trial

from optuna_bkop import _suggest
from optuna_bkop._coordination.pace import Pace, Worker, read_pace
from optuna_bkop._coordination.records import (
    Entry,
    Point,
    from_integers,
    read_point,
    write_entry,
)
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
PLAN = replace(
    Entry(point=A, of="old", plan=(A, B), fingerprint="old"),
    worker=OTHER.text,
    known=20,
    cost=200,
)


def evaluations(*seconds: float) -> list[FrozenTrial]:
    """Finished trials of these durations."""
    begun = datetime.datetime(2026, 1, 1)
    trials = [create_trial(value=0.0) for _ in seconds]
    for trial, duration in zip(trials, seconds, strict=True):
        trial.datetime_start = begun
        trial.datetime_complete = begun + datetime.timedelta(seconds=duration)
    return trials


def pace(*running: Entry, seconds: float = 1.0, **changes: Any) -> Pace:
    given: dict[str, Any] = {
        "finished": (),
        "recent": evaluations(0.1, seconds, 100.0),
        "fingerprint": "new",
        "place": 0,
        "waited": 0.0,
        "n_finished": 22,
        "n_running": 8,
        "worker": ME,
        **changes,
    }
    return read_pace(running, **given)


def test_a_slow_plan_may_be_used_for_some_results_and_new_ones_are_longer() -> None:
    # 200 ms are a fifth of an evaluation, in which two of eight trials ask.
    assert pace(PLAN) == Pace("old", 8, 2)
    assert pace(PLAN, n_finished=36) == Pace("old", 8, 2)
    assert pace(PLAN, n_finished=37) == Pace("", 8, 2)
    # The present plan is not older, and another view may know less than the plan does.
    assert pace(PLAN, n_finished=20) == Pace("", 8, 2)
    assert pace(PLAN, n_finished=19) == Pace("", 8, 2)


def test_a_fast_plan_is_made_anew() -> None:
    assert pace(PLAN, seconds=2.0) == Pace()
    assert pace(replace(PLAN, cost=100)) == Pace()


def test_the_next_plan_is_begun_early_enough() -> None:
    assert pace(replace(PLAN, cost=500)).n_reserve == 4
    assert pace(replace(PLAN, cost=5000)).n_reserve == 8
    assert pace(PLAN, seconds=0.0, recent=evaluations(0.0)).n_reserve == 8


def test_one_of_those_that_ask_makes_the_next_plan() -> None:
    pressed = Pace("old", n_ahead=8, n_reserve=3)
    # Five points are free. The first two of five trials use one each; three are then left.
    assert [pressed.makes_next_plan(5, place) for place in range(5)] == [0, 0, 1, 0, 0]
    # The first one plans already, with the reserve or what is left of it for the others.
    assert [pressed.makes_next_plan(3, place) for place in range(5)] == [1, 0, 0, 0, 0]
    assert [pressed.makes_next_plan(1, place) for place in range(5)] == [1, 0, 0, 0, 0]
    assert [pressed.makes_next_plan(0, place) for place in range(5)] == [1, 0, 0, 0, 0]


def test_a_study_with_one_process_plans_anew_after_each_result() -> None:
    assert pace(PLAN, worker=OTHER) == Pace()
    assert pace(PLAN, worker=Worker.of("copy of the study", "me")) == Pace()
    assert pace(replace(PLAN, worker="")) == Pace()
    assert pace(replace(PLAN, plan=())) == Pace()
    assert pace() == Pace()
    assert pace(PLAN, recent=()) == Pace()


def test_a_process_that_has_colleagues_uses_its_own_plans() -> None:
    colleague = Entry(point=C, of="older", worker=ME.text)
    assert pace(PLAN, colleague, worker=OTHER).older == "old"
    copied = Entry(point=C, of="older", worker=Worker.of("copy of the study", "me").text)
    assert pace(PLAN, copied, worker=OTHER) == Pace()


def test_plans_of_finished_trials_count() -> None:
    holder = Entry(point=C, of="older", worker=OTHER.text)
    assert pace(holder, finished=(PLAN,)).older == "old"


def test_the_newest_plan_counts_and_the_median_of_the_costs() -> None:
    newer = replace(PLAN, fingerprint="newer", known=21)
    assert pace(PLAN, newer, replace(newer, fingerprint="equally new")).older == "newer"
    # One plan with few points was fast.
    assert pace(PLAN, PLAN, replace(newer, cost=1)).older == "newer"
    assert pace(PLAN, replace(newer, cost=1), replace(newer, cost=1)) == Pace()


def test_after_a_round_the_older_plan_is_not_used() -> None:
    in_this_round = Entry(point=C, of="new", worker=OTHER.text)
    assert pace(in_this_round, finished=(PLAN,)) == Pace("", 8, 2)
    enqueued = Entry(point=D, worker=OTHER.text)
    assert pace(enqueued, finished=(PLAN,)) == Pace("", 8, 2)


def test_a_trial_waits_for_the_one_before_it_and_not_for_ever() -> None:
    assert pace(PLAN).wait == 0.0
    assert pace(PLAN, place=1).wait == pytest.approx(0.05)
    # An evaluation takes a second, three plans take less.
    assert pace(PLAN, place=1, waited=0.99).wait > 0.0
    assert pace(PLAN, place=1, waited=1.0).wait == 0.0
    assert pace(replace(PLAN, cost=2000), place=1, waited=5.99).wait > 0.0
    assert pace(replace(PLAN, cost=2000), place=1, waited=6.0).wait == 0.0
    # A record may say anything.
    assert pace(replace(PLAN, cost=10**11), place=1).wait == 1.25
    assert pace(replace(PLAN, cost=10**11), place=1, waited=15.0).wait == 0.0
    # Later trials lose patience later.
    assert pace(PLAN, place=3, waited=2.99).wait > 0.0
    assert pace(PLAN, place=3, waited=3.0).wait == 0.0


def pressed_study(
    cost: int, plan: tuple[Point, ...] = (A, B, C, D)
) -> tuple[optuna.Study, optuna.Trial]:
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
    entry = Entry(point=A, of="old", plan=plan, fingerprint="old")
    entry = replace(entry, worker=OTHER.text, known=5, cost=cost)
    write_entry(study, study._storage.get_trial(first._trial_id), HERE, entry)
    return study, first


def test_asks_are_served_from_an_older_plan_without_a_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, _ = pressed_study(cost=150)
    for held in (study.ask(), study.ask()):
        hold_elsewhere(study, held)
    calls = spy_on_choose_batch(monkeypatch)
    for point in (B, C):
        trial = study.ask()
        suggest(trial)
        entry = entry_of(study, trial)
        assert (entry.point, entry.of, entry.plan) == (point, "old", ())
    assert calls == []
    # One point is left for those that ask meanwhile. The next trial makes a plan with a point in
    # advance for each of five running trials.
    trial = study.ask()
    suggest(trial)
    [(U_held, q)] = calls
    assert q == 6
    assert from_integers(D) in U_held
    assert len(entry_of(study, trial).plan) == 6


def test_a_trial_that_reaches_the_reserve_plans_although_another_one_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Three of the plan's points are free, five trials run, and one of them asks. So two points
    # are left, and as many trials will ask while a plan is made.
    study, _ = pressed_study(cost=400)
    for held in (study.ask(), study.ask(), study.ask()):
        hold_elsewhere(study, held)
    worker(study).ask()
    calls, waits = spy_on_choose_batch(monkeypatch), list[float]()
    monkeypatch.setattr(_suggest.time, "sleep", waits.append)
    suggest(study.ask())
    assert len(calls) == 1
    assert waits == []


@pytest.mark.parametrize(("cost", "max_joint"), [(50, 64), (150, 0)])
def test_plans_are_made_in_haste_only_if_planning_is_slow(
    cost: int, max_joint: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, _ = pressed_study(cost=cost, plan=(A,))
    spy = create_autospec(_suggest.choose_batch, side_effect=_suggest.choose_batch)
    monkeypatch.setattr(_suggest, "choose_batch", spy)
    suggest(study.ask())
    assert [call.args[0].settings.max_joint for call in spy.call_args_list] == [max_joint]


def test_a_trial_waits_for_the_plan_of_the_one_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = pressed_study(cost=150, plan=(A,))
    before = worker(study).ask()
    calls, waits = spy_on_choose_batch(monkeypatch), []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            suggest(before)

    monkeypatch.setattr(_suggest.time, "sleep", sleep)
    trial = study.ask()
    suggest(trial)
    assert waits == pytest.approx([0.15 / 4] * 2)
    assert len(calls) == 1
    assert entry_of(study, trial).of == entry_of(study, before).of


def test_a_trial_does_not_wait_for_a_dead_one(monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = pressed_study(cost=150, plan=(A,))
    worker(study).ask()
    waits: list[float] = []
    monkeypatch.setattr(_suggest.time, "sleep", waits.append)
    calls = spy_on_choose_batch(monkeypatch)
    suggest(study.ask())
    assert sum(waits) == pytest.approx(1.0, abs=0.05)  # an evaluation
    assert len(calls) == 1


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
    study, _ = pressed_study(cost=150, plan=(A, B, C, D, (5, 5), (6, 6), (7, 7)))
    for held in [study.ask() for _ in range(6)]:
        hold_elsewhere(study, held)
    trial = study.ask()
    finish(study, trial)
    assert read_point(study.get_trials(deepcopy=False)[trial.number], HERE) == B
    # Somebody else has evaluated C: that trial has no record.
    params = dict(zip(SPACE, from_integers(C).tolist(), strict=True))
    study.add_trial(create_trial(params=params, distributions=SPACE, value=0.5))
    trial = study.ask()
    suggest(trial)
    assert entry_of(study, trial).point == D


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
    study = make_study(batch_size=9)
    running = [study.ask() for _ in range(4)]
    for trial in running:
        suggest(trial)
    other = worker(study, batch_size=9)
    calls = spy_on_choose_batch(monkeypatch)
    finish(study, running[1])
    trial = other.ask()
    suggest(trial)
    assert entry_of(study, trial).of == entry_of(study, running[0]).of
    assert calls == []
