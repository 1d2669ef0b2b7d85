"""Charts: affine coordinates around the best trials, against naive twins."""

from __future__ import annotations

import numpy as np
import pytest

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Condition, Domain, Parameter, Steps
from optuna_bkop._model.chart import Chart, ChartedDomain, best_first, local_chart

CONTINUOUS = Parameter()
GRID = Parameter(grid=np.array([0.1, 0.5, 0.9]))
CHOICE = Parameter(grid=np.array([0.25, 0.75]), is_categorical=True)
STEPS = Parameter(steps=Steps(low=1, high=100_000, step=1, log=False))


def valley(n: int, seed: int = 0) -> FloatArray:
    """Points around (0.4, 0.5, 0.6) in a narrow valley along the diagonal of three parameters."""
    rng = np.random.default_rng(seed)
    along = rng.normal(0.0, 0.03, (n, 1)) * np.ones(3)
    return np.array([0.4, 0.5, 0.6]) + along + rng.normal(0.0, 3e-4, (n, 3))


def charted(columns: list[int], axes: FloatArray, parameters: tuple[Parameter, ...]) -> Domain:
    chart = Chart(np.array(columns), np.full(len(columns), 0.4), axes)
    return ChartedDomain(parameters, chart=chart)


def test_inward_and_outward_undo_each_other_inside_the_cube() -> None:
    rng = np.random.default_rng(0)
    chart = Chart(np.array([0, 2]), np.array([0.3, 0.6]), rng.normal(size=(2, 2)))
    U = rng.random((50, 4))
    W = chart.inward(U)
    np.testing.assert_allclose(chart.outward(W), U, atol=1e-12)
    np.testing.assert_array_equal(W[:, [1, 3]], U[:, [1, 3]])
    origin = np.array([[0.3, 0.1, 0.6, 0.2]])
    np.testing.assert_allclose(chart.inward(origin)[0, [0, 2]], 0.5)


def test_points_outside_of_the_cube_are_moved_to_its_surface() -> None:
    chart = Chart(np.array([0, 1]), np.array([0.9, 0.5]), 0.4 * np.eye(2))
    np.testing.assert_allclose(chart.outward(np.array([[1.0, 1.0]])), [[1.0, 0.7]])


def test_a_missing_number_counts_as_that_of_the_origin() -> None:
    chart = Chart(np.array([0, 1]), np.array([0.9, 0.5]), 0.4 * np.eye(2))
    np.testing.assert_allclose(chart.inward(np.array([[np.nan, 0.7]])), [[0.5, 1.0]])


def test_edges_are_those_of_a_naive_weighted_covariance() -> None:
    U = valley(60)
    chart = local_chart(U, Domain((CONTINUOUS,) * 3), 6.0)
    assert chart is not None
    weights = [np.log(61) - np.log(rank) for rank in range(1, 61)]
    mean = sum(w * u for w, u in zip(weights, U, strict=True)) / sum(weights)
    covariance = sum(
        w * np.outer(u - mean, u - mean) for w, u in zip(weights, U, strict=True)
    ) / sum(weights)
    # Edges e_i = 6 s_i v_i with covariance Σ s_i² v_i v_i'.
    np.testing.assert_allclose(chart.axes @ chart.axes.T, 36.0 * covariance, rtol=1e-6, atol=1e-12)
    np.testing.assert_array_equal(chart.origin, U[0])
    lengths = np.linalg.norm(chart.axes, axis=0)
    assert lengths.max() / lengths.min() > 50  # the valley is a hundred times as long as wide


def test_the_best_points_are_round_in_their_chart() -> None:
    U = valley(400)
    chart = local_chart(U, Domain((CONTINUOUS,) * 3), 6.0)
    assert chart is not None
    spread = chart.inward(U).std(axis=0)
    assert spread.min() > 0.7 * spread.max()
    assert spread.max() == pytest.approx(1 / 6, rel=0.2)


