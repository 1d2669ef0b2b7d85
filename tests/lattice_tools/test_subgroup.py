"""Subgroup lattices: a closed form for some primes, and a helpful error for other sizes."""

import math

import pytest

from lattice_tools import subgroup
from lattice_tools._primes import is_prime
from lattice_tools.subgroup import admissible_neighbours, is_admissible


@pytest.mark.parametrize(
    ("N", "d", "value"),
    [(3001, 10, 0.589), (1201, 50, 1.875), (2081, 40, 1.611), (1021, 30, 1.366)],
)
def test_known_minimum_distances(N, d, value):
    lattice = subgroup(N, d)
    assert round(lattice.min_distance, 3) == value
    assert lattice.min_distance <= math.sqrt(d * (N + 1) / (12 * N))


@pytest.mark.parametrize(("N", "d"), [(3, 1), (13, 2), (61, 3), (1021, 30)])
def test_components_and_their_negatives_are_a_subgroup(N, d):
    b = subgroup(N, d).base_vector
    group = {v % N for c in b for v in (c, -c)}
    assert len(group) == 2 * d
    assert {x * y % N for x in group for y in group} == group


def test_every_admissible_size_works_and_no_other():
    for N in range(2, 120):
        if is_prime(N) and (N - 1) % 6 == 0:
            assert subgroup(N, 3).n_points == N
        else:
            with pytest.raises(ValueError, match=f"got {N}; nearest: "):
                subgroup(N, 3)


def test_the_error_names_the_nearest_sizes_on_both_sides():
    with pytest.raises(
        ValueError, match=r"remainder 1 when divided by 20, got 1000; nearest: 941 and 1021"
    ):
        subgroup(1000, 10)
    with pytest.raises(ValueError, match=r"got 5; nearest: 41\."):
        subgroup(5, 10)


@pytest.mark.parametrize(("N", "d"), [(2, 1), (100, 4), (1000, 10), (7, 50)])
def test_neighbours_are_nearest(N, d):
    below, above = admissible_neighbours(N, d)
    assert above > N
    assert is_admissible(above, d)
    assert not any(is_admissible(n, d) for n in range(max(N, 2), above) if n != N)
    if below is not None:
        assert below <= N
        assert is_admissible(below, d)
    assert not any(is_admissible(n, d) for n in range((below or 1) + 1, N))
