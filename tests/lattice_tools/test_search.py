"""Primes, and searches cut short, watched and spread over processes."""

import pickle
import time

import numpy as np
import pytest

from lattice_tools import alg6, alg7, best, build, korobov, scs
from lattice_tools._primes import is_prime, prime_factors, primes_from, primitive_root
from lattice_tools._search import MAX_POINTS, Measure, in_order
from lattice_tools.build import METHODS
from lattice_tools.scs import CoordinateSearch

SEARCHES = {
    "korobov": {},
    "scs": {},
    "alg6": {"n_primes": 3},
    "alg7": {"n_primes": 2},
    "exact": {},
    "best": {"effort": 0.01, "use_records": False},
}


@pytest.mark.parametrize("method", sorted(set(SEARCHES) - {"exact"}))
def test_two_processes_find_what_one_finds(method):
    one = build(method, 101, 4, **SEARCHES[method])
    assert build(method, 101, 4, jobs=2, **SEARCHES[method]) == one


@pytest.mark.parametrize("method", SEARCHES)
def test_progress_only_grows_and_ends_at_one(method):
    shares = []
    build(method, 101, 4, progress=shares.append, **SEARCHES[method])
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] == 1


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"subgroup", "exact"}))
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_budget_cuts_a_search_short_and_the_best_so_far_is_returned(method, jobs):
    # Whole, each of these searches takes minutes.
    options = {"scs": {"n_restarts": 10_000}}.get(method, {})
    begun = time.monotonic()
    lattice = build(method, 19_997, 20, budget=0.3, jobs=jobs, **options)
    assert time.monotonic() - begun < 5
    assert lattice.min_distance > 0


def test_progress_of_a_search_cut_short_ends_at_one():
    shares = []
    alg7(3000, 20, budget=0.1, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) < 100


def test_a_start_past_the_deadline_is_still_measured():
    b = np.array([[1, 5, 7], [1, 1, 1]])
    late = {"deadline": time.time() - 1}
    assert Measure(31, 3, **late)(b)[1].tolist() == [1, 5, 7]
    assert CoordinateSearch(31, 3, n_sweeps=3, **late)(b)[0] > 0


def test_of_equal_results_the_first_counts():
    squared, b = Measure(31, 2)(np.array([[1, 1], [5, 1], [1, 5], [1, 26]]))
    assert b.tolist() == [5, 1]
    assert squared == 1 + 25


def test_a_worker_is_sent_without_its_table():
    worker = CoordinateSearch(4000, 3, n_sweeps=1)
    assert worker.squares.half == 2000
    assert len(pickle.dumps(worker)) < 1000


def test_results_come_in_the_order_of_the_tasks():
    assert list(in_order(abs, iter(range(-30, 0)), jobs=2)) == list(range(30, 0, -1))


def test_an_endless_stream_of_tasks_can_be_left():
    from itertools import count, islice

    assert list(islice(in_order(abs, count(), jobs=2), 5)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("budget", [0, -1, float("nan")])
@pytest.mark.parametrize("method", [korobov, scs, alg6, alg7, best])
def test_a_bad_budget_is_refused(method, budget):
    with pytest.raises(ValueError, match=f"`budget` must be .* got {budget}"):
        method(20, 2, budget=budget)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("n_points", "dim", "message"),
    [
        (1, 2, "`n_points` must be an integer of at least 2, got 1."),
        (10.0, 2, "`n_points` must be an integer of at least 2, got 10.0."),
        (10, 0, "`dim` must be an integer of at least 1, got 0."),
        (10**12, 2, f"`n_points` must be at most .* got {10**12}"),
    ],
)
def test_a_bad_size_is_refused(method, n_points, dim, message):
    with pytest.raises(ValueError, match=message):
        build(method, n_points, dim)


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"subgroup"}))
def test_a_size_that_no_search_can_hold_is_refused(method):
    with pytest.raises(ValueError, match=f"at most {MAX_POINTS} points .* got {10**9}"):
        build(method, 10**9, 2)


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"subgroup"}))
@pytest.mark.parametrize(("N", "d"), [(24, 3), (35, 4)])
def test_units_only_gives_every_coordinate_all_values(method, N, d):
    options = SEARCHES.get(method, {}) | {"units_only": True}
    lattice = build(method, N, d, **options)
    assert set(lattice.values_per_coordinate) == {N}
    assert lattice.min_distance <= build("exact", N, d).min_distance


def test_subgroup_lattices_have_units_only():
    assert set(build("subgroup", 61, 3, units_only=True).values_per_coordinate) == {61}


def test_a_budget_holds_for_many_points_in_many_dimensions():
    begun = time.monotonic()
    best(1_000_000, 100, budget=1.0, use_records=False)
    assert time.monotonic() - begun < 12


@pytest.mark.parametrize(
    ("method", "option"),
    [
        ("scs", "n_sweeps"),
        ("scs", "n_restarts"),
        ("alg6", "n_primes"),
        ("alg7", "n_sweeps"),
        ("best", "jobs"),
        ("korobov", "jobs"),
    ],
)
def test_a_count_below_one_is_refused(method, option):
    with pytest.raises(ValueError, match=f"`{option}` must be an integer of at least 1, got 0."):
        build(method, 20, 2, **{option: 0})


def test_an_unknown_method_is_refused_with_the_choices():
    with pytest.raises(ValueError, match=r"one of korobov, scs, .* got 'sobol'"):
        build("sobol", 10, 2)


def test_an_option_that_a_method_does_not_take_is_refused_with_the_choices():
    with pytest.raises(
        ValueError, match="'korobov' takes no option `n_primes`; it takes: `units_only`"
    ):
        build("korobov", 10, 2, n_primes=3)
    with pytest.raises(
        ValueError, match="'subgroup' takes no option `jobs`; it takes: `units_only`"
    ):
        build("subgroup", 13, 2, jobs=3)


def test_primes_and_their_factors():
    sieve = [n for n in range(300) if n > 1 and all(n % k for k in range(2, n))]
    assert [n for n in range(300) if is_prime(n)] == sieve
    assert primes_from(21, 3) == [23, 29, 31]
    for n in range(1, 300):
        assert prime_factors(n) == [p for p in sieve if n % p == 0]


@pytest.mark.parametrize("p", [2, 3, 5, 7, 41, 1021])
def test_a_primitive_root_generates_all_units(p):
    g = primitive_root(p)
    assert {pow(g, k, p) for k in range(p - 1)} == set(range(1, p))


def test_a_primitive_root_of_a_large_prime_takes_no_time():
    assert primitive_root(2_147_483_647) == 7
