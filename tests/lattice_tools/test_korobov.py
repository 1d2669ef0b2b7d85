"""Korobov's form: all multipliers, and the paper's row."""

import pytest

from lattice_tools import Rank1Lattice, korobov
from lattice_tools.paper import PAPER_DIMS, PAPER_POINTS, as_printed, printed


@pytest.mark.parametrize(
    ("N", "d"), [(2, 1), (2, 3), (3, 2), (10, 4), (97, 3), (128, 5), (331, 2)]
)
def test_it_is_the_first_best_of_all_multipliers(N, d):
    lattices = [Rank1Lattice(N, [pow(a, j, N) for j in range(d)]) for a in range(1, N)]
    assert korobov(N, d) == max(lattices, key=lambda lattice: lattice.squared_min_distance)


@pytest.mark.parametrize("dim", PAPER_DIMS)
@pytest.mark.parametrize("N", PAPER_POINTS)
def test_it_equals_the_paper(N, dim):
    expected = printed("korobov", N, dim)
    assert as_printed(korobov(N, dim).min_distance, expected) == expected
