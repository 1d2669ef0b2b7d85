"""Where maximisations start, what discrete parameters try, and how points are kept apart."""

import numpy as np
import pytest

from optuna_bkop._batch.candidates import distinct, greedy, improve_discrete, random_points
from optuna_bkop._domain import Condition, Domain, Parameter, Steps

FLOAT = Parameter()
GRID = Parameter(grid=(np.arange(7) + 0.5) / 7)
CHOICE = Parameter(grid=(np.arange(3) + 0.5) / 3, is_categorical=True)
MIXED = Domain((FLOAT, GRID, CHOICE))


class Sum:
    """An acquisition that is the mean over the batch of a value of each point."""

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights

    def candidates(self, F: np.ndarray) -> "SumScores":
        return SumScores(F @ self.weights)


class SumScores:
    def __init__(self, values: np.ndarray) -> None:
        self.values, self.total, self.size = values, 0.0, 0

    def scores(self) -> np.ndarray:
        return (self.total + self.values) / (self.size + 1)

    def take(self, index: int) -> None:
        self.total += self.values[index]
        self.size += 1

    def copy(self) -> "SumScores":
        return SumScores(self.values)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_random_points_are_on_the_grid_and_in_the_box() -> None:
    lower, upper = np.array([0.2, 0.0, 0.0]), np.array([0.3, 1.0, 1.0])
    best = np.array([[0.25, 0.5, 0.5], [0.29, 0.5, 0.5]])
    U = random_points(MIXED, lower, upper, best, rng())
    np.testing.assert_array_equal(MIXED.snap(U), U)
    assert U[:, 0].min() >= 0.2
    assert U[:, 0].max() <= 0.3
    assert len(np.unique(U[:, 2])) == 3


def test_random_points_are_denser_around_the_best() -> None:
    domain = Domain((FLOAT, FLOAT))
    best = np.array([[0.9, 0.1]])
    U = random_points(domain, np.zeros(2), np.ones(2), best, rng())
    near = (np.abs(U - best).max(axis=1) < 0.05).mean()
    assert near > 0.02


def test_greedy_takes_the_best_each_time_and_none_twice() -> None:
    domain = Domain((FLOAT,))
    C = np.array([[0.1], [0.9], [0.4], [0.8]])
    batches = greedy(Sum(np.ones(1)), C, domain, 3, n_batches=2, rng=rng())
    for batch in batches:
        np.testing.assert_array_equal(batch, [[0.9], [0.8], [0.4]])


def test_greedy_batches_differ_where_there_are_candidates_enough() -> None:
    domain = Domain((FLOAT,))
    C = rng().random((100, 1))
    batches = greedy(Sum(np.ones(1)), C, domain, 4, n_batches=5, rng=rng())
    np.testing.assert_array_equal(batches[0], np.sort(C, axis=0)[:-5:-1])
    assert len({batch.tobytes() for batch in batches}) == 5
    for batch in batches:
        assert len(np.unique(batch)) == 4


def test_improving_discrete_parameters_finds_the_best_choice() -> None:
    # Features: the float, the grid, three indicators.
    acquisition = Sum(np.array([5.0, 1.0, 0.0, 2.0, 0.0]))
    batch = np.array([[0.3, 0.5 / 7, 0.5 / 3], [0.6, 3.5 / 7, 2.5 / 3]])
    improved = improve_discrete(acquisition, batch, MIXED)
    np.testing.assert_array_equal(improved[:, 0], batch[:, 0])
    np.testing.assert_allclose(improved[:, 2], 0.5)
    assert (improved[:, 1] > batch[:, 1]).all()
    np.testing.assert_array_equal(MIXED.snap(improved), improved)
    np.testing.assert_allclose(batch[0], [0.3, 0.5 / 7, 0.5 / 3])


def test_distinct_leaves_a_batch_without_repetitions() -> None:
    batch = np.random.default_rng(1).random((5, 3))
    np.testing.assert_array_equal(distinct(batch, set(), MIXED, rng()), batch)


@pytest.mark.parametrize(
    "domain",
    [
        MIXED,
        Domain((FLOAT,)),
        Domain((GRID, CHOICE)),
        Domain((GRID,) * 9),  # too many points to list
        Domain((Parameter(steps=Steps(0.0, 1.0, 1e-5, log=False)),)),
        Domain((FLOAT, CHOICE), {0: Condition(1, frozenset([0.5]))}),
    ],
)
def test_copies_are_replaced_by_other_points_of_the_grid(domain: Domain) -> None:
    batch = domain.snap(np.full((6, domain.dim), 0.5))
    result = distinct(batch, set(), domain, rng())
    np.testing.assert_array_equal(result[0], batch[0])
    np.testing.assert_array_equal(domain.snap(result), result)
    assert len(set(domain.keys(result))) == 6
    assert (domain.keys(batch)[0]) not in domain.keys(result[1:])


def test_a_replacement_is_near_in_a_large_space_of_integers() -> None:
    domain = Domain((GRID,) * 9)
    batch = domain.snap(np.full((2, 9), 0.5))
    result = distinct(batch, set(), domain, rng())
    assert (result[0] != result[1]).sum() <= 2


def test_a_replacement_of_a_continuous_point_is_worth_evaluating() -> None:
    batch = np.zeros((2, 4))
    result = distinct(batch, set(), Domain((FLOAT,) * 4), rng())
    assert 1e-2 <= np.abs(result[1]).max() < 0.1


def test_the_last_points_of_a_finite_space_are_all_found_then_repeated() -> None:
    domain = Domain((GRID, CHOICE))
    batch = domain.snap(np.full((21, 2), 0.5))
    keys = domain.keys(distinct(batch, set(), domain, rng()))
    assert len(set(keys)) == 21
    again = distinct(batch[:2], set(keys), domain, rng())
    np.testing.assert_array_equal(again, batch[:2])


def test_distinct_leaves_the_set_of_the_caller() -> None:
    taken: set[bytes] = set()
    distinct(np.full((2, 3), 0.5), taken, MIXED, rng())
    assert taken == set()
