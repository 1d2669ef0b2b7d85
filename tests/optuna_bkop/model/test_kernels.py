"""Kernels against their printed formulas, one pair at a time."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from optuna_bkop._model.kernels import KERNELS, DetailedKernel, squared_distances


def naive_matern52(r: float) -> float:
    return (1 + math.sqrt(5) * r + 5 * r**2 / 3) * math.exp(-math.sqrt(5) * r)


def naive_se(r: float) -> float:
    return math.exp(-(r**2) / 2)


NAIVE = {"matern52": naive_matern52, "se": naive_se}
names = pytest.mark.parametrize("name", KERNELS)


@names
def test_kernel_equals_its_naive_twin(name: str) -> None:
    r = np.linspace(0.0, 12.0, 200)
    k, _ = KERNELS[name](r**2)
    np.testing.assert_allclose(k, [NAIVE[name](float(x)) for x in r], rtol=1e-12)


@names
def test_kernel_is_one_at_distance_zero(name: str) -> None:
    k, slope = KERNELS[name](np.zeros(3))
    assert np.array_equal(k, np.ones(3))
    assert np.isfinite(slope).all()


@names
@settings(deadline=None)
@given(r2=st.floats(1e-3, 50.0))
def test_slope_is_the_derivative_in_the_squared_distance(name: str, r2: float) -> None:
    h = 1e-5 * r2
    above, below = (KERNELS[name](np.array([r2 + s]))[0][0] for s in (h, -h))
    slope = KERNELS[name](np.array([r2]))[1][0]
    assert slope == pytest.approx((above - below) / (2 * h), rel=1e-5, abs=1e-9)


@names
def test_slope_at_zero_is_the_one_sided_limit(name: str) -> None:
    h = 1e-6
    slope = KERNELS[name](np.zeros(1))[1][0]
    assert slope == pytest.approx((KERNELS[name](np.array([h]))[0][0] - 1.0) / h, rel=1e-2)


@names
def test_kernel_of_a_huge_distance_is_zero_without_a_warning(name: str) -> None:
    k, slope = KERNELS[name](np.array([1e8, 1e300]))
    assert np.array_equal(k, np.zeros(2))
    assert np.array_equal(slope, np.zeros(2))


@names
def test_a_detailed_kernel_is_a_trend_plus_a_detail_of_a_tenth_of_its_length(name: str) -> None:
    r = np.linspace(0.0, 3.0, 50)
    k, slope = DetailedKernel(KERNELS[name], 0.3)(r**2)
    naive = [0.7 * NAIVE[name](float(x)) + 0.3 * NAIVE[name](10 * float(x)) for x in r]
    np.testing.assert_allclose(k, naive, rtol=1e-12)
    h = 1e-7
    above, below = (DetailedKernel(KERNELS[name], 0.3)(r[1:] ** 2 + s)[0] for s in (h, -h))
    np.testing.assert_allclose(slope[1:], (above - below) / (2 * h), rtol=1e-4, atol=1e-7)


@settings(deadline=None)
@given(
    A=arrays(float, (4, 3), elements=st.floats(-10, 10)),
    B=arrays(float, (5, 3), elements=st.floats(-10, 10)),
)
def test_squared_distances_equal_all_pairs(A: np.ndarray, B: np.ndarray) -> None:
    naive = [[sum((x - z) ** 2 for x, z in zip(a, b, strict=True)) for b in B] for a in A]
    np.testing.assert_allclose(squared_distances(A, B), naive, atol=1e-11)
    assert (squared_distances(A, A) >= 0).all()
