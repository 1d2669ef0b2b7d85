"""Compressing or leaving out poor values changes neither the optimum nor the order of values."""

from dataclasses import replace

import numpy as np
import pytest

from optuna_bkop._theory.certificate import Premises, gap_after
from optuna_bkop._theory.compression import Compression
from optuna_bkop._theory.queries import best_part
from optuna_bkop._theory.region import Region
from optuna_bkop._theory.stationary_kernel import StationaryKernel
from optuna_bkop.regret import Queries, regret_certificate


def test_good_values_stay_and_poor_ones_come_nearer():
    y = np.array([-1e6, -10.0, -1.0, -0.5, 0.0])
    compression = Compression(top=0.0, scale=1.0)
    assert compression.apply(np.array([0.0, 3.0])).tolist() == [0.0, 3.0]
    squeezed = compression.apply(y)
    assert (np.diff(squeezed) > 0).all()
    np.testing.assert_allclose(squeezed, -np.log1p(-y))
    np.testing.assert_allclose(compression.invert(squeezed), y)
    assert compression.invert(np.array([-1e9]))[0] == -np.inf


def test_the_scale_is_the_median_of_the_distances_to_the_best():
    y = np.array([3.0, 1.0, -1.0, -100.0, 2.0])
    assert Compression.of(y) == Compression(3.0, 2.0)
    ties = np.array([3.0, 3.0, 3.0, 1.0])
    assert Compression.of(ties).apply(ties).tolist() == ties.tolist()


def test_a_certificate_for_the_compressed_function_is_one_for_the_function():
    # f = φ⁻¹(g) for a g of known norm: the certificate of φ(f) bounds the regret of f.
    kernel = StationaryKernel("se", 0.3)
    Z, a = np.array([[0.2], [0.7]]), np.array([-1.0, 1.5])
    X = np.linspace(0.05, 0.95, 5)[:, None]
    g = kernel(X, Z) @ a
    compression = Compression(float(g.max()), 0.2)
    norm = float(np.sqrt(a @ kernel(Z, Z) @ a))
    premises = Premises(kernel, norm, 1e-10, compression=compression)
    found = gap_after(X, compression.invert(g), premises, Region.cube(1))
    grid = np.linspace(0, 1, 2001)[:, None]
    optimum = float(compression.invert(kernel(grid, Z) @ a).max())
    assert found.best == g.max()
    assert optimum <= found.optimum <= optimum + 0.2
    # The best value of a prefix lies below the top, where values are compressed.
    higher = replace(premises, compression=Compression(float(g.max()) + 0.5, 0.2))
    y = higher.compression.invert(g)
    assert gap_after(X, y, higher, Region.cube(1)).best == pytest.approx(y.max())


def test_estimates_scale_with_the_values_and_ignore_an_offset():
    rng = np.random.default_rng(0)
    X = rng.random((15, 2))
    y = -np.exp(5 * np.abs(X - 0.4).sum(axis=1))
    numbers = np.arange(15)
    plain, moved = (
        regret_certificate(Queries(X, v, numbers, numbers), each_batch=False, certify=False)
        for v in (y, 10 * y + 7)
    )
    assert moved.gap[-1] == pytest.approx(10 * plain.gap[-1], rel=1e-3)
    # A value that is a hundred times worse says little about the optimum.
    worse = y.copy()
    worse[np.argmin(y)] *= 100
    other = regret_certificate(Queries(X, worse, numbers, numbers), each_batch=False)
    assert other.gap[-1] < 10 * plain.gap[-1]


# --- the best part of the queries ---


def test_the_best_third_is_used_and_the_best_feasible_value():
    y = np.random.default_rng(1).permutation(90).astype(float)
    np.testing.assert_array_equal(np.sort(y[best_part(y)]), np.arange(60, 90))
    assert (np.diff(best_part(y)) > 0).all()
    assert len(best_part(y[:15])) == 15
    assert len(best_part(y[:40])) == 20
    feasible = y < 10
    np.testing.assert_array_equal(np.sort(y[best_part(y, feasible)]), [9, *range(60, 90)])
    assert len(best_part(y, y < 0)) == 30


def test_an_estimate_does_not_depend_on_how_poor_the_rest_is():
    rng = np.random.default_rng(2)
    X = rng.random((60, 2))
    y = -((X - 0.4) ** 2).sum(axis=1)
    poorer = np.where(y < np.sort(y)[30], 10 * y - rng.random(60), y)
    batch = np.zeros(60, dtype=np.int64)
    found, same = (
        regret_certificate(Queries(X, values, batch), certify=False) for values in (y, poorer)
    )
    assert found.gap == pytest.approx(same.gap)
    assert found.best_query == int(np.argmax(y))
    assert not found.is_refuted
    # What is given holds for all values.
    kernel = StationaryKernel("se", 1.0)
    found, other = (
        regret_certificate(Queries(X, values, batch), kernel=kernel, certify=False)
        for values in (y, poorer)
    )
    assert found.gap != pytest.approx(other.gap)
