"""Large batches have no copies, after a bounded number of joint maximisations."""

from unittest.mock import create_autospec

import numpy as np
import pytest

from optuna_bkop._batch import filling
from optuna_bkop._batch import strategies as strategies_module
from optuna_bkop._batch.filling import apart, fill
from optuna_bkop._batch.problem import BatchProblem
from optuna_bkop._batch.strategies import choose_batch
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.fitted import Fitted, fit_models
from optuna_bkop._settings import Settings

FLOAT = Parameter()
GRID = Parameter(grid=(np.arange(9) + 0.5) / 9)


def sphere(domain: Domain, n: int) -> Fitted:
    U = domain.snap(np.random.default_rng(0).random((n, domain.dim)))
    values = -((U - 0.4) ** 2).sum(axis=1)
    return fit_models(U, values, np.empty((n, 0)), domain=domain, settings=Settings())


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(("q", "largest"), [(10, 10), (40, 1), (70, 1)])
def test_few_joint_maximisations_suffice(
    q: int, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    maximize = create_autospec(strategies_module.maximize, side_effect=strategies_module.maximize)
    monkeypatch.setattr(strategies_module, "maximize", maximize)
    fitted = sphere(Domain((FLOAT,) * 3), 60)
    held = np.empty((0, 3))
    batch = choose_batch(fitted, held, q, rng=rng())
    assert maximize.call_args_list[0].args[2] == q
    assert len(maximize.call_args_list) <= largest
    assert len(apart(BatchProblem.of(fitted, held), batch)) == q


def test_filled_points_are_good_and_given_the_batch() -> None:
    fitted = sphere(Domain((FLOAT,) * 3), 60)
    problem = BatchProblem.of(fitted, np.empty((0, 3)))
    batch = choose_batch(fitted, np.empty((0, 3)), 4, rng=rng())
    more = fill(problem, batch, 20, rng=rng())
    assert more.shape == (20, 3)
    assert len(apart(problem, np.vstack([batch, more]))) == 24
    values = problem.hold(batch).acquisition().values(more[:, None])
    uniform = problem.hold(batch).acquisition().values(rng(1).random((500, 1, 3)))
    assert np.median(values) > np.quantile(uniform, 0.99)


def test_points_that_climb_into_copies_return_to_their_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = BatchProblem.of(sphere(Domain((FLOAT,) * 3), 60), np.empty((0, 3)))
    batch = np.array([[0.2, 0.2, 0.2]])

    def collapse(_problem: object, _acquisition: object, start: np.ndarray, *_: int, **__: object):
        return np.full_like(start, 0.5)

    monkeypatch.setattr(filling, "climb", create_autospec(filling.climb, side_effect=collapse))
    more = fill(problem, batch, 8, rng=rng())
    assert len(apart(problem, np.vstack([batch, more]))) == 9
    np.testing.assert_array_equal(more[0], 0.5)


def test_where_only_copies_are_left_a_batch_is_still_complete() -> None:
    domain = Domain((GRID,))
    batch = choose_batch(sphere(domain, 3), np.empty((0, 1)), 80, rng=rng())
    assert batch.shape == (80, 1)
    assert set(domain.keys(domain.all_points())) <= set(domain.keys(batch)) | set(
        domain.keys(sphere(domain, 3).U)
    )
