"""Points as the model sees them: grids, features, conditions, keys."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optuna_bkop._domain import Condition, Domain, Parameter, Steps, find_conditions

FLOAT = Parameter()
GRID = Parameter(grid=np.array([0.1, 0.3, 0.5, 0.7, 0.9]))
CHOICE = Parameter(grid=(np.arange(3) + 0.5) / 3, is_categorical=True)
MIXED = Domain((FLOAT, GRID, CHOICE))
#: The float plays a part where the choice is its first; the grid where it is its last.
CONDITIONAL = Domain(
    (FLOAT, GRID, CHOICE),
    {0: Condition(2, frozenset([1 / 6])), 1: Condition(2, frozenset([2.5 / 3]))},
)


def random_points(n: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random((n, dim))


def test_snap_moves_to_the_nearest_of_the_grid() -> None:
    U = random_points(200, 3)
    snapped = MIXED.snap(U)
    np.testing.assert_array_equal(snapped[:, 0], U[:, 0])
    for j in (1, 2):
        grid = MIXED.parameters[j].grid
        nearest = grid[np.argmin(np.abs(U[:, j, None] - grid), axis=1)]
        np.testing.assert_array_equal(snapped[:, j], nearest)
    np.testing.assert_array_equal(MIXED.snap(snapped), snapped)


def test_snap_moves_into_the_cube_and_leaves_its_argument() -> None:
    U = np.array([[-0.5, 2.0, -3.0]])
    np.testing.assert_allclose(MIXED.snap(U), [[0.0, 0.9, 1 / 6]])
    np.testing.assert_array_equal(U, [[-0.5, 2.0, -3.0]])


def test_snap_rounds_to_the_steps_of_a_parameter_without_a_grid() -> None:
    # Ten values, one in the middle of each tenth.
    domain = Domain((Parameter(steps=Steps(0.0, 9.0, 1.0, log=False)), FLOAT))
    np.testing.assert_allclose(domain.snap(np.array([[0.26, 0.26]])), [[0.25, 0.26]])
    assert domain.n_points == np.inf


def test_numbers_of_points_and_kinds_of_parameters() -> None:
    assert MIXED.n_points == np.inf
    finite = Domain((GRID, CHOICE))
    assert finite.n_points == 15
    points = finite.all_points()
    assert len(set(finite.keys(points))) == 15
    assert MIXED.numerical.tolist() == [0, 1]
    assert MIXED.discrete.tolist() == [1, 2]
    assert MIXED.groups.tolist() == [0, 1, 2, 2, 2]


def test_two_choices_are_as_far_apart_as_two_ends() -> None:
    U = np.array([[0.0, 0.1, 1 / 6], [0.0, 0.1, 0.5], [0.0, 0.1, 2.5 / 3], [1.0, 0.1, 1 / 6]])
    F = MIXED.features(U)
    distances = np.linalg.norm(F[:, None] - F, axis=2)
    np.testing.assert_allclose(distances[0], [0.0, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(distances[1, 2], 1.0)


def test_an_unknown_choice_is_as_far_from_all() -> None:
    U = np.array([[0.5, 0.5, np.nan], [0.5, 0.5, 1 / 6], [0.5, 0.5, 0.5], [0.5, 0.5, 2.5 / 3]])
    F = MIXED.features(U)
    distances = np.linalg.norm(F[1:] - F[0], axis=1)
    np.testing.assert_allclose(distances, distances[0])
    assert 0 < distances[0] < 1


def test_a_parameter_without_a_part_does_not_change_the_features() -> None:
    here, there = np.array([[0.0, 0.1, 0.5]]), np.array([[1.0, 0.9, 0.5]])
    np.testing.assert_array_equal(CONDITIONAL.features(here), CONDITIONAL.features(there))
    asked_for_neither = np.array([[np.nan, np.nan, 0.5]])
    np.testing.assert_array_equal(
        CONDITIONAL.features(here), CONDITIONAL.features(asked_for_neither)
    )
    first_branch = np.array([[0.0, 0.1, 1 / 6], [1.0, 0.1, 1 / 6], [1.0, 0.9, 1 / 6]])
    F = CONDITIONAL.features(first_branch)
    assert not np.array_equal(F[0], F[1])
    np.testing.assert_array_equal(F[1], F[2])


def test_keys_agree_exactly_where_points_mean_the_same() -> None:
    U = np.array(
        [
            [0.2, 0.5, 1 / 6],
            [0.2, 0.9, 1 / 6],  # the grid plays no part in this branch
            [0.2, np.nan, 1 / 6],
            [0.3, 0.5, 1 / 6],
            [0.2, 0.5, 2.5 / 3],
            [0.9, 0.5, 2.5 / 3],  # nor the float in this
        ]
    )
    keys = CONDITIONAL.keys(U)
    assert keys[0] == keys[1] == keys[2]
    assert keys[4] == keys[5]
    assert len(set(keys)) == 3
    assert len(set(MIXED.keys(U))) == 6


@settings(deadline=None)
@given(seed=st.integers(0, 10**6))
def test_gradient_follows_the_features(seed: int) -> None:
    U = CONDITIONAL.snap(random_points(4, 3, seed))
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal(CONDITIONAL.features(U).shape)
    gradient = CONDITIONAL.gradient(U, weights)
    h = 1e-6
    for i in range(4):
        for j in CONDITIONAL.numerical:
            moved = U.copy()
            moved[i, j] += h
            change = (weights * (CONDITIONAL.features(moved) - CONDITIONAL.features(U))).sum()
            assert gradient[i, j] == pytest.approx(change / h, abs=1e-6)
    assert (gradient[:, 2] == 0).all()


def test_the_sequence_is_on_the_grid_distinct_and_goes_on() -> None:
    whole = MIXED.sequence(0, 60)
    np.testing.assert_array_equal(MIXED.snap(whole), whole)
    np.testing.assert_allclose(np.vstack([MIXED.sequence(0, 25), MIXED.sequence(25, 35)]), whole)
    assert len(set(MIXED.keys(whole))) == 60
    assert MIXED.sequence(7, 0).shape == (0, 3)
    # Space-filling: every tenth of the range is met.
    assert len(np.unique((whole[:, 0] * 10).astype(int))) == 10


def test_neighbours_differ_in_one_discrete_parameter_and_reach_every_choice() -> None:
    u = np.array([0.4, 0.5, 1 / 6])
    neighbours = MIXED.neighbours(u)
    assert ((neighbours != u).sum(axis=1) == 1).all()
    np.testing.assert_array_equal(MIXED.snap(neighbours), neighbours)
    assert set(neighbours[neighbours[:, 2] != u[2], 2]) == {0.5, 2.5 / 3}
    assert {0.3, 0.7} <= set(neighbours[:, 1])
    assert Domain((FLOAT,)).neighbours(np.array([0.3])).shape == (0, 1)


def test_conditions_are_found_where_a_parent_explains_what_is_missing() -> None:
    rng = np.random.default_rng(0)
    U = MIXED.snap(rng.random((40, 3)))
    U[U[:, 2] != 1 / 6, 0] = np.nan
    U[U[:, 2] == 1 / 6, 1] = np.nan
    found = find_conditions(U, MIXED.parameters)
    assert found == {
        0: Condition(2, frozenset([1 / 6])),
        1: Condition(2, frozenset([0.5, 2.5 / 3])),
    }


def test_no_condition_is_invented_where_no_parent_explains() -> None:
    rng = np.random.default_rng(0)
    U = MIXED.snap(rng.random((40, 3)))
    assert find_conditions(U, MIXED.parameters) == {}
    U[::2, 0] = np.nan
    assert find_conditions(U, MIXED.parameters) == {}
    U[:, 0] = np.nan
    assert find_conditions(U, MIXED.parameters) == {}
    assert find_conditions(np.empty((0, 3)), MIXED.parameters) == {}


def test_a_continuous_parameter_is_no_parent() -> None:
    U = random_points(20, 2)
    U[U[:, 1] < 0.5, 0] = np.nan
    assert find_conditions(U, (FLOAT, FLOAT)) == {}


def test_conditions_within_conditions_are_found() -> None:
    # A degree, asked for with one kernel (column 1), which is asked for with one model (column 2).
    domain = Domain((GRID, CHOICE, CHOICE))
    U = np.array(
        [
            [np.nan, np.nan, 0.125],
            [np.nan, 0.125, 0.375],
            [0.5, 0.375, 0.375],
            [0.3, 0.375, 0.375],
            [np.nan, np.nan, 0.625],
        ]
    )
    conditions = find_conditions(U, domain.parameters)
    assert conditions == {
        1: Condition(2, frozenset([0.375])),
        0: Condition(1, frozenset([0.375])),
    }
    nested = Domain(domain.parameters, conditions)
    candidates = np.array([[0.5, 0.375, 0.125], [0.5, 0.375, 0.375], [0.5, 0.125, 0.375]])
    assert nested.active(candidates).tolist() == [
        [False, False, True],
        [True, True, True],
        [False, True, True],
    ]


def test_parameters_of_one_branch_do_not_explain_each_other() -> None:
    U = np.array([[np.nan, np.nan, 0.125], [0.125, 0.375, 0.625], [0.375, 0.125, 0.375]])
    parent = Condition(2, frozenset([0.375, 0.625]))
    assert find_conditions(U, (CHOICE,) * 3) == {0: parent, 1: parent}
    assert find_conditions(U[:, :2], (CHOICE,) * 2) == {}
