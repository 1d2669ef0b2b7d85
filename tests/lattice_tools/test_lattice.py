"""Rank1Lattice: exact points, exact distances, and what a user expects of a value."""

import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lattice_tools import Rank1Lattice, kronecker
from lattice_tools import lattice as lattice_module


@st.composite
def lattices(draw, max_points=60, max_dim=5):
    n_points = draw(st.integers(2, max_points))
    component = st.integers(-2 * n_points, 2 * n_points)
    return Rank1Lattice(n_points, tuple(draw(st.lists(component, min_size=1, max_size=max_dim))))


def squared_distance_of_all_pairs(lattice):
    """The squared minimum distance times N^2, over all pairs of points, in Python integers."""
    N = lattice.n_points
    points = [[i * b % N for b in lattice.base_vector] for i in range(N)]
    return min(
        sum(min(abs(a - b), N - abs(a - b)) ** 2 for a, b in zip(x, y, strict=True))
        for k, x in enumerate(points)
        for y in points[:k]
    )


@given(lattices())
@settings(max_examples=60, deadline=None)
def test_min_distance_is_that_of_all_pairs(lattice):
    expected = squared_distance_of_all_pairs(lattice)
    assert lattice.squared_min_distance == expected
    assert lattice.min_distance == math.sqrt(expected) / lattice.n_points
    assert lattice.packing_radius == lattice.min_distance / 2


@given(lattices())
@settings(max_examples=60, deadline=None)
def test_points_are_the_floats_nearest_to_the_exact_fractions(lattice):
    N = lattice.n_points
    exact = [[float(Fraction(i * b % N, N)) for b in lattice.base_vector] for i in range(N)]
    assert lattice.points().tolist() == exact


@given(lattices())
@settings(max_examples=60, deadline=None)
def test_points_are_closed_under_addition(lattice):
    N = lattice.n_points
    rows = np.rint(lattice.points() * N).astype(int)
    points = {tuple(row) for row in rows.tolist()}
    sums = (rows[:, None, :] + rows[None, :, :]) % N
    assert {tuple(row) for row in sums.reshape(-1, lattice.dim).tolist()} == points


