"""Separation and covering radius against brute force, dense grids and known lattices."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lattice_tools import Radius, Rank1Lattice, covering_radius, mesh_ratio, separation
from lattice_tools.radius import _ascent_radius

# Places where faces meet, points coincide and circles have many points on them.
awkward = st.sampled_from([0.0, 1.0, 0.5, 0.25, 0.75, 1 / 3, 1e-17, 1e-9, 1 - 1e-16, 0.1, 0.9])
coordinates = st.one_of(awkward, st.floats(0, 1))


@st.composite
def point_sets(draw, max_dim=3, max_points=8):
    dim = draw(st.integers(1, max_dim))
    row = st.lists(coordinates, min_size=dim, max_size=dim)
    return np.array(draw(st.lists(row, min_size=1, max_size=max_points)))


def distances(A, B, periodic):
    difference = np.abs(A[:, None, :] - B[None, :, :])
    if periodic:
        difference = np.minimum(difference, 1 - difference)
    return np.sqrt((difference**2).sum(axis=-1))


def dense_grid(dim):
    n = {1: 401, 2: 61, 3: 21}[dim]
    axis = np.linspace(0, 1, n)
    grid = np.array(list(itertools.product(axis, repeat=dim)))
    return grid, math.sqrt(dim) / (2 * (n - 1))


def regular_grid(m, dim, offset=0.0):
    return np.array(list(itertools.product((np.arange(m) + offset) / m, repeat=dim)))


@given(point_sets(max_dim=5).filter(lambda X: len(X) > 1), st.booleans())
@settings(max_examples=100, deadline=None)
def test_separation_is_the_smallest_distance_of_all_pairs(X, periodic):
    D = distances(X, X, periodic)
    expected = D[np.triu_indices(len(X), 1)].min()
    assert separation(X, periodic=periodic) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("periodic", [True, False])
def test_the_nearest_pair_is_found_wherever_it_stands(periodic):
    X = np.random.default_rng(0).random((300, 3))
    for first, second in ((0, 299), (298, 299), (100, 101)):
        Y = X.copy()
        Y[second] = Y[first] + 1e-5
        expected = np.linalg.norm(Y[second] - Y[first])
        assert separation(Y, periodic=periodic) == pytest.approx(expected)
    X[299] = X[5]
    assert separation(X, periodic=periodic) == 0


@given(point_sets(), st.booleans())
@example(np.array([[0.0, 0.0], [1.0, 1.0]]), True)
@example(np.array([[0.0, 0.0, 0.0]]), False)
@example(np.array([[1e-17, 1e-17], [0.0, 0.0], [1.0, 0.0]]), False)
@settings(max_examples=150, deadline=None)
def test_exact_covering_radius_against_a_dense_grid(X, periodic):
    grid, half_diagonal = dense_grid(X.shape[1])
    on_grid = distances(grid, X, periodic).min(axis=1).max()
    radius = covering_radius(X, periodic=periodic)
    assert radius.is_exact
    assert on_grid - 1e-9 <= radius.value <= on_grid + half_diagonal + 1e-9


@given(point_sets(max_points=6), st.booleans())
@settings(max_examples=25, deadline=None, derandomize=True)
def test_ascents_stay_below_the_exact_radius_and_reach_it(X, periodic):
    exact = covering_radius(X, periodic=periodic).value
    ascent = _ascent_radius(X, periodic, 12, np.random.default_rng(0))
    assert ascent <= exact + 1e-9
    assert ascent >= 0.95 * exact


@given(point_sets(max_points=10).filter(lambda X: len(X) > 1), st.booleans())
@settings(max_examples=50, deadline=None)
def test_more_points_never_cover_less(X, periodic):
    fewer = covering_radius(X[:-1], periodic=periodic).value
    assert covering_radius(X, periodic=periodic).value <= fewer + 1e-9


@given(point_sets())
@settings(max_examples=50, deadline=None)
def test_the_torus_is_covered_no_worse_than_the_cube(X):
    cube = covering_radius(X, periodic=False).value
    assert covering_radius(X, periodic=True).value <= cube + 1e-9


@pytest.mark.parametrize(("m", "dim"), [(1, 1), (7, 1), (1, 2), (5, 2), (2, 3), (4, 3)])
def test_covering_radius_of_a_regular_grid(m, dim):
    expected = math.sqrt(dim) / (2 * m)
    for offset in (0.0, 0.5, 0.3):
        radius = covering_radius(regular_grid(m, dim, offset), periodic=True)
        assert radius.value == pytest.approx(expected)
    centred = covering_radius(regular_grid(m, dim, 0.5), periodic=False)
    assert centred.value == pytest.approx(expected)


def test_a_shift_does_not_change_the_torus():
    lattice = Rank1Lattice(55, (1, 34, 21))
    plain = covering_radius(lattice.points(), periodic=True).value
    moved = covering_radius(lattice.points([0.3, 0.71, 0.9]), periodic=True).value
    assert moved == pytest.approx(plain)


def test_the_mesh_ratio_of_a_hexagonal_lattice_is_nearly_the_least():
    # 2 / sqrt(3) is the least there is in the plane; 45 comes close to a hexagonal lattice.
    ratio = mesh_ratio(Rank1Lattice(100, (1, 45)).points(), periodic=True)
    assert ratio.is_exact
    assert 2 / math.sqrt(3) <= ratio.value < 1.25


def test_lattice_and_points_agree():
    lattice = Rank1Lattice(144, (1, 89, 55, 13))
    assert separation(lattice.points(), periodic=True) == pytest.approx(lattice.min_distance)


def test_beyond_three_dimensions_it_is_called_a_lower_bound():
    X = Rank1Lattice(50, (1, 7, 19, 23)).points()
    radius = covering_radius(X, periodic=True, n_starts=5)
    assert (radius.is_exact, radius.n_starts) == (False, 5)
    assert str(radius).startswith(">= ")
    assert "best of 5 starts" in str(radius)
    assert mesh_ratio(X, periodic=True, n_starts=5).is_exact is False
    assert covering_radius(X[:, :2], periodic=True).n_starts == 0


@pytest.mark.parametrize("dim", [4, 6, 10])
def test_ascents_find_the_corners_of_a_cube(dim):
    radius = covering_radius(np.full((1, dim), 0.5), periodic=False, n_starts=4)
    assert radius.value == pytest.approx(math.sqrt(dim) / 2)


def test_ascents_find_the_holes_of_a_regular_grid():
    radius = covering_radius(regular_grid(2, 4), periodic=True, n_starts=16)
    assert radius.value == pytest.approx(0.5)


@pytest.mark.parametrize("dim", [4, 5])
def test_ascents_see_all_images_of_a_point(dim):
    # One point on the torus: its farthest place is met by 2^d of its own images.
    radius = covering_radius(np.zeros((1, dim)), periodic=True, n_starts=8)
    assert radius.value == pytest.approx(math.sqrt(dim) / 2, rel=0.02)


@pytest.mark.parametrize("periodic", [False, True])
def test_points_that_nearly_coincide_do_not_spoil_it(periodic):
    # Qhull's exact mode gives up on these.
    X = [[0, 0, 0], [1, 0, 1], [0.5, 0, 1], [1e-9, 1e-9, 0]]
    apart = covering_radius(X[:3], periodic=periodic).value
    assert covering_radius(X, periodic=periodic).value == pytest.approx(apart, abs=1e-8)


def test_more_starts_never_find_less():
    X = np.random.default_rng(0).random((40, 5))
    values = [covering_radius(X, periodic=False, n_starts=n).value for n in (1, 4, 12)]
    assert values == sorted(values)
    assert values[0] >= 0.5


def test_equal_points_have_an_infinite_mesh_ratio():
    assert mesh_ratio([[0.2, 0.2], [0.2, 0.2]], periodic=True).value == math.inf
    assert mesh_ratio([[0.0], [1.0]], periodic=True).value == math.inf


def test_a_radius_is_a_number():
    assert float(Radius(0.25, is_exact=True, n_starts=0)) == 0.25
    assert str(Radius(0.25, is_exact=True, n_starts=0)) == "0.25"


@pytest.mark.parametrize("measure", [separation, covering_radius, mesh_ratio])
@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([0.1, 0.2], r"got shape \(2,\)"),
        ([[]], r"got shape \(1, 0\)"),
        ([[0.1, 0.2], [0.3, 1.5]], r"must lie in \[0, 1\], got 1.5 in row 2, column 2"),
        ([[0.1, math.nan]], "got nan in row 1, column 2"),
    ],
)
def test_points_outside_the_cube_are_refused(measure, points, message):
    with pytest.raises(ValueError, match=message):
        measure(points, periodic=True)


def test_one_point_has_no_separation():
    with pytest.raises(ValueError, match="at least 2 points, got 1"):
        separation([[0.5]], periodic=True)


def test_a_bad_number_of_starts_is_refused():
    with pytest.raises(ValueError, match="`n_starts` must be an integer of at least 1, got 0"):
        covering_radius([[0.5] * 4], periodic=True, n_starts=0)
