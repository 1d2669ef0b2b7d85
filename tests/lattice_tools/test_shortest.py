"""Shortest vectors against scans, compiled and in plain Python."""

import numpy as np
import pytest

from lattice_tools import Rank1Lattice, _kernels
from lattice_tools._kernels import coordinate, exhaustive, shortest
from lattice_tools._shortest import is_faster, squared_lengths

needs_numba = pytest.mark.skipif(not _kernels.is_available(), reason="numba is not installed")


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)])
def speed(request, monkeypatch):
    seconds = 0.0 if request.param == "compiled" else float("inf")
    monkeypatch.setattr(_kernels, "LOAD_AFTER", seconds)
    return request.param


def random_vectors(n, seed, largest=3000, dims=9):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        N, d = int(rng.integers(2, largest)), int(rng.integers(1, dims))
        yield N, rng.integers(0, N, (1, d))


def test_shortest_vectors_are_what_a_scan_finds(speed):
    n_far = 0
    for N, vectors in random_vectors(3000 if speed == "compiled" else 1000, seed=0):
        (found,) = squared_lengths(N, vectors)
        scanned = Rank1Lattice(N, vectors[0])._scanned_min_distance()
        if found < 0:
            assert scanned >= N**2
            n_far += 1
        else:
            assert found == scanned
    assert n_far < 100


def test_a_good_lattice_has_many_shortest_vectors_and_none_is_missed(speed):
    # E8's neighbour has 240 vectors of nearly the same length.
    for b in ([112, 824, 911, 75, 713, 648, 804], [156, 789, 594, 112, 387, 545, 58]):
        (found,) = squared_lengths(1009, np.array([b]))
        assert found == Rank1Lattice(1009, b)._scanned_min_distance()


def test_distances_of_at_least_one_are_left_to_the_scan(speed):
    b = np.array([[1, 2, 4, 8] * 10])
    assert squared_lengths(17, b)[0] == -1
    assert Rank1Lattice(17, b[0]).min_distance > 1


def test_points_that_coincide_have_distance_zero(speed):
    assert squared_lengths(12, np.array([[4, 6, 2]])).tolist() == [0]


def test_values_up_to_enough_need_not_be_exact_but_the_largest_is(speed):
    rng = np.random.default_rng(1)
    vectors = rng.integers(0, 10007, (300, 4))
    exact = squared_lengths(10007, vectors)
    quick = squared_lengths(10007, vectors, enough=0)
    assert quick.argmax() == exact.argmax()
    assert quick.max() == exact.max()
    assert np.all(quick >= exact)


def test_a_large_number_of_points_is_measured_without_a_scan(monkeypatch):
    lattice = Rank1Lattice(1_000_003, (1, 3, 500, 4444, 77777, 123456))
    expected = lattice._scanned_min_distance()
    monkeypatch.setattr(Rank1Lattice, "_scanned_min_distance", lambda self: pytest.fail("scanned"))
    assert lattice.squared_min_distance == expected


def test_the_scan_stays_where_it_is_faster():
    assert is_faster(10**6, 6)
    assert not is_faster(1000, 6)
    assert not is_faster(10**6, 21)
    assert not is_faster(1000, 15)


@needs_numba
def test_without_numba_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(_kernels, "LOAD_AFTER", 0.0)
    assert _kernels.compiled(shortest.squared_lengths, 1.0) is not None
    _kernels.is_available.cache_clear()
    _kernels._compiled_module.cache_clear()
    monkeypatch.setenv(_kernels.SWITCH, "0")
    try:
        for kernel in (
            shortest.squared_lengths,
            coordinate.search_components,
            exhaustive.search_below,
        ):
            assert _kernels.compiled(kernel, 1.0) is None
    finally:
        _kernels.is_available.cache_clear()
        _kernels._compiled_module.cache_clear()


def test_small_jobs_do_not_load_numba_and_many_do(monkeypatch):
    monkeypatch.setattr(_kernels, "_seconds_without", 0.0)
    monkeypatch.setattr(_kernels, "_compiled_module", lambda name: {"squared_lengths": "loaded"})
    answers = [_kernels.compiled(shortest.squared_lengths, 0.3) for _ in range(5)]
    assert answers == [None, None, None, "loaded", "loaded"]
