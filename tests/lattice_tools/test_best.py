"""Iterated local search from the starts of all other constructions."""

import pytest

from lattice_tools import alg6, best, korobov, subgroup


def test_two_climbs_pass_algorithm_7_of_the_paper():
    assert best(1000, 10, n_restarts=2).min_distance > 0.62738


@pytest.mark.parametrize(("N", "d"), [(101, 4), (1021, 6), (61, 3)])
def test_it_is_never_below_its_starts(N, d):
    found = best(N, d, n_restarts=3).squared_min_distance
    assert found >= korobov(N, d).squared_min_distance
    assert found >= alg6(N, d).squared_min_distance
    if (N, d) == (61, 3):
        assert found >= subgroup(N, d).squared_min_distance


def test_restarts_without_a_budget_are_reproducible():
    assert best(101, 4, n_restarts=4, seed=1) == best(101, 4, n_restarts=4, seed=1)


def test_more_restarts_are_never_worse():
    values = [best(211, 5, n_restarts=n).squared_min_distance for n in (1, 3, 5)]
    assert values == sorted(values)


@pytest.mark.parametrize(("N", "d"), [(2, 1), (2, 3), (3, 2), (4, 2), (5, 1)])
def test_the_smallest_lattices_are_solved(N, d):
    assert best(N, d, n_restarts=2).min_distance == alg6(N, d).min_distance


def test_progress_follows_the_clock_within_one_climb():
    shares = []
    best(3000, 20, budget=0.6, progress=shares.append)
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert shares[-1] == 1
