"""The exhaustive search against a brute force, compiled and with numpy."""

import time
from itertools import combinations_with_replacement

import numpy as np
import pytest

from lattice_tools import Rank1Lattice, _kernels, exact
from lattice_tools.exact import MAX_POINTS, Exhaustive

needs_numba = pytest.mark.skipif(not _kernels.is_available(), reason="numba is not installed")


@pytest.fixture(params=["plain", pytest.param("compiled", marks=needs_numba)])
def speed(request, monkeypatch):
    monkeypatch.setattr(_kernels, "LOAD_AFTER", 0.0 if request.param == "compiled" else np.inf)


def largest(N, d, units_only=False):
    i, v = np.arange(1, N // 2 + 1), np.arange(N // 2 + 1)
    r = np.outer(v, i) % N
    c = np.minimum(r, N - r) ** 2
    values = [x for x in range(1, N // 2 + 1) if not units_only or np.gcd(x, N) == 1]
    return max(int(c[list(b)].sum(axis=0).min()) for b in combinations_with_replacement(values, d))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_it_finds_the_widest_of_all(speed, d):
    for N in [*range(2, 22), 24, 25, 30]:
        lattice = exact(N, d)
        assert lattice.is_optimal
        scanned = Rank1Lattice(N, lattice.base_vector)._scanned_min_distance()
        assert lattice.squared_min_distance == largest(N, d) == scanned


def test_components_may_repeat_where_dimensions_are_many(speed, monkeypatch):
    # From the worst start, so that the exhaustive search has to find the widest itself.
    monkeypatch.setattr(Exhaustive, "_first", lambda self: (0, np.ones(self.dim, dtype=int)))
    for N, d in [(5, 6), (6, 5), (7, 6), (8, 7), (9, 6)]:
        assert exact(N, d).squared_min_distance == largest(N, d)


def test_it_finds_the_widest_with_units(speed):
    for N in (12, 15, 16, 21):
        lattice = exact(N, 3, units_only=True)
        assert lattice.squared_min_distance == largest(N, 3, units_only=True)
        assert set(lattice.values_per_coordinate) == {N}
        assert not lattice.is_optimal


@needs_numba
@pytest.mark.parametrize(("N", "d"), [(100, 4), (31, 6), (36, 5), (101, 3)])
def test_compiled_and_plain_visit_the_same_vectors(monkeypatch, N, d):
    monkeypatch.setattr(_kernels, "LOAD_AFTER", np.inf)
    plain = exact(N, d)
    monkeypatch.setattr(_kernels, "LOAD_AFTER", 0.0)
    assert exact(N, d) == plain


def test_a_search_cut_short_claims_no_proof():
    begun = time.monotonic()
    lattice = exact(1009, 6, budget=0.2)
    assert time.monotonic() - begun < 20
    assert not lattice.is_optimal
    assert lattice.min_distance > 0.35
    search = Exhaustive(101, 4, deadline=0.0)
    (squared, b), is_proved = search.run()
    assert not is_proved
    assert squared == Rank1Lattice(101, b)._scanned_min_distance()


def test_too_many_points_are_refused():
    with pytest.raises(ValueError, match=f"at most {MAX_POINTS}, got 20000"):
        exact(20_000, 2)


def test_progress_ends_at_one():
    shares = []
    exact(50, 3, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
