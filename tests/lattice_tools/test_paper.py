"""The paper's numbers as data."""

import pytest

from lattice_tools.paper import PAPER_DIMS, PAPER_METHODS, PAPER_POINTS, as_printed, printed


def test_there_are_sixty_cells():
    cells = [printed(m, N, d) for m in PAPER_METHODS for N in PAPER_POINTS for d in PAPER_DIMS]
    assert len(cells) == 60
    assert all(len(cell.replace(".", "").lstrip("0")) == 5 for cell in cells)


def test_other_cells_are_absent():
    assert printed("alg6", 1000, 11) is None
    assert printed("alg6", 1001, 10) is None
    assert printed("best", 1000, 10) is None


@pytest.mark.parametrize(
    ("value", "like", "text"), [(0.5963220, "0.59632", "0.59632"), (1, "1.0000", "1.0000")]
)
def test_a_value_is_rounded_like_the_printed_one(value, like, text):
    assert as_printed(value, like) == text
