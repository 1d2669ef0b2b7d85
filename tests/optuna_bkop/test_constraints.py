"""Feasibility: looked for where nothing is feasible, respected afterwards."""

import numpy as np
import optuna
import pytest

from optuna_bkop import BKOPSampler
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._models import Settings, fit_models
from optuna_bkop._strategies import choose_batch

DOMAIN = Domain((Parameter(), Parameter()))


def make_points(n: int = 30) -> np.ndarray:
    return np.random.default_rng(0).random((n, 2))


def test_without_a_feasible_trial_the_least_violation_is_sought() -> None:
    U = make_points()
    violation = np.linalg.norm(U - [0.8, 0.2], axis=1, keepdims=True)
    values = U[:, 1]  # the objective pulls elsewhere
    fitted = fit_models(U, values, violation, domain=DOMAIN, settings=Settings())
    assert fitted.feasibility == ()
    batch = choose_batch(fitted, np.empty((0, 2)), 1, rng=np.random.default_rng(0))
    assert np.linalg.norm(batch - [0.8, 0.2]) < 0.2
    np.testing.assert_array_equal(fitted.U[0], U[np.argmin(violation)])


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
    trial.set_constraint("far", 1.0 - x - y)
    return x + y


def test_a_study_finds_the_feasible_optimum() -> None:
    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=10))
    study.optimize(toy, n_trials=35)
    feasible = [t.value for t in study.trials if t.constraints["far"] <= 0]
    assert min(feasible) < 1.03
    after_startup = [t.constraints["far"] for t in study.trials[10:]]
    assert np.mean(np.array(after_startup) <= 0) > 0.4


def test_a_study_without_a_feasible_trial_looks_for_one() -> None:
    def objective(trial: optuna.Trial) -> float:
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        trial.set_constraint("near", (x - 0.92) ** 2 + (y - 0.06) ** 2 - 0.002)
        return x  # pulls away from what is feasible

    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=8))
    study.optimize(objective, n_trials=30)
    assert not any(t.constraints["near"] <= 0 for t in study.trials[:8])
    assert any(t.constraints["near"] <= 0 for t in study.trials)


def test_constraints_that_only_some_trials_have_are_survived() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        if trial.number % 2:
            trial.set_constraint("a", x - 0.5)
        if trial.number % 3:
            trial.set_constraint("b", float("inf") if x > 0.9 else -1.0)
        return -x

    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=6))
    study.optimize(objective, n_trials=20)
    assert len(study.trials) == 20
