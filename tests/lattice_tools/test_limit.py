"""Upper bounds of minimum distances, and the densest lattices that reach them."""

import math

import numpy as np
import pytest

from lattice_tools import Rank1Lattice, distance_limit, exact, fraction_of_limit
from lattice_tools._dense import MAX_DIM, densest_lattice
from lattice_tools.limit import hermite_constant, reaches_limit

#: Numbers of shortest vectors: A1 ... E8, and Construction B's lattices in 9, 12, 15 and 16.
KISSING = {1: 2, 2: 6, 3: 12, 4: 24, 5: 40, 6: 72, 7: 126, 8: 240, 9: 272, 12: 648, 15: 2340}


@pytest.mark.parametrize("d", range(1, MAX_DIM + 1))
def test_targets_are_as_dense_as_known(d):
    dense = densest_lattice(d)
    gram = np.linalg.inv(dense.dual_gram)
    assert np.linalg.det(gram) == pytest.approx(1)
    lengths = np.einsum("ki,ij,kj->k", dense.shortest, gram, dense.shortest)
    assert lengths.max() == pytest.approx(lengths.min())
    if d in KISSING:
        assert 2 * len(dense.shortest) == KISSING[d]
    if d <= 8:
        assert lengths.min() == pytest.approx(hermite_constant(d))
    else:
        assert 0.8 * hermite_constant(d) < lengths.min() <= hermite_constant(d)


def test_hermites_constant_and_its_bounds_grow():
    values = [hermite_constant(d) for d in range(1, 60)]
    assert values == sorted(values)
    assert values[23] == pytest.approx(4)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 11])
def test_no_lattice_passes_the_limit(d):
    for N in (2, 3, 4, 5, 8, 12, 13):
        assert fraction_of_limit(exact(N, d)) <= 1 + 1e-12


def test_the_mean_square_limits_primes_in_many_dimensions():
    assert distance_limit(1009, 50) == pytest.approx(math.sqrt(50 * 1010 / (12 * 1009)))


def test_the_hexagonal_lattice_nearly_reaches_the_limit():
    assert fraction_of_limit(Rank1Lattice(209, (1, 56))) > 0.99
    assert distance_limit(209, 2) == pytest.approx(math.sqrt(2 / math.sqrt(3) / 209))


def test_a_lattice_at_the_limit_needs_no_search_to_be_optimal():
    assert reaches_limit(Rank1Lattice(2, (1, 1, 1, 1, 1)))
    assert not reaches_limit(Rank1Lattice(100, (1, 45)))
    for N, d in [(5, 4), (7, 6), (8, 3), (9, 5)]:
        lattice = exact(N, d)
        worse = Rank1Lattice(N, (1,) * d)
        assert reaches_limit(lattice) >= reaches_limit(worse)
        if worse.squared_min_distance < lattice.squared_min_distance:
            assert not reaches_limit(worse)
