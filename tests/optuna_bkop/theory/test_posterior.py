"""Upper bounds on boxes hold, against naive formulas and samples of the boxes."""

import math

import numpy as np
import pytest

from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._theory.branch_and_bound import maximize_on_boxes
from optuna_bkop._theory.optimism import certified_maximum, search_maximum
from optuna_bkop._theory.posterior import Posterior
from optuna_bkop._theory.region import Region
from optuna_bkop._theory.same_history import same_history_bound
from optuna_bkop._theory.stationary_kernel import StationaryKernel


def posterior(name: str = "matern52", dim: int = 2, n: int = 12, noise_var: float = 1e-8):
    rng = np.random.default_rng([n, dim, name == "se"])
    kernel = StationaryKernel(name, tuple(rng.uniform(0.15, 0.5, dim).tolist()), signal_var=2.0)
    X = rng.random((n, dim))
    return Posterior.of(X, np.sin(7 * X).sum(axis=1) + 5, kernel, noise_var, offset=5.0)


def optimistic(model: Posterior, weight: float, Z: np.ndarray) -> np.ndarray:
    mean, std = model.mean_and_std(Z)
    return mean + weight * std


@pytest.mark.parametrize("name", KERNELS)
def test_mean_deviation_and_norms_are_those_of_the_inverse(name: str):
    model, noise_var = posterior(name, noise_var=0.05), 0.05
    k, X = model.kernel, model.X
    y = np.sin(7 * X).sum(axis=1)
    Z = np.random.default_rng(0).random((6, 2))
    inverse = np.linalg.inv(k(X, X) + noise_var * np.eye(len(X)))
    mean, std = model.mean_and_std(Z)
    np.testing.assert_allclose(mean, 5 + k(Z, X) @ inverse @ y)
    np.testing.assert_allclose(std**2, 2 - np.diagonal(k(Z, X) @ inverse @ k(X, Z)))
    assert model.data_norm**2 == pytest.approx(y @ inverse @ y)
    assert model.mean_norm**2 == pytest.approx(y @ inverse @ k(X, X) @ inverse @ y)
    # The same kernel as a plain function.
    plain = Posterior.of(X, y + 5, lambda A, B: k(A, B), noise_var, offset=5.0)
    np.testing.assert_allclose(plain.mean_and_std(Z), (mean, std))


@pytest.mark.parametrize("name", KERNELS)
def test_the_remainder_is_the_norm_of_what_the_first_order_leaves(name: str):
    model = posterior(name)
    kernel = StationaryKernel(name, 1.0)
    for rho in (0.05, 0.3, 1.0, 3.0):
        # k_x - k_c - ∂k_c δ, with the derivative as a difference quotient.
        step = 1e-4
        points = np.array([[rho], [0.0], [step], [-step]])
        a = np.array([1.0, -1.0, -rho / (2 * step), rho / (2 * step)])
        naive = math.sqrt(a @ kernel(points, points) @ a)
        found = float(model._remainder(np.array([rho]))[0])
        assert naive <= found * (1 + 1e-4)
        assert found <= naive * (1.05 if rho < 0.1 else 1 + 1e-4)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("weight", [0.0, 0.3, 4.0])
def test_no_point_of_a_box_exceeds_its_bound(name: str, dim: int, weight: float):
    model = posterior(name, dim, noise_var=1e-3)
    rng = np.random.default_rng(1)
    centres = rng.random((30, dim))
    halves = 0.5 * rng.random((30, dim)) * 10.0 ** -rng.uniform(0, 3, (30, 1))
    values, bounds = model.bound_boxes(weight, centres, halves)
    np.testing.assert_allclose(values, optimistic(model, weight, centres))
    corners = np.where(rng.random((200, 30, dim)) < 0.3, rng.integers(0, 2, (200, 30, dim)), 0.5)
    inside = np.where(corners == 0.5, rng.random((200, 30, dim)), corners)
    Z = centres + (2 * inside - 1) * halves
    largest = optimistic(model, weight, Z.reshape(-1, dim)).reshape(200, 30).max(axis=0)
    assert (largest <= bounds + 1e-9).all()


@pytest.mark.parametrize("name", KERNELS)
def test_bounds_close_in_with_the_square_of_the_side(name: str):
    model = posterior(name)
    centre = np.array([[0.41, 0.37]])
    gradient = model.value_and_gradient(1.0, centre[0])[1]
    excess = []
    for side in (1e-2, 1e-3):
        value, bound = model.bound_boxes(1.0, centre, np.full((1, 2), side))
        excess.append(float(bound[0] - value[0]) - side * np.abs(gradient).sum())
    assert excess[1] == pytest.approx(excess[0] / 100, rel=0.2)