def test_edges_have_bounds() -> None:
    domain = Domain((CONTINUOUS,) * 3)
    wide = local_chart(np.random.default_rng(0).random((60, 3)), domain, 12.0)
    tiny = local_chart(0.5 + 1e-12 * np.random.default_rng(0).random((60, 3)), domain, 6.0)
    line = local_chart(np.linspace(0.4, 0.6, 60)[:, None] * np.ones(3), domain, 6.0)
    assert wide is not None
    assert tiny is not None
    assert line is not None
    np.testing.assert_allclose(np.linalg.norm(wide.axes, axis=0), 0.6)
    np.testing.assert_allclose(np.linalg.norm(tiny.axes, axis=0), 1e-6)
    lengths = np.linalg.norm(line.axes, axis=0)
    assert lengths.min() / (6 * np.sqrt(3) * 0.2) > 1e-5
    assert np.isfinite(line.inverse).all()


@pytest.mark.parametrize(
    ("parameters", "columns"),
    [
        ((CONTINUOUS, GRID, CONTINUOUS, CHOICE, STEPS), [0, 2]),
        ((CONTINUOUS, GRID, CHOICE), None),
        ((GRID, CHOICE, STEPS), None),
    ],
)
def test_only_continuous_parameters_are_covered(
    parameters: tuple[Parameter, ...], columns: list[int] | None
) -> None:
    domain = Domain(parameters)
    U = domain.snap(np.random.default_rng(0).random((60, len(parameters))))
    chart = local_chart(U, domain, 6.0)
    assert (None if chart is None else chart.columns.tolist()) == columns


def test_no_chart_with_conditions_or_of_equal_points() -> None:
    parameters = (CONTINUOUS, CONTINUOUS, CHOICE)
    U = np.random.default_rng(0).random((60, 3))
    conditional = Domain(parameters, {1: Condition(2, frozenset([0.25]))})
    assert local_chart(U, conditional, 6.0) is None
    assert local_chart(np.full((60, 3), 0.25), Domain(parameters), 6.0) is None


def test_features_are_those_of_the_nearest_point_of_the_cube() -> None:
    axes = np.array([[0.5, 0.2], [-0.1, 0.4]])
    domain = charted([0, 2], axes, (CONTINUOUS, CHOICE, CONTINUOUS))
    inside = np.array([[0.5, 0.75, 0.5], [0.6, 0.25, 0.3]])
    plain = Domain(domain.parameters)
    F = domain.features(inside)
    np.testing.assert_allclose(F[:, [0, 3]], inside[:, [0, 2]])
    np.testing.assert_array_equal(F[:, 1:3], plain.features(inside)[:, 1:3])
    outside = np.array([[9.0, 0.75, 0.5]])
    u = 0.4 + axes @ np.array([8.5, 0.0])
    expected = 0.5 + np.linalg.solve(axes, np.clip(u, 0.0, 1.0) - 0.4)
    np.testing.assert_allclose(domain.features(outside)[0, [0, 3]], expected)


def test_gradient_is_that_of_finite_differences() -> None:
    axes = np.array([[0.5, 0.2], [-0.1, 0.4]])
    domain = charted([0, 2], axes, (CONTINUOUS, CONTINUOUS, CONTINUOUS))
    direction = np.array([0.3, -1.0, 0.7])
    W = np.array([[0.55, 0.2, 0.45], [2.2, 0.2, 0.1], [-3.0, 0.6, 4.0]])
    u = 0.4 + (W[:, [0, 2]] - 0.5) @ axes.T
    assert [((row < 0) | (row > 1)).sum() for row in u] == [0, 1, 2]
    gradient = domain.gradient(W, np.tile(direction, (3, 1)))
    h = 1e-6
    for j in range(3):
        step = h * np.eye(3)[j]
        difference = (domain.features(W + step) - domain.features(W - step)) @ direction / (2 * h)
        np.testing.assert_allclose(gradient[:, j], difference, atol=1e-7)


def test_best_first_puts_feasible_trials_first_and_small_violations_before_large_ones() -> None:
    values = np.array([3.0, 1.0, 2.0, 5.0])
    none = np.empty((4, 0))
    assert best_first(values, none).tolist() == [3, 0, 2, 1]
    some = np.array([[-1.0], [0.0], [-2.0], [4.0]])
    assert best_first(values, some).tolist() == [0, 2, 1, 3]
    all_violated = np.array([[3.0], [1.0], [2.0], [4.0]])
    assert best_first(values, all_violated).tolist() == [1, 2, 0, 3]
