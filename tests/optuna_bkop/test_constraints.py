"""Feasibility: looked for where nothing is feasible, respected afterwards."""

import warnings

import numpy as np
import optuna
import pytest
from optuna.trial import TrialState, create_trial

from optuna_bkop import BKOPSampler
from optuna_bkop._batch.strategies import choose_batch
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.fitted import fit_models
from optuna_bkop._settings import Settings
from optuna_bkop._study.trial_cache import constraints_of
from tests.support.constraints import set_constraint

DOMAIN = Domain((Parameter(), Parameter()))


def make_points(n: int = 30) -> np.ndarray:
    return np.random.default_rng(0).random((n, 2))


def test_without_a_feasible_trial_the_least_violation_is_sought() -> None:
    U = make_points()
    violation = np.linalg.norm(U - [0.8, 0.2], axis=1, keepdims=True)
    values = U[:, 1]  # the objective pulls elsewhere
    fitted = fit_models(U, values, violation, domain=DOMAIN, settings=Settings())
    batch = choose_batch(fitted, np.empty((0, 2)), 1, rng=np.random.default_rng(0))
    assert np.linalg.norm(batch - [0.8, 0.2]) < 0.2
    np.testing.assert_array_equal(fitted.U[0], U[np.argmin(violation)])


@pytest.mark.parametrize("seed", range(4))
def test_without_a_feasible_trial_every_constraint_has_its_own_model(seed: int) -> None:
    rng = np.random.default_rng(seed)
    U = rng.random((40, 2))

    def constraints(points: np.ndarray) -> np.ndarray:
        """A point must be outside of one circle and inside another, which is almost the same."""
        avoided = np.sum((points - [0.4, 0.5]) ** 2, axis=1)
        wanted = np.sum((points - [0.402, 0.5]) ** 2, axis=1)
        return np.column_stack([1000 * (0.3**2 - avoided), wanted - 0.3**2])

    fitted = fit_models(U, rng.random(40), constraints(U), domain=DOMAIN, settings=Settings())
    assert len(fitted.feasibility) == 2
    batch = choose_batch(fitted, np.empty((0, 2)), 4, rng=rng)
    # The total violation has a kink at the crescent, and its model misses it.
    assert np.abs(constraints(batch)[:, 1]).max() < 0.005


def test_feasible_points_come_before_better_infeasible_ones() -> None:
    U = make_points()
    constraints = (U[:, :1] - 0.5) * 3
    fitted = fit_models(U, U[:, 0], constraints, domain=DOMAIN, settings=Settings())
    n_feasible = int((U[:, 0] <= 0.5).sum())
    assert (fitted.U[:n_feasible, 0] <= 0.5).all()
    assert fitted.U[0, 0] == U[U[:, 0] <= 0.5, 0].max()


@pytest.mark.parametrize("strategy", ["bkop", "gp_bucb", "bull"])
def test_a_batch_is_jointly_likely_to_be_feasible(strategy: str) -> None:
    U = make_points()
    fitted = fit_models(
        U, U.sum(axis=1), U[:, :1] - 0.5, domain=DOMAIN, settings=Settings(strategy=strategy)
    )
    assert len(fitted.feasibility) == 1
    batch = choose_batch(fitted, np.empty((0, 2)), 4, rng=np.random.default_rng(0))
    chosen = batch[-1:] if strategy == "bull" else batch
    assert (chosen[:, 0] <= 0.55).all()


def test_a_constraint_that_nobody_broke_needs_no_model() -> None:
    U = make_points()
    fitted = fit_models(U, U[:, 0], U[:, :1] - 5.0, domain=DOMAIN, settings=Settings())
    assert fitted.feasibility == ()


@pytest.mark.parametrize("extreme", [np.inf, -np.inf, 1e300, np.nan, 0.0])
def test_extreme_constraints_are_survived(extreme: float) -> None:
    U = make_points()
    constraints = np.column_stack([U[:, 0] - 0.5, np.full(30, -1.0)])
    constraints[::3, 0] = extreme
    constraints[::4, 1] = extreme
    fitted = fit_models(U, U[:, 0], constraints, domain=DOMAIN, settings=Settings())
    batch = choose_batch(fitted, np.empty((0, 2)), 2, rng=np.random.default_rng(0))
    assert np.isfinite(batch).all()


def toy(trial: optuna.Trial) -> float:
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    # The optimum of the objective, (0, 0), is infeasible; on the line x + y = 1 it is 1.
    set_constraint(trial, "far", 1.0 - x - y)
    return x + y


def test_a_study_finds_the_feasible_optimum() -> None:
    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=10))
    study.optimize(toy, n_trials=35)
    feasible = [t.value for t in study.trials if constraints_of(t)["far"] <= 0]
    assert min(feasible) < 1.03
    after_startup = [constraints_of(t)["far"] for t in study.trials[10:]]
    assert np.mean(np.array(after_startup) <= 0) > 0.4


def test_a_study_without_a_feasible_trial_looks_for_one() -> None:
    def objective(trial: optuna.Trial) -> float:
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        set_constraint(trial, "near", (x - 0.92) ** 2 + (y - 0.06) ** 2 - 0.002)
        return x  # pulls away from what is feasible

    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=8))
    study.optimize(objective, n_trials=30)
    assert not any(constraints_of(t)["near"] <= 0 for t in study.trials[:8])
    assert any(constraints_of(t)["near"] <= 0 for t in study.trials)


def test_constraints_that_only_some_trials_have_are_survived() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        if trial.number % 2:
            set_constraint(trial, "a", x - 0.5)
        if trial.number % 3:
            set_constraint(trial, "b", float("inf") if x > 0.9 else -1.0)
        return -x

    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=6))
    study.optimize(objective, n_trials=20)
    assert len(study.trials) == 20


