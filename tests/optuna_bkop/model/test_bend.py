"""The transformation of one of several objectives."""

import numpy as np
import pytest

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.bend import Bend


def bent(values: FloatArray, front: list[int]) -> FloatArray:
    return Bend.of(values, np.array(front))(values)


def test_values_up_to_the_knee_keep_their_proportions() -> None:
    values = np.array([0.0, -1.0, -2.0, -3.0, -1000.0])
    w = bent(values, [0, 2])  # the knee is at -2, the worst value on the front
    np.testing.assert_allclose(w[0] - w[1], w[1] - w[2])
    np.testing.assert_allclose(w[0] - w[2], 1.0 / values_scale(values))
    # Beyond it, logarithms: -3 is 1.5 knees from the best.
    np.testing.assert_allclose((w[2] - w[3]) / (w[0] - w[2]), np.log(1.5))
    assert w[3] - w[4] < 7 * (w[0] - w[2])


def values_scale(values: FloatArray) -> float:
    t = -values / 2.0
    return float(np.std(np.where(t <= 1, -t, -1 - np.log(np.maximum(t, 1)))))


def test_result_is_standardised_and_ordered_like_the_values() -> None:
    values = np.random.default_rng(0).standard_normal(50) ** 3
    w = bent(values, [int(np.argmax(values))])
    np.testing.assert_allclose([w.mean(), w.std()], [0.0, 1.0], atol=1e-9)
    np.testing.assert_array_equal(np.argsort(w), np.argsort(values))


@pytest.mark.parametrize(("shift", "factor"), [(1e3, 1.0), (0.0, 1e-6), (-7.0, 1e250)])
def test_shift_and_scale_change_nothing(shift: float, factor: float) -> None:
    values = np.random.default_rng(1).standard_normal(30)
    moved = (values + shift) * factor
    np.testing.assert_allclose(bent(moved, [3, 4]), bent(values, [3, 4]), atol=2e-10)


def test_infinite_values_are_one_unit_beyond_the_finite_ones() -> None:
    values = np.array([0.0, np.inf, -1.0, -np.inf, -3.0])
    transform = Bend.of(values, np.array([0]))
    w = transform(values)
    assert np.isfinite(w).all()
    np.testing.assert_allclose(w[1] - w[0], 1.0 / transform.spread)
    np.testing.assert_allclose(w[4] - w[3], 1.0 / transform.spread)


@pytest.mark.parametrize("values", [[2.0, 2.0, 2.0], [np.inf, np.inf, -np.inf]])
def test_an_objective_without_a_scale_stays_finite(values: list[float]) -> None:
    w = bent(np.array(values), [0])
    assert np.isfinite(w).all()
    assert w[0] == w[1]


def test_a_front_of_one_value_takes_the_knee_from_all_values() -> None:
    values = np.array([5.0, 1.0, 0.0, -1.0, -100.0])
    transform = Bend.of(values, np.array([0]))
    assert transform.knee == 5.0 - np.quantile(values, 0.25)


def test_inverse_gives_the_values_back() -> None:
    values = np.random.default_rng(2).standard_normal(20) ** 3
    transform = Bend.of(values, np.argsort(values)[-3:])
    np.testing.assert_allclose(transform.inverse(transform(values)), values, atol=1e-8)
