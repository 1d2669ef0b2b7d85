"""The trust box and how it widens, the norm at ties, and what held points change."""

from dataclasses import replace

import numpy as np
import pytest

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.problem import BatchProblem
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.fitted import Fitted, fit_models
from optuna_bkop._settings import Settings

CHOICE = Parameter(grid=np.array([0.25, 0.75]), is_categorical=True)
DOMAIN = Domain((Parameter(), Parameter(), CHOICE))
#: The best tenth is at least one point more than there are parameters.
N, N_BEST = 60, 6


def make_fitted(margin: float | None = 0.1, n_since_best: int = 0) -> Fitted:
    """Models of points that are the better the nearer they are to (0.5, 0.4)."""
    rng = np.random.default_rng(0)
    U = DOMAIN.snap(rng.random((N, 3)))
    values = -np.linalg.norm(U[:, :2] - [0.5, 0.4], axis=1)
    fitted = fit_models(
        U, values, np.empty((N, 0)), domain=DOMAIN, settings=Settings(trust_margin=margin)
    )
    return replace(fitted, n_since_best=n_since_best)


def box_of(fitted: Fitted) -> tuple[FloatArray, FloatArray]:
    problem = BatchProblem.of(fitted, np.empty((0, DOMAIN.dim)))
    return problem.lower, problem.upper


def test_the_box_is_that_of_the_best_tenth_and_its_margin() -> None:
    fitted = make_fitted(margin=0.07)
    best = fitted.U[:N_BEST, :2]
    lower, upper = box_of(fitted)
    np.testing.assert_allclose(lower[:2], best.min(axis=0) - 0.07)
    np.testing.assert_allclose(upper[:2], best.max(axis=0) + 0.07)
    assert (best.min(axis=0) > 0.2).all()
    # Choices have no order, hence no box.
    assert (lower[2], upper[2]) == (0.0, 1.0)


def test_without_a_margin_the_box_is_the_cube() -> None:
    lower, upper = box_of(make_fitted(margin=None))
    np.testing.assert_array_equal(lower, np.zeros(3))
    np.testing.assert_array_equal(upper, np.ones(3))


@pytest.mark.parametrize(("n_since_best", "factor"), [(0, 1), (10, 2**0.5), (20, 2), (40, 4)])
def test_the_margin_doubles_with_every_twenty_trials_without_an_improvement(
    n_since_best: int, factor: float
) -> None:
    fitted = make_fitted(margin=0.02, n_since_best=n_since_best)
    lower, _ = box_of(fitted)
    np.testing.assert_allclose(lower[:2], fitted.U[:N_BEST, :2].min(axis=0) - 0.02 * factor)


def test_a_search_without_improvement_looks_everywhere_in_the_end() -> None:
    lower, upper = box_of(make_fitted(margin=0.01, n_since_best=1000))
    np.testing.assert_array_equal(lower, np.zeros(3))
    np.testing.assert_array_equal(upper, np.ones(3))


def test_trials_since_the_best_are_counted() -> None:
    U = np.random.default_rng(1).random((10, 1))
    values = np.zeros(10)
    values[3] = 1.0
    domain = Domain((Parameter(),))
    fitted = fit_models(U, values, np.empty((10, 0)), domain=domain, settings=Settings())
    assert fitted.n_since_best == 6


def test_held_points_are_taken_and_narrow_every_model() -> None:
    fitted = make_fitted()
    held = np.array([[0.9, 0.9, 0.25]])
    alone = BatchProblem.of(fitted, np.empty((0, 3)))
    at_once, later = BatchProblem.of(fitted, held), alone.hold(held)
    F = DOMAIN.features(held)
    for problem in (at_once, later):
        assert set(DOMAIN.keys(held)) == problem.taken - alone.taken
        for free, narrowed in zip(alone.models, problem.models, strict=True):
            before, after = free.mean_and_std(F), narrowed.mean_and_std(F)
            assert after[0] == pytest.approx(before[0])
            assert after[1] < 0.8 * before[1]
