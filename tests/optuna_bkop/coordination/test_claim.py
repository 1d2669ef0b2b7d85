"""Asks at once, and what an ask costs."""

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import create_autospec

import optuna
import pytest
from optuna.trial import TrialState

from optuna_bkop._coordination import plan, records, view
from optuna_bkop._coordination.records import Entry, from_integers, read_entry, write_entry
from optuna_bkop._suggest import _MAX_ATTEMPTS
from tests.optuna_bkop.coordination.support import (
    HERE,
    SPACE,
    Storage,
    entry_of,
    finish,
    make_study,
    plan_of,
    sampler,
    suggest,
    value,
    worker,
)


def test_two_that_take_the_same_point_part() -> None:
    storage = Storage()
    study = make_study(storage, batch_size=2)
    other = worker(study)
    first, second = study.ask(), other.ask()
    points: list[tuple[float, float]] = []
    # While the first is about to write its point, the second asks from beginning to end.
    storage.before_point.append(lambda: points.append(suggest(second)))
    points.append(suggest(first))
    assert len(set(points)) == 2
    assert set(points) == set(plan_of(study, first))


def take(study: optuna.Study, trial: optuna.Trial, head: dict[str, Any]) -> tuple[float, ...]:
    """Let a trial take the point that another one has written."""
    frozen = study._storage.get_trial(trial._trial_id)
    point = tuple(head["numbers"][:2])
    write_entry(study, frozen, HERE, Entry(point, head["of"]))
    return tuple(from_integers(point))


def test_a_point_that_another_worker_evaluated_during_the_ask_is_given_back() -> None:
    storage = Storage()
    study = make_study(storage, batch_size=1)
    first, second = study.ask(), study.ask()

    def overtake(trial_id: int, head: dict[str, Any]) -> None:
        """The second trial has taken the same and is through before the first looks again."""
        storage.after_point = lambda trial_id, head: None
        x, y = take(study, second, head)
        storage.set_trial_param(second._trial_id, "x", x, SPACE["x"])
        storage.set_trial_param(second._trial_id, "y", y, SPACE["y"])
        study.tell(second.number, value(x, y))

    storage.after_point = overtake
    suggest(first)
    assert all(t.state == TrialState.COMPLETE for t in study.get_trials()[:-2])
    params = [tuple(t.params.values()) for t in study.get_trials()]
    assert len(params[-1]) == 2
    assert len(set(params)) == len(params)


def test_whoever_never_gets_a_point_for_itself_takes_one_of_its_number() -> None:
    storage = Storage()
    study = make_study(storage, batch_size=2)
    first, second = study.ask(), study.ask()
    turns: list[str] = []

    def mirror(trial_id: int, head: dict[str, Any]) -> None:
        if trial_id == first._trial_id:
            turns.append(head["of"])
            if len(turns) <= (_MAX_ATTEMPTS - 1):
                take(study, second, head)

    storage.after_point = mirror
    point = suggest(first)
    assert len(turns) == (_MAX_ATTEMPTS - 1) + 1
    assert all(turns[:-1])
    assert turns[-1] == ""
    held = entry_of(study, second).point
    assert held is not None
    assert tuple(from_integers(held)) != point


def test_what_was_planned_stays_when_a_point_is_given_back() -> None:
    storage = Storage()
    study = make_study(storage, batch_size=3)
    first, second = study.ask(), study.ask()

    def mirror(trial_id: int, head: dict[str, Any]) -> None:
        storage.after_point = lambda trial_id, head: None
        take(study, second, head)

    storage.after_point = mirror
    point = suggest(first)
    assert [head["taken"] for _, head in storage.written] == [1, 1, 0, 1]
    assert len(plan_of(study, first)) == 3
    assert point in plan_of(study, first)


class GivingBack(Storage):
    """A storage in which a rival gives its point back when the other trial does."""

    def __init__(self) -> None:
        super().__init__()
        self.give_back: Callable[[], None] = lambda: None

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        super().set_trial_system_attr(trial_id, key, value)
        if not json.loads(value.split("\n")[0])["taken"]:
            give_back, self.give_back = self.give_back, lambda: None
            give_back()


def test_a_rival_is_remembered_even_among_more_trials_than_places_are_kept_for() -> None:
    storage = GivingBack()
    study = make_study(storage, batch_size=2)
    rival, *_, last = (study.ask() for _ in range(20))
    contested: list[tuple[float, ...]] = []

    def mirror(trial_id: int, head: dict[str, Any]) -> None:
        storage.after_point = lambda trial_id, head: None
        contested.append(take(study, rival, head))

    def give_back() -> None:
        write_entry(study, storage.get_trial(rival._trial_id), HERE, Entry())

    storage.after_point, storage.give_back = mirror, give_back
    # The rival has a lower number: the contested point is left to it.
    assert suggest(last) not in contested
    assert len(contested) == 1
    assert read_entry(storage.get_trial(rival._trial_id), HERE) == Entry()


def test_a_result_that_arrives_during_an_ask_does_no_harm() -> None:
    storage = Storage()
    study = make_study(storage, batch_size=2)
    other = worker(study)
    early = other.ask()
    suggest(early)
    first, second = study.ask(), other.ask()

    def meanwhile() -> None:
        suggest(second)
        finish(other, early)

    storage.before_point.append(meanwhile)
    suggest(first)
    params = [tuple(t.params.values()) for t in study.get_trials()]
    assert len(set(params)) == len(params)


def test_an_exhausted_space_is_repeated_without_giving_back() -> None:
    storage = Storage()
    study = optuna.create_study(storage=storage, sampler=sampler(n_startup_trials=2))
    trials = []
    for _ in range(8):
        trial = study.ask()
        trial.suggest_int("n", 0, 2)
        trials.append(trial)
        if len(trials) < 6:
            study.tell(trial, 0.0)
    assert all(given["taken"] for _, given in storage.written)
    assert {t.params["n"] for t in study.get_trials()} == {0, 1, 2}


def test_an_ask_reads_twice() -> None:
    storage = Storage()
    study = make_study(storage)
    study.ask()
    trial = study.get_trials()[-1]
    storage.n_reads = 0
    space = study.sampler.infer_relative_search_space(study, trial)
    study.sampler.sample_relative(study, trial, space)
    assert storage.n_reads == 2


def test_threads_do_not_use_each_other_s_read() -> None:
    study = make_study(batch_size=2)
    first, second = study.ask(), study.ask()
    space = study.sampler.infer_relative_search_space(study, first._cached_frozen_trial)
    point = suggest(second)  # another thread was faster
    params = study.sampler.sample_relative(study, first._cached_frozen_trial, space)
    assert tuple(params.values()) != point
    assert not entry_of(study, first).plan


def test_finished_plans_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    for _ in range(4):
        finish(study, study.ask())
    spy = create_autospec(read_entry, side_effect=read_entry)
    for module in (records, plan, view):
        monkeypatch.setattr(module, "read_entry", spy)
    trial = study.ask()
    suggest(trial)
    assert {call.args[0].number for call in spy.call_args_list} == {trial.number}