@given(lattices(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_min_distance_ignores_order_and_signs_of_components(lattice, random):
    b = [random.choice([-1, 1]) * component for component in lattice.base_vector]
    random.shuffle(b)
    other = Rank1Lattice(lattice.n_points, tuple(b))
    assert other.squared_min_distance == lattice.squared_min_distance


@given(lattices(), st.data())
@settings(max_examples=60, deadline=None)
def test_a_shift_keeps_points_in_the_cube_and_their_differences(lattice, data):
    component = st.floats(-3, 3)
    shift = data.draw(st.lists(component, min_size=lattice.dim, max_size=lattice.dim))
    moved = lattice.points(shift)
    assert moved.shape == (lattice.n_points, lattice.dim)
    assert np.all((moved >= 0) & (moved < 1))
    wrong = np.abs(moved - lattice.points() - np.array(shift))
    np.testing.assert_allclose(wrong, np.rint(wrong), atol=1e-12)


def test_a_tiny_negative_shift_does_not_reach_one():
    assert Rank1Lattice(4, (1,)).points([-1e-18]).max() < 1


def test_distances_of_more_points_than_one_chunk(monkeypatch):
    lattice = Rank1Lattice(1009, (1, 54, 331))
    expected = lattice.squared_min_distance
    monkeypatch.setattr(lattice_module, "_CHUNK", 7)
    assert lattice.squared_min_distance == expected


def test_the_largest_lattice_does_not_overflow():
    # (N - 1)^2 is just below 2^63; Python's integers know the last point.
    N = 3037000499
    lattice = Rank1Lattice(N, (N - 1, N // 2))
    last = lattice.sequence(N - 1, 1)[0]
    assert last.tolist() == [(N - 1) * b % N / N for b in lattice.base_vector]


def test_a_sequence_begins_with_the_lattice_and_has_no_end():
    lattice = Rank1Lattice(12, (1, 5))
    np.testing.assert_array_equal(lattice.sequence(0, 12), lattice.points())
    np.testing.assert_array_equal(lattice.sequence(7, 40), lattice.sequence(0, 47)[7:])
    assert len({tuple(x) for x in lattice.sequence(0, 12_000).tolist()}) == 12_000
    assert lattice.sequence(3, 0).shape == (0, 2)


def test_each_copy_in_a_sequence_is_the_lattice_moved():
    lattice = Rank1Lattice(12, (1, 5))
    copy = lattice.sequence(24, 12)
    np.testing.assert_allclose((copy - copy[0] - lattice.points() + 0.5) % 1, 0.5, atol=1e-12)


def test_kronecker_points_are_distinct_and_continue():
    points = kronecker(0, 2000, 3)
    assert points.shape == (2000, 3)
    assert np.all((points >= 0) & (points < 1))
    assert len({tuple(x) for x in points.tolist()}) == 2000
    np.testing.assert_array_equal(kronecker(500, 100, 3), points[500:600])
    # Each half of the cube gets its half of the points.
    np.testing.assert_allclose((points < 0.5).mean(axis=0), 0.5, atol=0.01)


def test_base_vectors_are_kept_modulo_n():
    lattice = Rank1Lattice(5, (6, -3))
    assert lattice.base_vector == (1, 2)
    assert lattice == Rank1Lattice(5, (1, 2))
    assert hash(lattice) == hash(Rank1Lattice(5, [1, 2]))
    assert lattice != Rank1Lattice(5, (1, 3))
    assert lattice != Rank1Lattice(7, (1, 2))


def test_numpy_integers_become_plain_ones():
    lattice = Rank1Lattice(np.int32(5), np.array([1, 2]))
    assert type(lattice.n_points) is int
    assert all(type(b) is int for b in lattice.base_vector)


def test_repr_and_pickle_and_dict_give_the_lattice_back():
    lattice = Rank1Lattice(5, (1, 2))
    assert repr(lattice) == "Rank1Lattice(n_points=5, base_vector=(1, 2))"
    assert eval(repr(lattice)) == lattice
    assert pickle.loads(pickle.dumps(lattice)) == lattice
    assert Rank1Lattice.from_dict(json.loads(json.dumps(lattice.to_dict()))) == lattice
    assert Rank1Lattice.from_dict(lattice.to_dict() | {"note": "kept elsewhere"}) == lattice


def test_a_lattice_cannot_be_changed():
    with pytest.raises(AttributeError):
        Rank1Lattice(5, (1, 2)).n_points = 6


@pytest.mark.parametrize(
    ("n_points", "base_vector", "message"),
    [
        (1, (1,), "`n_points` must be an integer of at least 2, got 1."),
        (-3, (1,), "got -3"),
        (2.5, (1,), "got 2.5"),
        (True, (1,), "got True"),
        ("7", (1,), "got '7'"),
        (7, (), "`base_vector` must have at least one component"),
        (7, 3, "`base_vector` must be a sequence of integers, got 3."),
        (7, "12", "`base_vector` must be a sequence of integers, got '12'."),
        (7, (1, 2.5), "`base_vector` must be made of integers, got 2.5."),
        (7, [[1, 2]], "`base_vector` must be made of integers, got [1, 2]."),
        (2**40, (1, 2), f"must be at most 3037000499, .* got {2**40}"),
    ],
)
def test_bad_lattices_are_refused_by_value(n_points, base_vector, message):
    with pytest.raises(ValueError, match=message.replace("[", r"\[").replace("(", r"\(")):
        Rank1Lattice(n_points, base_vector)


@pytest.mark.parametrize("shift", [[0.1], [0.1, 0.2, 0.3], 0.5, [0.1, math.nan], [0.1, math.inf]])
def test_bad_shifts_are_refused(shift):
    with pytest.raises(ValueError, match="`shift` must hold 2 finite numbers"):
        Rank1Lattice(5, (1, 2)).points(shift)


@pytest.mark.parametrize(("start", "n"), [(-1, 2), (0, -2), (0.5, 2)])
def test_bad_stretches_of_a_sequence_are_refused(start, n):
    with pytest.raises(ValueError, match="must be an integer of at least 0"):
        Rank1Lattice(5, (1, 2)).sequence(start, n)


@pytest.mark.parametrize("data", [{}, {"n_points": 5}, {"base_vector": [1]}])
def test_a_dict_that_lacks_a_key_is_refused(data):
    with pytest.raises(ValueError, match="A lattice needs"):
        Rank1Lattice.from_dict(data)
