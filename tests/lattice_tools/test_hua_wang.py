"""Algorithms 6 and 7 against a literal transcription and against the paper's tables."""

import math

import numpy as np
import pytest

from lattice_tools import Rank1Lattice, alg6, alg7
from lattice_tools._primes import primes_from
from lattice_tools.hua_wang import cosine_vectors
from lattice_tools.paper import PAPER_DIMS, PAPER_POINTS, as_printed, printed


def literal_vectors(N, d, n_primes):
    """The loops of Algorithm 6, one vector at a time."""
    for p in primes_from(2 * d + 1, n_primes):
        for i in range(p):
            g = [(j + i) % p for j in range(1, d)]
            yield [1] + [round(N * (abs(2 * math.cos(2 * math.pi * k / p)) % 1)) for k in g]


@pytest.mark.parametrize(("N", "d", "n_primes"), [(2, 1, 2), (10, 2, 3), (101, 4, 3), (64, 7, 2)])
def test_algorithm_6_is_its_literal_transcription(N, d, n_primes):
    lattices = [Rank1Lattice(N, b) for b in literal_vectors(N, d, n_primes)]
    assert alg6(N, d, n_primes=n_primes) == max(lattices, key=lambda x: x.squared_min_distance)


@pytest.mark.parametrize("ordered", [False, True])
def test_cosine_vectors_are_the_distinct_ones_of_the_loops(ordered):
    N, d = 30, 3
    blocks = list(cosine_vectors(N, d, 6, size=4, ordered=ordered))
    assert [share for share, _ in blocks] == sorted({share for share, _ in blocks})
    found = [tuple(b) for _, block in blocks for b in block.tolist()]
    seen, expected = set(), []
    for b in literal_vectors(N, d, 6):
        folded = tuple(min(v % N, -v % N) for v in b)
        key = folded if ordered else tuple(sorted(folded))
        if key not in seen:
            seen.add(key)
            expected.append(tuple(b))
    assert found == expected


@pytest.mark.parametrize("dim", PAPER_DIMS)
@pytest.mark.parametrize("N", PAPER_POINTS)
def test_algorithm_6_equals_the_paper(N, dim):
    expected = printed("alg6", N, dim)
    assert as_printed(alg6(N, dim).min_distance, expected) == expected


def test_algorithm_7_passes_the_paper():
    lattice = alg7(1000, 10)
    assert round(lattice.min_distance, 5) == 0.63048
    assert lattice.min_distance > float(printed("alg7", 1000, 10))
    assert lattice.base_vector[0] == 1


def test_algorithm_7_is_never_below_algorithm_6():
    for N, d in [(50, 3), (101, 6), (200, 8)]:
        wide = alg7(N, d, n_primes=5)
        assert wide.squared_min_distance >= alg6(N, d, n_primes=5).squared_min_distance


def test_more_sweeps_and_primes_are_never_worse():
    few = alg7(200, 6, n_primes=2, n_sweeps=1).squared_min_distance
    assert alg7(200, 6, n_primes=4, n_sweeps=1).squared_min_distance >= few
    assert alg7(200, 6, n_primes=2, n_sweeps=9).squared_min_distance >= few


def test_components_are_exact_integers_of_the_size():
    b = np.array(alg6(997, 12).base_vector)
    assert np.all((b >= 0) & (b < 997))