def test_gradients_are_difference_quotients():
    model, z = posterior(), np.array([0.3, 0.6])
    steps = 1e-6 * np.eye(2)
    naive = [
        (optimistic(model, 2.0, (z + s)[None]) - optimistic(model, 2.0, (z - s)[None]))[0] / 2e-6
        for s in steps
    ]
    value, gradient = model.value_and_gradient(2.0, z)
    assert value == pytest.approx(optimistic(model, 2.0, z[None])[0])
    np.testing.assert_allclose(gradient, naive, rtol=1e-5)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("dim", "n_grid"), [(1, 4001), (2, 201)])
def test_the_certified_maximum_encloses_that_of_a_dense_grid(name: str, dim: int, n_grid: int):
    axes = np.meshgrid(*[np.linspace(0, 1, n_grid)] * dim, indexing="ij")
    grid = np.stack(axes, axis=-1).reshape(-1, dim)
    for weight in (0.0, 0.5, 5.0):
        model = posterior(name, dim)
        largest = float(optimistic(model, weight, grid).max())
        found = certified_maximum(model, weight, Region.cube(dim), tolerance=1e-3)
        assert found.is_certified
        assert found.upper >= largest
        assert found.upper <= found.lower + 1e-3
        assert optimistic(model, weight, found.at[None])[0] == pytest.approx(found.lower)
        assert largest - found.lower <= 1e-3
        few = certified_maximum(model, weight, Region.cube(dim), max_boxes=3)
        assert few.upper >= largest


def test_branch_and_bound_finds_what_a_search_cannot_see():
    # A spike of width 1e-3 that only the bound knows of.
    def bound(centres, halves):
        values = np.maximum(1 - np.abs(centres[:, 0] - 0.7123) / 1e-3, 0.0)
        nearest = np.maximum(np.abs(centres[:, 0] - 0.7123) - halves[:, 0], 0.0)
        return values, np.maximum(1 - nearest / 1e-3, 0.0)

    box = np.zeros((1, 1)), np.ones((1, 1))
    found = maximize_on_boxes(bound, *box, scales=np.ones(1), tolerance=0.01)
    assert 0.99 <= found.lower <= 1 <= found.upper <= found.lower + 0.01
    assert found.n_boxes < 100
    early = maximize_on_boxes(bound, *box, scales=np.ones(1), max_boxes=4)
    assert early.upper == 1
    stopped = maximize_on_boxes(bound, *box, scales=np.ones(1), enough=0.3)
    assert 0.3 < stopped.lower <= 1 == stopped.upper
    # Values up to the floor do not matter: all boxes are settled at once.
    assert maximize_on_boxes(bound, *box, scales=np.ones(1), floor=2.0).n_boxes == 1


def test_boxes_that_are_not_split_count_in_the_upper_bound():
    # The left half is loosely bounded by 2 until it is split; the right half has 1.0 somewhere.
    def bound(centres, halves):
        left = np.where(halves[:, 0] > 0.2, 2.0, 0.5)
        return np.zeros(len(centres)), np.where(centres[:, 0] < 0.5, left, 1.0)

    halves = np.array([[0.0], [0.5]]), np.array([[0.5], [1.0]])
    found = maximize_on_boxes(
        bound, *halves, scales=np.ones(1), start=(0.9, np.ones(1)), tolerance=0.15
    )
    assert (found.lower, found.upper) == (0.9, 1.0)


def test_a_region_of_points_has_an_exact_maximum():
    model = posterior()
    Z = np.random.default_rng(5).random((40, 2))
    found = certified_maximum(model, 1.0, Region.points(Z))
    assert found.lower == found.upper == pytest.approx(optimistic(model, 1.0, Z).max())


def test_a_search_and_unknown_kernels_certify_nothing():
    model = posterior()
    assert not search_maximum(model, 1.0, Region.cube(2)).is_certified
    plain = Posterior.of(model.X, np.zeros(12), lambda A, B: model.kernel(A, B), 1e-8)
    assert not certified_maximum(plain, 1.0, Region.cube(2)).is_certified
    with pytest.raises(TypeError, match="StationaryKernel"):
        plain.bound_boxes(1.0, np.zeros((1, 2)), np.zeros((1, 2)))


def test_same_history_bound_is_twice_the_norm_times_the_largest_deviation():
    model = posterior(noise_var=2e-12)
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 101)] * 2), axis=-1).reshape(-1, 2)
    std = model.mean_and_std(grid)[1]
    bound = same_history_bound(model.X, model.kernel, 3.0, next_point=grid[50])
    assert bound.at_next == pytest.approx(6 * std[50])
    assert 6 * std.max() <= bound.anywhere <= 6.1 * std.max()
    assert bound.largest_std.is_certified
    on_points = same_history_bound(
        model.X, model.kernel, 3.0, region=Region.points(grid[:50]), tolerance=1e-9
    )
    assert on_points.anywhere == pytest.approx(6 * std[:50].max())


def test_the_same_history_bound_names_a_bad_number_of_boxes():
    with pytest.raises(ValueError, match="`max_boxes` must be a positive integer, got 0"):
        same_history_bound(np.zeros((1, 1)), StationaryKernel(), 1.0, max_boxes=0)
