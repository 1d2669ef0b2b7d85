"""The protocol: who takes which point, and what is written for others to read."""

import datetime
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.storages import BaseStorage, InMemoryStorage
from optuna.trial import FrozenTrial, TrialState, create_trial

from optuna_bkop import BKOPSampler, _ask, _clock, _plan
from optuna_bkop._clock import Watch
from optuna_bkop._history import concurrency
from optuna_bkop._plan import Bounds, Entry, Space, View

SPACE: dict[str, BaseDistribution] = {
    "x": FloatDistribution(0.0, 1.0),
    "y": FloatDistribution(0.0, 1.0),
}
KNOWN = "f" * 16
HERE = Space("here", 2)
FOREVER = Bounds(running=math.inf, asking=math.inf, n_asking=100)


class Storage(InMemoryStorage):
    """Lets something happen when a point is written, and counts what is done."""

    def __init__(self) -> None:
        super().__init__()
        self.before_point: list[Callable[[], None]] = []
        self.after_point: Callable[[int, Any], None] = lambda trial_id, given: None
        self.n_reads = 0
        self.written: list[tuple[str, Any]] = []

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        is_point = key == _plan.KEY and bool(value["taken"])
        if is_point and self.before_point:
            self.before_point.pop(0)()
        self.written.append((key, value))
        super().set_trial_system_attr(trial_id, key, value)
        if is_point:
            self.after_point(trial_id, value)

    def get_all_trials(self, *args: Any, **kwargs: Any) -> list[FrozenTrial]:
        self.n_reads += 1
        return super().get_all_trials(*args, **kwargs)


def make_study(
    storage: BaseStorage | None = None, n_known: int = 6, name: str = "study", **arguments: Any
) -> optuna.Study:
    """A study with some finished trials, so that the model plans."""
    study = optuna.create_study(storage=storage, study_name=name, sampler=sampler(**arguments))
    rng = np.random.default_rng(1)
    for x, y in rng.random((n_known, 2)).tolist():
        study.add_trial(
            create_trial(params={"x": x, "y": y}, distributions=SPACE, value=value(x, y))
        )
    return study


def sampler(**arguments: Any) -> BKOPSampler:
    defaults = {"n_startup_trials": 4, "length_scale_factors": (1.0,), "seed": 0}
    return BKOPSampler(**{**defaults, **arguments})  # type: ignore[arg-type]


def value(x: float, y: float) -> float:
    return (x - 0.3) ** 2 + (y - 0.8) ** 2


def suggest(trial: optuna.Trial) -> tuple[float, float]:
    return trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)


def finish(study: optuna.Study, trial: optuna.Trial) -> None:
    study.tell(trial, value(*suggest(trial)))


def worker(study: optuna.Study, **arguments: Any) -> optuna.Study:
    """The same study as another worker has it."""
    return optuna.load_study(
        study_name=study.study_name, storage=study._storage, sampler=sampler(**arguments)
    )


def entry_of(study: optuna.Study, trial: optuna.Trial) -> Entry:
    """What a trial has published."""
    frozen = study._storage.get_trial(trial._trial_id)
    entry = _plan.read_entry(frozen, Space(frozen.system_attrs[_plan.KEY]["space"], 2))
    assert entry is not None
    return entry


def plan_of(study: optuna.Study, trial: optuna.Trial) -> list[tuple[float, ...]]:
    """The plan that a trial published, as parameters."""
    return [tuple(_plan.from_integers(point)) for point in entry_of(study, trial).plan]


def trials_with(*attrs: dict[str, Any], state: TrialState = TrialState.RUNNING) -> optuna.Study:
    """A study whose trials, in this order, have written something."""
    study = optuna.create_study()
    for written in attrs:
        trial = study.ask()
        for key, given in written.items():
            study._storage.set_trial_system_attr(trial._trial_id, key, given)
        if state.is_finished():
            study.tell(trial, state=state)
    return study


