"""Asks one after the other: who takes which point of which plan."""

import datetime
from typing import Any
from unittest.mock import create_autospec

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, IntDistribution
from optuna.trial import TrialState

from optuna_bkop import _suggest
from optuna_bkop._coordination.records import batch_of
from tests.optuna_bkop.coordination.support import (
    entry_of,
    finish,
    make_study,
    plan_of,
    sampler,
    spy_on_choose_batch,
    suggest,
    value,
    worker,
)


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
        assert len({batch_of(t) for t in study.get_trials()[-4:]}) == 1
        seen.update(points)
        for owner, trial in trials:
            finish(owner, trial)
    assert len(seen) == 12


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


def test_a_late_result_is_used_with_the_running_points_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study(batch_size=3)
    trials = [study.ask() for _ in range(3)]
    points = [suggest(trial) for trial in trials]
    finish(study, trials[1])
    calls = spy_on_choose_batch(monkeypatch)
    fits: list[int] = []
    fit_models = _suggest.fit_models

    def fit(U: Any, *args: Any, **kwargs: Any) -> Any:
        fits.append(len(U))
        return fit_models(U, *args, **kwargs)

    monkeypatch.setattr(_suggest, "fit_models", create_autospec(fit_models, side_effect=fit))
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


def test_dead_trials_are_not_planned_for(monkeypatch: pytest.MonkeyPatch, clock: Any) -> None:
    study = make_study(batch_size=None, stale_after=60.0)
    for _ in range(3):
        suggest(study.ask())
    clock.forward(61.0)
    calls = spy_on_choose_batch(monkeypatch)
    finish(study, study.ask())
    suggest(study.ask())
    ((U_held, q),) = calls[-1:]
    assert (len(U_held), q) == (0, 1)


def test_without_a_seed_workers_agree_through_the_birth_of_the_study() -> None:
    """Two workers that know the same compute the same plan."""
    study = make_study(seed=None, batch_size=3)
    plans = []
    for _ in range(2):
        copy = optuna.create_study(study_name="study", sampler=sampler(seed=None, batch_size=3))
        copy.add_trials(study.get_trials())
        trial = copy.ask()
        suggest(trial)
        plans.append(plan_of(copy, trial))
    assert plans[0] == plans[1]


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
    assert any(batch_of(t) for t in trials)
    params = [tuple(t.params.values()) for t in trials]
    assert len(set(params)) == len(params)


def test_points_of_failed_trials_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was learnt of the value there, so the model would choose them again."""
    study = make_study(batch_size=1)
    trial = study.ask()
    point = suggest(trial)
    study.tell(trial, state=TrialState.FAIL)
    study.add_trial(study.get_trials()[0])  # something new, so that there is a new plan
    calls = spy_on_choose_batch(monkeypatch)
    assert suggest(study.ask()) != point
    np.testing.assert_allclose(calls[0][0], [point], atol=1e-8)


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
