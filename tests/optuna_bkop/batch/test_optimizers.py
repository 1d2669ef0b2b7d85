"""Both maximisers: never worse than the start, inside the box, nothing global touched."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.optimizers import MAXIMIZERS, Objective, Values, by_cma, by_gradient

Maximizer = Callable[[Objective, FloatArray, FloatArray, FloatArray], tuple[FloatArray, float]]


def values_of(objective: Objective) -> Values:
    return lambda batches: np.array([objective(U)[0] for U in batches])


def cma(
    objective: Objective, start: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, float]:
    rng = np.random.default_rng(0)
    return by_cma(values_of(objective), start, lower, upper, rng=rng, max_evaluations=400)


def gradient(
    objective: Objective, start: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, float]:
    return by_gradient(objective, start, lower, upper, max_steps=150, tolerance=1e-8)


maximizers = pytest.mark.parametrize("maximize", [gradient, cma])


def bowl(target: FloatArray) -> Objective:
    return lambda U: (-float(((U - target) ** 2).sum()), -2 * (U - target))


def waves(U: FloatArray) -> tuple[float, FloatArray]:
    return float(np.sin(20 * U).sum()), 20 * np.cos(20 * U)


def test_every_name_has_been_tested_here() -> None:
    assert set(MAXIMIZERS) == {"gradient", "cma"}


@maximizers
def test_finds_a_maximum_inside(maximize: Maximizer) -> None:
    target = np.array([[0.2, 0.7], [0.5, 0.9]])
    found, value = maximize(bowl(target), np.full((2, 2), 0.4), np.zeros(2), np.ones(2))
    np.testing.assert_allclose(found, target, atol=1e-2)
    assert value == pytest.approx(0.0, abs=1e-3)


@maximizers
def test_finds_a_maximum_on_the_boundary(maximize: Maximizer) -> None:
    found, _ = maximize(bowl(np.full((1, 2), 3.0)), np.full((1, 2), 0.4), np.zeros(2), np.ones(2))
    np.testing.assert_allclose(found, 1.0, atol=1e-2)
    assert found.max() <= 1.0


@maximizers
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), q=st.integers(1, 3), dim=st.integers(1, 3))
def test_never_worse_than_the_start_and_within_the_box(
    maximize: Maximizer, seed: int, q: int, dim: int
) -> None:
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.random((2, q, dim)), axis=0)
    start = ends[0] + rng.random((q, dim)) * (ends[1] - ends[0])
    before = start.copy()
    found, value = maximize(waves, start, ends[0], ends[1])
    assert value >= waves(start)[0]
    assert value == pytest.approx(waves(found)[0])
    assert (found >= ends[0]).all()
    assert (found <= ends[1]).all()
    np.testing.assert_array_equal(start, before)


@maximizers
def test_fixed_coordinates_stay(maximize: Maximizer) -> None:
    start = np.array([[0.3, 0.5], [0.6, 0.1]])
    lower, upper = np.zeros((2, 2)), np.ones((2, 2))
    lower[0, 1] = upper[0, 1] = 0.5
    lower[1, 0] = upper[1, 0] = 0.6
    found, _ = maximize(bowl(np.full((2, 2), 0.9)), start, lower, upper)
    assert found[0, 1] == 0.5
    assert found[1, 0] == 0.6
    np.testing.assert_allclose(found[[0, 1], [0, 1]], 0.9, atol=1e-2)


@maximizers
def test_a_box_without_extent_gives_the_start_back(maximize: Maximizer) -> None:
    start = np.array([[0.3, 0.5]])
    found, value = maximize(waves, start, start, start)
    np.testing.assert_array_equal(found, start)
    assert value == pytest.approx(waves(start)[0])


@maximizers
def test_a_start_outside_is_moved_inside(maximize: Maximizer) -> None:
    found, _ = maximize(bowl(np.zeros((1, 2))), np.full((1, 2), 2.0), np.zeros(2), np.ones(2))
    assert (found >= 0).all()
    assert (found <= 1).all()


@maximizers
@pytest.mark.parametrize("target", [0.0, 0.37, 1.0])
def test_one_dimension_works(maximize: Maximizer, target: float) -> None:
    found, _ = maximize(bowl(np.array([[target]])), np.array([[0.5]]), np.zeros(1), np.ones(1))
    np.testing.assert_allclose(found, target, atol=1e-3)


@maximizers
def test_one_free_coordinate_of_many_works(maximize: Maximizer) -> None:
    start = np.full((2, 2), 0.5)
    lower, upper = start.copy(), start.copy()
    lower[1, 1], upper[1, 1] = 0.1, 0.9
    found, _ = maximize(bowl(np.full((2, 2), 0.7)), start, lower, upper)
    assert found[1, 1] == pytest.approx(0.7, abs=1e-3)


@maximizers
def test_a_flat_function_is_no_problem(maximize: Maximizer) -> None:
    found, value = maximize(
        lambda U: (1.0, np.zeros_like(U)), np.full((2, 2), 0.5), np.zeros(2), np.ones(2)
    )
    assert value == 1.0
    assert (found >= 0).all()
    assert (found <= 1).all()


def test_cma_leaves_the_global_generator_alone() -> None:
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.random(4)  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    for dim in (1, 3):
        cma(waves, np.full((1, dim), 0.5), np.zeros(dim), np.ones(dim))
    np.testing.assert_array_equal(np.random.random(4), expected)  # noqa: NPY002


def test_cma_follows_its_generator_alone() -> None:
    def run(seed: int) -> FloatArray:
        rng = np.random.default_rng(seed)
        start = np.full((2, 3), 0.5)
        ends = np.zeros(3), np.ones(3)
        return by_cma(values_of(waves), start, *ends, rng=rng, max_evaluations=300)[0]

    np.testing.assert_array_equal(run(1), run(1))
    assert not np.array_equal(run(1), run(2))


def test_cma_keeps_to_its_budget() -> None:
    count = 0

    def counted(U: FloatArray) -> tuple[float, FloatArray]:
        nonlocal count
        count += 1
        return waves(U)

    rng = np.random.default_rng(0)
    start, lower, upper = np.full((2, 2), 0.5), np.zeros(2), np.ones(2)
    by_cma(values_of(counted), start, lower, upper, rng=rng, max_evaluations=200)
    assert 150 <= count <= 220


def test_cma_returns_a_batch_of_its_own() -> None:
    """The batch that is returned must not change when the next one is evaluated."""
    seen: list[FloatArray] = []

    def remember(U: FloatArray) -> tuple[float, FloatArray]:
        seen.append(U.copy())
        return waves(U)

    found, value = cma(remember, np.full((2, 2), 0.5), np.zeros(2), np.ones(2))
    assert value == max(waves(U)[0] for U in seen)
    assert any(np.array_equal(found, U) for U in seen)