def view(
    study: optuna.Study, own: int = -1, bounds: Bounds = FOREVER, rivals: Sequence[int] = ()
) -> View:
    return _plan.read_view(
        study.get_trials(deepcopy=False),
        own,
        KNOWN,
        HERE,
        watch=Watch(),
        bounds=bounds,
        rivals=frozenset(rivals),
    )


def publish(study: optuna.Study, number: int, *plan: _plan.Point, after: str = "") -> str:
    """Let a trial publish a plan; its name."""
    trial = study.get_trials(deepcopy=False)[number]
    entry = Entry(plan=plan, fingerprint=KNOWN, after=after)
    _plan._write_entry(study, trial, HERE, entry)
    return entry.name


def hold(study: optuna.Study, number: int, point: _plan.Point) -> None:
    """Let a trial take a point."""
    trial = study.get_trials(deepcopy=False)[number]
    entry = _plan.read_entry(trial, HERE) or Entry()
    _plan._write_entry(study, trial, HERE, replace(entry, point=point, of=KNOWN))


A, B, C, D, E = ((i, i) for i in range(1, 6))


# What is written


def entry_with(q: int, dim: int) -> Entry:
    plan = tuple(tuple(10**9 - i * dim - j for j in range(dim)) for i in range(q))
    return Entry(plan[0], KNOWN, plan, KNOWN, KNOWN)


@pytest.mark.parametrize(("q", "dim"), [(1, 1), (8, 6), (50, 50), (3, 400)])
def test_what_was_published_is_read_again(q: int, dim: int) -> None:
    study = trials_with({})
    entry = entry_with(q, dim)
    space = Space("s" * 16, dim)
    for published in (entry, replace(entry, point=None), replace(entry, plan=()), Entry()):
        _plan._write_entry(study, study.get_trials()[0], space, published)
        trial = study.get_trials()[0]
        assert _plan.read_entry(trial, space) == published
        assert _plan.read_point(trial, space) == published.point
        assert (_plan.batch_of(trial) or "") == published.of


@pytest.mark.parametrize(("q", "dim"), [(50, 50), (3, 400), (1, 140), (2, 70)])
def test_values_stay_below_2045_characters(q: int, dim: int) -> None:
    study = trials_with({})
    trial = study.get_trials()[0]
    trial.number = 10**10
    entry = Entry((10**9,) * dim, KNOWN, ((10**9,) * dim,) * q, KNOWN, KNOWN)
    _plan._write_entry(study, trial, Space("s" * 16, dim), entry, n_running=10**6)
    attrs = study.get_trials()[0].system_attrs
    assert len(attrs) > 1
    for given in attrs.values():
        assert len(json.dumps(given)) < 2045


def test_a_small_plan_and_a_point_of_it_are_one_write() -> None:
    storage = Storage()
    study = make_study(storage, batch_size=8)
    suggest(study.ask())
    assert [key for key, _ in storage.written] == [_plan.KEY]


def test_what_lacks_a_part_or_has_another_s_is_absent() -> None:
    study = trials_with({}, {})
    space = Space("here", 200)
    for number in range(2):
        entry = replace(entry_with(2, 200), after=str(number))
        _plan._write_entry(study, study.get_trials()[number], space, entry)
    one, other = study.get_trials()
    assert _plan.read_entry(one, space) is not None
    part = f"{_plan.KEY}:1"
    # As if the owner were at it to publish another plan over its first, or had been killed.
    one.system_attrs[part] = other.system_attrs[part]
    assert _plan.read_entry(one, space) is None
    del one.system_attrs[part]
    assert _plan.read_entry(one, space) is None


