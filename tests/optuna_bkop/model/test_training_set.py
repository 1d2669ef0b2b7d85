"""The data that models are made of."""

import numpy as np
import pytest

from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.training_set import (
    MAX_ACTIVE,
    TrainingSet,
    active_set,
    limited,
    scaled_constraints,
)


def test_theactive_set_has_the_best_and_no_row_twice() -> None:
    F = np.random.default_rng(0).random((3000, 2))
    order = np.random.default_rng(1).permutation(3000)
    active = active_set(F, order)
    assert len(set(active.tolist())) == len(active) <= MAX_ACTIVE
    assert set(order[:50].tolist()) <= set(active.tolist())
    few = np.arange(10)
    np.testing.assert_array_equal(active_set(F[:10], few), few)


def test_half_are_the_best_a_quarter_the_nearest_and_a_quarter_spread_by_rank() -> None:
    F = np.random.default_rng(0).random((3000, 2))
    order = np.random.default_rng(1).permutation(3000)
    active = active_set(F, order)
    half, quarter = MAX_ACTIVE // 2, MAX_ACTIVE // 4
    np.testing.assert_array_equal(active[:half], order[:half])
    near, spread = active[half : half + quarter], active[half + quarter :]
    distance = np.linalg.norm(F - F[order[0]], axis=1)
    left_out = np.setdiff1d(order[half:], near)
    assert distance[near].max() <= distance[left_out].min()
    ranks = np.sort(np.argsort(order)[spread])
    assert len(ranks) > 0.95 * quarter
    assert ranks[0] < half + 50
    assert ranks[-1] > 3000 - 50
    assert np.diff(ranks).max() < 3 * (3000 - half) / quarter


def test_what_is_feasible_comes_first_and_ties_are_counted() -> None:
    U = np.linspace(0.0, 1.0, 5)[:, None]
    values = np.array([3.0, 1.0, 2.0, 9.0, 3.0])
    constraints = np.array([[-1.0], [0.0], [-2.0], [4.0], [-1.0]])
    data = TrainingSet.of(U, values, constraints, Domain((Parameter(),)), "half-rank")
    assert data.order.tolist() == [0, 4, 2, 1, 3]
    assert data.feasible.tolist() == [True, True, True, False, True]
    assert data.n_ties == 1
    np.testing.assert_array_equal(data.F, U[data.order])


def test_while_nothing_is_feasible_the_smallest_violation_is_best() -> None:
    U = np.linspace(0.0, 1.0, 3)[:, None]
    constraints = np.array([[5.0], [1.0], [3.0]])
    data = TrainingSet.of(U, np.array([9.0, 0.0, 5.0]), constraints, Domain((Parameter(),)), "log")
    assert data.order.tolist() == [1, 2, 0]
    assert (data.y < 0).all()


def test_an_infeasible_value_does_not_set_the_scale() -> None:
    values = np.append(np.linspace(0.0, 1.0, 21), 1e6)
    constraints = np.append(-np.ones(21), 1.0)[:, None]
    domain = Domain((Parameter(),))
    U = np.linspace(0.0, 1.0, 22)[:, None]
    data = TrainingSet.of(U, values, constraints, domain, "log")
    assert np.ptp(data.y[:11]) > 0.5
    # It counts as better than the best feasible one by the interquartile range.
    values[-1] = 1.0 + np.subtract(*np.quantile(values, [0.75, 0.25]))
    np.testing.assert_allclose(TrainingSet.of(U, values, constraints, domain, "log").y, data.y)


def test_smaller_infeasible_values_and_feasible_values_keep_their_size() -> None:
    values = np.array([1e6, 5.0, 7.0, -1e6])
    np.testing.assert_array_equal(limited(values, np.ones(4, dtype=bool)), values)
    np.testing.assert_array_equal(limited(values, np.array([True, True, True, False])), values)


@pytest.mark.parametrize("best", [np.inf, -np.inf])
def test_infinite_values_limit_nothing(best: float) -> None:
    values = np.array([best, 5.0, 7.0])
    feasible = np.array([True, False, False])
    np.testing.assert_array_equal(limited(values, feasible), values)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9])
def test_the_limit_follows_feasible_values_however_many_are_infeasible(share: float) -> None:
    rng = np.random.default_rng(0)
    infeasible = np.arange(100) < 100 * share
    values = np.where(infeasible, 1e6, 1.0) * rng.random(100)
    result = limited(values, ~infeasible)
    np.testing.assert_array_equal(result[~infeasible], values[~infeasible])
    assert values[~infeasible].max() < result.max() < 2.0


def test_huge_values_of_both_signs_are_limited_without_overflow() -> None:
    values = np.array([-1.7e308, -1.6e308, 0.3e308, 1.7e308, 1.7e308])
    result = limited(values, np.array([True, True, True, False, False]))
    assert not np.isnan(result).any()
    assert (result[1:] >= result[:-1]).all()


def test_scaled_constraints_are_finite_whatever_their_sizes() -> None:
    constraints = np.array([[np.inf], [1e300], [1e-20], [-1e-20], [-np.inf]])
    scaled = scaled_constraints(constraints)
    assert np.isfinite(scaled).all()
    np.testing.assert_array_equal(np.sign(scaled), np.sign(constraints))
