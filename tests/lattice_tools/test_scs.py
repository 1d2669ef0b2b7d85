"""Successive coordinate search against a literal, exhaustive one, and against the paper."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lattice_tools import Rank1Lattice, scs
from lattice_tools._folded import FoldedSquares
from lattice_tools.paper import PAPER_DIMS, PAPER_POINTS, as_printed, printed
from lattice_tools.scs import CoordinateSearch

#: Cells that depend on the start; the others are ceilings of lattices with units only.
OPEN_CELLS = {(1000, 10), (2000, 10), (2000, 20)}


def literal_search(start, N, n_sweeps, units_only, first_free):
    """Every component in turn, every value 1, ..., N - 1 measured in full."""
    values = [v for v in range(1, N) if not units_only or math.gcd(v, N) == 1]
    b = list(start)
    current = Rank1Lattice(N, b).squared_min_distance
    for _ in range(n_sweeps):
        before = current
        for j in range(first_free, len(b)):
            scores = [
                Rank1Lattice(N, [*b[:j], v, *b[j + 1 :]]).squared_min_distance for v in values
            ]
            if max(scores) > current:
                current = max(scores)
                b[j] = values[scores.index(current)]
        if current == before:
            break
    return current, b


@st.composite
def searches(draw):
    N = draw(st.sampled_from([2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 25, 30, 41]))
    dim = draw(st.integers(1, 5))
    start = [1, *draw(st.lists(st.integers(0, N // 2), min_size=dim - 1, max_size=dim - 1))]
    return N, start, draw(st.integers(1, 4)), draw(st.booleans()), draw(st.integers(0, 1))


@given(searches())
@settings(max_examples=120, deadline=None)
def test_it_is_the_literal_exhaustive_search(search):
    N, start, n_sweeps, units_only, first_free = search
    worker = CoordinateSearch(
        N, len(start), n_sweeps=n_sweeps, units_only=units_only, first_free=first_free
    )
    squared, b = worker.improve(np.array(start))
    assert (squared, b.tolist()) == literal_search(start, N, n_sweeps, units_only, first_free)


@pytest.mark.parametrize(
    ("N", "start"), [(41, [1, 1, 2, 1]), (61, [1, 2, 3, 1]), (101, [1, 46, 26, 31, 49])]
)
def test_a_second_sweep_improves_what_the_first_found(N, start):
    once, twice = (
        CoordinateSearch(N, len(start), n_sweeps=n).improve(np.array(start)) for n in (1, 2)
    )
    assert twice[0] > once[0]
    assert (twice[0], twice[1].tolist()) == literal_search(start, N, 2, False, 1)


@given(searches())
@settings(max_examples=60, deadline=None)
def test_the_chunked_form_finds_what_the_table_finds(search):
    N, start, n_sweeps, units_only, first_free = search
    found = []
    for table_bytes in (0, 10**9):
        worker = CoordinateSearch(
            N, len(start), n_sweeps=n_sweeps, units_only=units_only, first_free=first_free
        )
        worker.squares = FoldedSquares(N, len(start), table_bytes=table_bytes)
        found.append(worker.improve(np.array(start)))
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_the_bound_decides_nothing_but_the_time(monkeypatch):
    import sys

    starts = np.random.default_rng(0).integers(1, 251, size=(3, 8))
    found = []
    for n_binding, n_verified in ((1, 1), (12, 4), (400, 50)):
        monkeypatch.setattr(sys.modules[CoordinateSearch.__module__], "_N_BINDING", n_binding)
        monkeypatch.setattr(sys.modules[CoordinateSearch.__module__], "_N_VERIFIED", n_verified)
        worker = CoordinateSearch(501, 8, n_sweeps=3)
        found.append([(squared, b.tolist()) for squared, b in map(worker.improve, starts)])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("N", [2, 3, 4, 5])
@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("units_only", [False, True])
def test_the_smallest_lattices(N, dim, units_only):
    lattice = scs(N, dim, units_only=units_only)
    assert (lattice.n_points, lattice.dim) == (N, dim)
    assert lattice.base_vector[0] == 1
    if units_only:
        assert all(math.gcd(b, N) == 1 for b in lattice.base_vector)


def test_the_same_seed_gives_the_same_lattice():
    assert scs(500, 6, seed=3) == scs(500, 6, seed=3)
    assert scs(500, 6, seed=3) != scs(500, 6, seed=4)


@pytest.mark.parametrize("dim", PAPER_DIMS)
@pytest.mark.parametrize("N", PAPER_POINTS)
def test_units_only_meets_the_ceilings_of_the_paper_and_passes_its_other_cells(N, dim):
    value = scs(N, dim, units_only=True).min_distance
    expected = printed("scs", N, dim)
    if (N, dim) in OPEN_CELLS:
        assert float(as_printed(value, expected)) >= float(expected)
    else:
        assert as_printed(value, expected) == expected


def test_units_only_at_3000_points_has_a_ceiling():
    # Units modulo 3000 are units modulo 6, so every component of point N / 6 is 1/6 or 5/6.
    assert scs(3000, 20, units_only=True).min_distance == pytest.approx(math.sqrt(20) / 6)