@pytest.mark.parametrize("field", ["of", "fingerprint", "after", "time", "running", "numbers"])
def test_what_was_changed_afterwards_is_absent(field: str) -> None:
    study = trials_with({})
    publish(study, 0, A, B)
    trial = study.get_trials()[0]
    head = trial.system_attrs[_plan.KEY]
    assert _plan.read_entry(trial, HERE) is not None
    changed = {"time": 1, "running": 7, "numbers": [1, 1, 2, 3]}.get(field, "other")
    trial.system_attrs = {_plan.KEY: {**head, field: changed}}
    assert _plan.read_entry(trial, HERE) is None


def test_what_others_published_does_not_count() -> None:
    study = trials_with({}, {})
    publish(study, 0, A, B)
    hold(study, 0, A)
    one, other = study.get_trials()
    other.system_attrs = one.system_attrs
    assert _plan.read_point(one, HERE) == A
    assert _plan.read_entry(other, HERE) is None
    assert _plan.batch_of(other) is None
    assert _plan.seen_running(other) is None
    assert _plan.read_entry(one, Space("elsewhere", 2)) is None


# What one read tells


def test_the_place_is_the_number_of_lower_askers() -> None:
    study = trials_with({}, {}, {}, {}, {})
    hold(study, 1, A)
    for own, place in ((0, 0), (2, 1), (4, 3)):
        seen = view(study, own)
        assert (seen.place, seen.n_asking) == (place, 3)
    assert view(study, 1).place == 1


def test_a_trial_with_parameters_does_not_ask() -> None:
    study = trials_with({}, {})
    study._storage.set_trial_param(0, "x", 0.5, SPACE["x"])
    assert view(study, 1).place == 0


def test_free_points_are_those_that_no_trial_has() -> None:
    study = trials_with({}, {}, {})
    publish(study, 0, A, B, C)
    hold(study, 0, A)
    assert view(study).free == (B, C)
    hold(study, 2, C)
    assert view(study).free == (B,)
    assert view(study, own=2).free == (B, C)


def test_the_plan_of_the_lowest_owner_counts_and_not_the_leftovers_of_another() -> None:
    study = trials_with({}, {})
    publish(study, 1, C, D)
    assert view(study).free == (C, D)
    publish(study, 0, A, B)
    assert view(study).free == (A, B)
    hold(study, 0, A)
    hold(study, 1, B)
    assert view(study).free == ()


def test_a_plan_is_continued_from_its_last_part() -> None:
    study = trials_with({}, {}, {}, {})
    first = publish(study, 2, A, B)
    second = publish(study, 1, C, after=first)
    assert (view(study).free, view(study).plan) == ((A, B, C), second)
    third = publish(study, 0, D, after=second)
    publish(study, 3, E, after=second)
    assert (view(study).free, view(study).plan) == ((A, B, C, D), third)


def test_parts_that_continue_each_other_come_to_an_end() -> None:
    study = trials_with({}, {})
    first = publish(study, 0, A)
    publish(study, 1, B, after=first)
    assert view(study).free == (A, B)
    # A hand that makes the first part continue the second finds no beginning.
    publish(study, 0, A, after=view(study).plan)
    assert view(study).free == ()


def test_a_failed_owner_s_plan_stays_and_its_point_is_not_offered_again() -> None:
    study = trials_with({}, {})
    publish(study, 0, A, B, C)
    hold(study, 0, A)
    hold(study, 1, B)
    study.tell(0, state=TrialState.FAIL)
    study.tell(1, state=TrialState.FAIL)
    assert view(study).free == (C,)


def test_a_dead_trial_holds_neither_its_point_nor_its_place() -> None:
    study = trials_with({}, {}, {})
    publish(study, 0, A, B)
    hold(study, 0, A)
    seen = view(study, own=2, bounds=Bounds(-1.0, -1.0, 100))
    assert (seen.free, seen.place, seen.running) == ((A, B), 0, ())
    seen = view(study, own=2, bounds=Bounds(60.0, -1.0, 100))
    assert (seen.free, seen.place, len(seen.running)) == ((B,), 0, 1)