def test_failures_have_a_model_of_their_own_only_if_there_are_any() -> None:
    U = make_points()
    data = U, U[:, 0], np.empty((30, 0))
    assert fit_models(*data, domain=DOMAIN, settings=Settings()).feasibility == ()
    none = fit_models(*data, U[:0], domain=DOMAIN, settings=Settings())
    assert none.feasibility == ()
    some = fit_models(*data, np.array([[0.9, np.nan]]), domain=DOMAIN, settings=Settings())
    assert len(some.feasibility) == 1


@pytest.mark.parametrize("noise_var", [None, 0.0])
def test_where_all_fail_no_success_is_expected_and_elsewhere_it_is(
    noise_var: float | None,
) -> None:
    U = make_points(60)
    fails = U[:, 0] > 0.6
    fitted = fit_models(
        U[~fails],
        U[~fails, 0],
        np.empty(((~fails).sum(), 0)),
        U[fails],
        domain=DOMAIN,
        settings=Settings(noise_var=noise_var),
    )
    mean, std = fitted.feasibility[0].mean_and_std(np.array([[0.85, 0.5], [0.2, 0.5], [0.1, 0.9]]))
    assert mean[0] + std[0] < 0
    assert (mean[1:] - 2 * std[1:] > 0).all()
    batch = choose_batch(fitted, U[fails], 4, rng=np.random.default_rng(0))
    assert (batch[:, 0] < 0.7).all()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_accidents_are_not_held_against_a_place(share: float) -> None:
    U = make_points(100)
    accidents = np.random.default_rng(1).random(100) < share
    fitted = fit_models(
        U[~accidents],
        U[~accidents, 0],
        np.empty(((~accidents).sum(), 0)),
        U[accidents],
        domain=DOMAIN,
        settings=Settings(),
    )
    # Where failures do not depend on the place there is no model of them.
    assert fitted.feasibility == ()


def test_a_failure_at_a_point_that_succeeded_later_is_not_modelled() -> None:
    U = make_points()
    failed = np.random.default_rng(3).random((15, U.shape[1])) * 0.3 + 0.7  # all in one corner
    data = U, U[:, 0], np.empty((30, 0))
    fitted = fit_models(*data, np.vstack([failed, U[:5]]), domain=DOMAIN, settings=Settings())
    (success,) = fitted.feasibility
    assert len(success.Z) == 30 + 15


def test_a_point_that_failed_once_and_succeeded_once_has_not_failed() -> None:
    U = make_points()
    data = U, U[:, 0], np.empty((30, 0))
    fitted = fit_models(*data, U[:5], domain=DOMAIN, settings=Settings())
    assert fitted.feasibility == ()


def test_failures_are_not_forgotten_behind_trials_that_were_pruned() -> None:
    x = {"x": optuna.distributions.FloatDistribution(0, 1)}

    def add(state: TrialState, at: float) -> None:
        value = at if state == TrialState.COMPLETE else None
        study.add_trial(create_trial(state=state, params={"x": at}, distributions=x, value=value))

    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=10))
    for i in range(12):
        add(TrialState.FAIL, i / 24)
        add(TrialState.COMPLETE, 0.52 + i / 25)
    for i in range(120):
        add(TrialState.PRUNED, 0.8 + i / 1200)
    assert study.ask(x).params["x"] > 0.48


def crashing(trial: optuna.Trial) -> float:
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    if x + y < 1.0:  # where the objective is best
        raise RuntimeError("out of memory")
    return x + y


def test_a_study_finds_the_optimum_at_the_edge_of_where_trials_fail() -> None:
    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=10))
    study.optimize(crashing, n_trials=60, catch=(RuntimeError,))
    assert study.best_value < 1.02
    states = [trial.state for trial in study.trials[20:]]
    assert states.count(TrialState.FAIL) < 0.75 * len(states)


def test_a_choice_that_always_fails_is_given_up() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        device = trial.suggest_categorical("device", ["cpu", "gpu", "broken"])
        if device == "broken":
            raise RuntimeError("no such device")
        return (x - 0.3) ** 2 + 0.1 * (device == "cpu")

    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=12))
    study.optimize(objective, n_trials=40, catch=(RuntimeError,))
    assert study.best_value < 1e-3
    assert [t.params["device"] for t in study.trials[15:]].count("broken") <= 3


def constrained_study(sampler: BKOPSampler) -> optuna.Study:
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=14)
    return study


def test_constraints_may_come_from_a_function_as_in_optuna_4() -> None:
    def constraints(trial: optuna.trial.FrozenTrial) -> list[float]:
        return [0.5 - trial.params["x"]]

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sampler = BKOPSampler(seed=0, n_startup_trials=6, constraints_func=constraints)
    is_optuna_5 = hasattr(optuna.trial.Trial, "set_constraint")
    assert [w.category for w in caught] == [FutureWarning] * is_optuna_5
    study = constrained_study(sampler)
    assert all(constraints_of(t) == {"0": 0.5 - t.params["x"]} for t in study.trials)
    # The smallest feasible value is looked for, not the smallest.
    assert all(t.params["x"] > 0.4 for t in study.trials[8:])


@pytest.mark.filterwarnings("ignore:`constraints_func`:FutureWarning")
def test_a_constraint_function_that_fails_or_gives_nan_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"cannot be NaN, got \(nan,\)"):
        constrained_study(BKOPSampler(constraints_func=lambda trial: [float("nan")]))
    with pytest.raises(ZeroDivisionError):
        constrained_study(BKOPSampler(constraints_func=lambda trial: [1 / 0]))
    with pytest.raises(ValueError, match="`constraints_func` must be a function, got 3"):
        BKOPSampler(constraints_func=3)  # type: ignore[arg-type]
