"""The maximisation of an acquisition over a whole batch."""

from dataclasses import replace

import numpy as np
import pytest

from optuna_bkop._batch.problem import BatchProblem
from optuna_bkop._batch.search import maximize
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.fitted import fit_models
from optuna_bkop._settings import Settings


def make_problem(domain: Domain, maximizer: str = "gradient") -> BatchProblem:
    rng = np.random.default_rng(0)
    U = domain.snap(rng.random((20, domain.dim)))
    values = -((domain.features(U) - 0.3) ** 2).sum(axis=1)
    settings = Settings(trust_margin=None, maximizer=maximizer)
    fitted = fit_models(U, values, np.empty((20, 0)), domain=domain, settings=settings)
    return BatchProblem.of(fitted, np.empty((0, domain.dim)))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize("q", [1, 3])
def test_a_batch_cannot_be_improved_by_small_steps(q: int) -> None:
    problem = make_problem(Domain((Parameter(),) * 3))
    acquisition = problem.acquisition()
    batch = maximize(problem, acquisition, q, rng=rng())
    gradient = acquisition.values_and_gradients(batch[None])[1][0]
    # At the edge of the cube the gradient may point outwards.
    gradient[(batch <= 0.0) & (gradient < 0)] = 0.0
    gradient[(batch >= 1.0) & (gradient > 0)] = 0.0
    assert np.abs(gradient).max() < 2e-3


@pytest.mark.parametrize("maximizer", ["gradient", "cma"])
def test_no_single_choice_of_a_batch_could_be_better(maximizer: str) -> None:
    choice = Parameter(grid=(np.arange(5) + 0.5) / 5, is_categorical=True)
    domain = Domain((Parameter(), choice, choice))
    problem = make_problem(domain, maximizer)
    problem = replace(problem, settings=replace(problem.settings, cma_evaluations=50))
    acquisition = problem.acquisition()
    batch = maximize(problem, acquisition, 2, rng=rng())
    reached = acquisition.value(domain.features(batch))
    for i in range(2):
        for other in domain.neighbours(batch[i]):
            changed = batch.copy()
            changed[i] = other
            assert acquisition.value(domain.features(changed)) <= reached + 1e-6


@pytest.mark.parametrize("maximizer", ["gradient", "cma"])
def test_a_batch_stays_in_the_box(maximizer: str) -> None:
    problem = make_problem(Domain((Parameter(),) * 2), maximizer)
    settings = replace(problem.settings, cma_evaluations=100)
    lower, upper = np.array([0.7, 0.6]), np.array([0.8, 0.9])
    problem = replace(problem, lower=lower, upper=upper, settings=settings)
    batch = maximize(problem, problem.acquisition(), 3, rng=rng())
    assert (batch >= lower).all()
    assert (batch <= upper).all()