def test_places_are_kept_for_the_youngest_if_there_are_too_many() -> None:
    study = trials_with(*[{}] * 6)
    seen = view(study, own=3, bounds=Bounds(60.0, 60.0, 4), rivals=[0])
    assert (seen.place, seen.n_asking) == (3, 5)
    assert [trial.number for trial in seen.running] == [0, 1, 2, 4, 5]
    seen = view(study, own=3, bounds=Bounds(60.0, 60.0, 3))
    assert (seen.place, seen.n_asking) == (1, 3)


def test_whoever_had_the_same_point_asks_however_old_it_is() -> None:
    study = trials_with({}, {}, {})
    assert view(study, own=2, bounds=Bounds(-1.0, -1.0, 100), rivals=[0]).place == 1
    assert view(study, own=2, bounds=Bounds(60.0, 60.0, 1), rivals=[0]).place == 2


# Clocks


def running(begun: datetime.datetime | None, number: int = 0, **attrs: Any) -> FrozenTrial:
    trial = create_trial(state=TrialState.RUNNING, system_attrs=attrs)
    trial.number = trial._trial_id = number
    trial.datetime_start = begun
    return trial


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
    age = Watch().ages([running(begun())], _plan._stamp)[0]
    assert least <= age <= most


def test_later_only_the_own_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(_clock.time, "monotonic", lambda: now)
    watch = Watch()
    watch.ages([], _plan._stamp)
    for hours in (-10, 10):
        skewed = datetime.datetime.now() + datetime.timedelta(hours=hours)
        trial = running(skewed, number=abs(hours) + hours)
        now += 3.0
        assert 0.0 <= watch.ages([trial], _plan._stamp)[trial.number] <= 3.0
        now += 100.0
        assert 100.0 <= watch.ages([trial], _plan._stamp)[trial.number] <= 103.0


def test_another_time_zone_does_not_make_a_trial_look_dead() -> None:
    study = trials_with({})
    hold(study, 0, A)
    trial = study.get_trials()[0]
    trial.datetime_start = datetime.datetime.now() - datetime.timedelta(hours=9)
    assert Watch().ages([trial], _plan._stamp)[0] < 5.0


def test_a_watch_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_clock, "_MAX_REMEMBERED", 10)
    watch = Watch()
    for number in range(100):
        watch.ages([running(None, number)], _plan._stamp)
    assert len(watch._begun) <= 12


