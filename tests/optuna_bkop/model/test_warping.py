"""Objective values made fit for a model: what must not matter does not."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from optuna_bkop._model.warping import WARPINGS, stretch, warp

warpings = pytest.mark.parametrize("warping", WARPINGS)
#: Whole numbers: their sums and their products with powers of two are exact.
integers = arrays(float, st.integers(1, 30), elements=st.integers(-1000, 1000))
anything = arrays(
    float, st.integers(1, 30), elements=st.floats(allow_nan=False, allow_infinity=True)
)


@pytest.fixture(autouse=True)
def _numpy_raises() -> None:
    """Every doubtful operation is an error here, those that numpy keeps quiet about too."""
    np.seterr(over="raise", divide="raise", invalid="raise")


@pytest.fixture(autouse=True)
def _restore_numpy() -> object:
    before = np.geterr()
    yield
    np.seterr(**before)


@warpings
@settings(deadline=None)
@given(values=integers, shift=st.integers(-(10**6), 10**6), power=st.integers(-8, 8))
def test_shift_and_scale_do_not_matter(
    warping: str, values: np.ndarray, shift: int, power: int
) -> None:
    expected = warp(values, warping)
    np.testing.assert_array_equal(warp(values + shift, warping), expected)
    np.testing.assert_array_equal(warp(values * 2.0**power, warping), expected)


@warpings
@pytest.mark.parametrize("factor", [1e-30, 1e-3, 0.7, 3.0, 1e6, 1e90, 1e200])
def test_any_positive_factor_does_not_matter(warping: str, factor: float) -> None:
    values = np.random.default_rng(0).standard_normal(40)
    np.testing.assert_allclose(warp(factor * values, warping), warp(values, warping), atol=1e-9)


@warpings
def test_rounding_errors_of_a_shift_do_not_matter(warping: str) -> None:
    values = np.random.default_rng(0).standard_normal(40)
    shifted = (values + 1000.1) / 3.0
    np.testing.assert_array_equal(warp(shifted, warping), warp(values, warping))


@warpings
@settings(deadline=None)
@given(values=anything)
def test_order_is_kept_and_everything_is_finite(warping: str, values: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warped = warp(values, warping)
    assert warped.shape == values.shape
    assert np.isfinite(warped).all()
    assert (np.diff(warped[np.argsort(values, kind="stable")]) >= 0).all()
    # Equal values stay equal.
    for value in values:
        assert len(set(warped[values == value])) == 1


@warpings
@pytest.mark.parametrize(
    "values",
    [
        [3.0],
        [np.inf],
        [-np.inf],
        [1.0, 2.0],
        [5.0, 5.0, 5.0],
        [np.inf, -np.inf],
        [np.inf, 1.0, 2.0, -np.inf],
        [1e300, -1e300, 1e308, -1.7e308],
        [1e300, 1.0, 2.0],
        [1e-320, 2e-320, 0.0],
        [0.0, 0.0, 0.0, 0.0, 1.0],
        [1.0, 1.0, 1.0, 1.0, 0.0],
        [-np.inf, -np.inf, 3.0],
    ],
)
def test_strange_values_are_survived_without_a_warning(warping: str, values: list[float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warped = warp(np.array(values), warping)
    assert np.isfinite(warped).all()
    assert np.abs(warped).max() < 10


@warpings
def test_infinities_are_beyond_all_finite_values(warping: str) -> None:
    warped = warp(np.array([0.0, np.inf, 1.0, -np.inf, 2.0]), warping)
    assert warped[1] > warped[4] > warped[2]
    assert warped[3] < warped[0]


@warpings
def test_constant_values_are_all_zero(warping: str) -> None:
    np.testing.assert_array_equal(warp(np.full(7, 42.0), warping), np.zeros(7))


def test_no_warping_standardises() -> None:
    values = np.random.default_rng(0).standard_normal(50) * 7 + 3
    warped = warp(values, "none")
    assert warped.mean() == pytest.approx(0.0, abs=1e-9)
    assert warped.std() == pytest.approx(1.0)


def test_half_rank_keeps_the_better_half_and_tames_the_worse() -> None:
    values = np.random.default_rng(0).standard_normal(41)
    warped = warp(values, "half-rank")
    better = values > np.median(values)
    ratio = np.diff(np.sort(warped[better])) / np.diff(np.sort(values[better]))
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)
    worst = values.copy()
    worst[np.argmin(values)] = -1e9
    np.testing.assert_allclose(warp(worst, "half-rank"), warped, atol=1e-9)


offsets = pytest.mark.parametrize("offset", [1e-3, 0.1, 1.0, 20.0, 100.0])


@offsets
@settings(deadline=None)
@given(values=anything)
def test_a_stretch_keeps_the_order_the_worse_half_and_the_scale(
    offset: float, values: np.ndarray
) -> None:
    y = warp(values)
    stretched = stretch(y, offset)
    w, better = stretched.values, y >= 0
    assert np.isfinite(w).all()
    assert np.isfinite([stretched.log_jacobian, stretched.log_jacobian_slope]).all()
    assert (np.diff(w[np.argsort(y, kind="stable")]) >= 0).all()
    np.testing.assert_array_equal(w[~better], y[~better])
    np.testing.assert_allclose(np.sum(w[better] ** 2), np.sum(y[better] ** 2))


def test_a_large_offset_does_not_stretch_and_a_small_one_tells_the_best_apart() -> None:
    y = warp(np.random.default_rng(0).standard_normal(40))
    np.testing.assert_allclose(stretch(y, 1e6).values, y, atol=1e-5)
    best = np.sort(y)[-3:]
    w = np.sort(stretch(y, 1e-2).values)[-3:]
    assert (np.diff(w) > 2 * np.diff(best)).all()
    # The logarithm of the distance to the best, plus the offset.
    logs = np.log(1.01 * best[-1] / (best[-1] - best + 0.01 * best[-1]))
    np.testing.assert_allclose(w / w[-1], logs / logs[-1])


@offsets
def test_slopes_of_a_stretch_equal_finite_differences(offset: float) -> None:
    y = warp(np.random.default_rng(1).standard_normal(30))
    h = 1e-5
    low, high = stretch(y, offset * np.exp(-h)), stretch(y, offset * np.exp(h))
    middle = stretch(y, offset)
    np.testing.assert_allclose(middle.slopes, (high.values - low.values) / (2 * h), atol=1e-7)
    assert middle.log_jacobian_slope == pytest.approx(
        (high.log_jacobian - low.log_jacobian) / (2 * h), abs=1e-6
    )