@pytest.mark.parametrize("hours", [-30, 30])
def test_skewed_clocks_break_nothing(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Two workers whose trials begin hours apart, though they begin at once."""
    study = make_study()
    other = worker(study)
    shift = datetime.timedelta(hours=hours)

    def ask_elsewhere() -> optuna.Trial:
        trial = other.ask()
        kept = study._storage.get_trial(trial._trial_id)
        kept.datetime_start = (kept.datetime_start or datetime.datetime.now()) + shift
        return trial

    seen = set()
    for _ in range(3):
        trials = [(study, study.ask()), (other, ask_elsewhere()), (study, study.ask())]
        trials.append((other, ask_elsewhere()))
        points = [suggest(trial) for _, trial in trials]
        assert len({_plan.batch_of(t) for t in study.get_trials()[-4:]}) == 1
        seen.update(points)
        for owner, trial in trials:
            finish(owner, trial)
    assert len(seen) == 12


# Asks, one after the other


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_a_round_is_one_plan_in_whatever_order_trials_ask(order: list[int]) -> None:
    study = make_study(batch_size=2)
    trials = [study.ask() for _ in range(4)]
    points = {number: suggest(trials[number]) for number in order}
    assert set(points.values()) == set(plan_of(study, trials[order[0]]))


def test_a_plan_is_for_all_that_wait_even_beyond_the_batch_size() -> None:
    study = make_study(batch_size=2)
    trials = [study.ask() for _ in range(5)]
    suggest(trials[0])
    assert len(plan_of(study, trials[0])) == 5


def test_a_batch_is_planned_ahead() -> None:
    study = make_study(batch_size=4)
    trial = study.ask()
    suggest(trial)
    assert len(plan_of(study, trial)) == 4


def test_a_trial_too_many_continues_the_plan_with_the_others_in_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study(batch_size=2)
    first, second, third = study.ask(), study.ask(), None
    points = [suggest(first)]
    held = spy_on_choose_batch(monkeypatch)
    third = study.ask()
    points.append(suggest(third))
    # The free point is the second trial's: it is held for it and a further one is planned.
    assert [len(U) for U, _ in held] == [2]
    assert len(plan_of(study, third)) == 1
    points.append(suggest(second))
    assert len(set(points)) == 3
    assert points[2] in plan_of(study, first)


def spy_on_choose_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> list[tuple[np.ndarray[Any, Any], int]]:
    """The held points and batch sizes that are given to `choose_batch`."""
    calls: list[tuple[np.ndarray[Any, Any], int]] = []
    choose_batch = _ask.choose_batch

    def spy(fitted: Any, U_held: Any, q: int, **kwargs: Any) -> Any:
        calls.append((U_held.copy(), q))
        return choose_batch(fitted, U_held, q, **kwargs)

    monkeypatch.setattr(_ask, "choose_batch", spy)
    return calls


def test_a_late_result_is_used_with_the_running_points_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study(batch_size=3)
    trials = [study.ask() for _ in range(3)]
    points = [suggest(trial) for trial in trials]
    finish(study, trials[1])
    calls = spy_on_choose_batch(monkeypatch)
    fits: list[int] = []
    fit_models = _ask.fit_models

    def fit(U: Any, *args: Any, **kwargs: Any) -> Any:
        fits.append(len(U))
        return fit_models(U, *args, **kwargs)

    monkeypatch.setattr(_ask, "fit_models", fit)
    suggest(study.ask())
    ((U_held, q),) = calls
    assert fits == [7]
    assert q == 1
    np.testing.assert_allclose(U_held, [points[0], points[2]], atol=1e-8)


def test_points_are_held_before_any_parameter_is_suggested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study(batch_size=1)
    first = study.ask()
    x = first.suggest_float("x", 0.0, 1.0)  # and not yet y
    whole = plan_of(study, first)[0]
    calls = spy_on_choose_batch(monkeypatch)
    suggest(study.ask())
    assert whole[0] == pytest.approx(x)
    np.testing.assert_allclose(calls[0][0], [whole], atol=1e-8)


def test_the_batch_size_follows_the_concurrency(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study(batch_size=None)
    calls = spy_on_choose_batch(monkeypatch)
    for n_workers in (1, 3, 5):
        for _ in range(2):
            trials = [study.ask() for _ in range(n_workers)]
            for trial in trials:
                suggest(trial)
            for trial in trials:
                finish(study, trial)
    assert [q for _, q in calls] == [1, 1, 3, 3, 5, 5]
    for _ in range(12):
        finish(study, study.ask())
    # Four workers have left; within two of their rounds that is noticed.
    assert [q for _, q in calls[-2:]] == [1, 1]


@pytest.mark.parametrize(("seen", "expected"), [(1, 1), (4, 4)])
def test_whole_seconds_do_not_hide_who_ran_at_once(seen: int, expected: int) -> None:
    """MySQL keeps whole seconds: what a trial itself saw decides."""
    second = datetime.datetime.now().replace(microsecond=0)
    trials = [running(second, number) for number in range(6)]
    for trial in trials:
        trial.state, trial.datetime_complete = TrialState.COMPLETE, second
    assert concurrency(trials) == 1
    assert concurrency(trials, seen=lambda trial: seen) == expected


def test_dead_trials_are_not_planned_for(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study(batch_size=None, stale_after=0.05)
    for _ in range(3):
        suggest(study.ask())
    time.sleep(0.2)
    calls = spy_on_choose_batch(monkeypatch)
    finish(study, study.ask())
    suggest(study.ask())
    ((U_held, q),) = calls[-1:]
    assert (len(U_held), q) == (0, 1)


def test_seeds_agree_through_the_study_s_name() -> None:
    plans = []
    for name in ("one", "one", "other"):
        study = make_study(name=name, seed=None, batch_size=3)
        trial = study.ask()
        suggest(trial)
        plans.append(plan_of(study, trial))
    assert plans[0] == plans[1] != plans[2]


def test_a_plan_of_another_study_does_not_count() -> None:
    study = make_study(batch_size=2)
    suggest(study.ask())
    optuna.copy_study(
        from_study_name="study",
        from_storage=study._storage,
        to_storage=study._storage,
        to_study_name="copy",
    )
    copy = optuna.load_study(study_name="copy", storage=study._storage, sampler=sampler())
    assert [t.state for t in copy.get_trials()].count(TrialState.RUNNING) == 1
    trial = copy.ask()
    suggest(trial)
    assert entry_of(copy, trial).plan


# Asks at once


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
    _plan._write_entry(study, frozen, Space(head["space"], 2), Entry(point, head["of"]))
    return tuple(_plan.from_integers(point))


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
            if len(turns) <= _plan.MAX_GIVEN_BACK:
                take(study, second, head)

    storage.after_point = mirror
    point = suggest(first)
    assert len(turns) == _plan.MAX_GIVEN_BACK + 1
    assert all(turns[:-1])
    assert turns[-1] == ""
    held = entry_of(study, second).point
    assert held is not None
    assert tuple(_plan.from_integers(held)) != point


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


# Cost


def test_an_ask_reads_twice() -> None:
    storage = Storage()
    trial = make_study(storage).ask()
    storage.n_reads = 0
    suggest(trial)
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
    read: list[int] = []
    read_entry = _plan.read_entry

    def spy(trial: FrozenTrial, space: Space) -> Any:
        read.append(trial.number)
        return read_entry(trial, space)

    monkeypatch.setattr(_plan, "read_entry", spy)
    trial = study.ask()
    suggest(trial)
    assert set(read) <= {trial.number}


# Optuna's ways


def test_hyperband_s_brackets_are_served() -> None:
    # The name decides who is in which bracket.
    study = optuna.create_study(
        study_name="brackets",
        sampler=sampler(batch_size=2),
        pruner=optuna.pruners.HyperbandPruner(1, 9),
    )

    def objective(trial: optuna.Trial) -> float:
        x, y = suggest(trial)
        for step in range(9):
            trial.report(value(x, y) + 1.0 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value(x, y)

    study.optimize(objective, n_trials=60, n_jobs=2)
    trials = study.get_trials()
    assert all(t.state in (TrialState.COMPLETE, TrialState.PRUNED) for t in trials)
    assert any(_plan.batch_of(t) for t in trials)
    params = [tuple(t.params.values()) for t in trials]
    assert len(set(params)) == len(params)


def test_pruned_trials_are_not_read_as_rivals_or_offered_again() -> None:
    study = make_study(batch_size=3)
    trials = [study.ask() for _ in range(3)]
    points = {suggest(trial) for trial in trials}
    for trial in trials:
        study.tell(trial, state=TrialState.PRUNED)
    assert suggest(study.ask()) not in points


def test_integers_in_wide_ranges_are_told_apart() -> None:
    space: dict[str, BaseDistribution] = {"n": IntDistribution(1, 10**6)}
    study = optuna.create_study(sampler=sampler(search_space=space))
    seen = set()
    for _ in range(6):
        trials = [study.ask() for _ in range(3)]
        seen |= {trial.suggest_int("n", 1, 10**6) for trial in trials}
        for trial in trials:
            study.tell(trial, abs(trial.params["n"] - 5e5))
    assert len(seen) == 18
