"""Tables of minimum distances, with and without the paper beside them."""

from lattice_tools import korobov
from lattice_tools.compare import Cell, Measured, cells_of, measure, table, verdict
from lattice_tools.paper import PAPER_DIMS, PAPER_METHODS, PAPER_POINTS


def test_the_papers_tables_are_sixty_cells_with_its_options():
    cells = cells_of(list(PAPER_METHODS), PAPER_POINTS, PAPER_DIMS, {}, paper=True)
    assert len(cells) == 60
    assert {c.method for c in cells if c.options} == {"scs"}
    assert all(c.options == (("units_only", True),) for c in cells if c.method == "scs")
    assert all(c.printed for c in cells)


def test_options_go_to_the_methods_that_take_them():
    cells = cells_of(["korobov", "subgroup"], [13], [2], {"budget": 1.0}, paper=False)
    assert [c.options for c in cells] == [(("budget", 1.0),), ()]


def test_repeated_sizes_count_once():
    assert len(cells_of(["korobov"] * 2, [10, 10], [2, 2], {}, paper=False)) == 1


def test_cells_are_measured_in_order_by_any_number_of_processes():
    cells = cells_of(["korobov", "subgroup"], [12, 13], [2, 3], {}, paper=False)
    shares = []
    one = measure(cells, progress=shares.append)
    two = measure(cells, jobs=2)
    assert [m.cell for m in one] == [m.cell for m in two] == cells
    assert [m.min_distance for m in one] == [m.min_distance for m in two]
    assert one[0].min_distance == korobov(12, 2).min_distance
    assert shares == [k / 8 for k in range(1, 9)]


def measured(method, value, N=1000, d=10):
    return Measured(Cell(method, N, d), value, 0.0)


def test_a_plain_table():
    rows = [
        measured("korobov", 0.5, 12, 2),
        measured("korobov", 0.25, 12, 3),
        measured("subgroup", None, 12, 2),
        measured("subgroup", 0.125, 12, 3),
        measured("korobov", 0.0625, 13, 2),
    ]
    assert table(rows, paper=False).splitlines() == [
        "N=12",
        "          d=2               d=3",
        "korobov   0.50000 (1.6119)  0.25000 (0.5099)",
        "subgroup  -                 0.12500 (0.2550)",
        "",
        "N=13",
        "          d=2",
        "korobov   0.06250 (0.2097)",
        "",
        "(fraction of the limit)",
        "- there is no subgroup lattice of this size.",
    ]


def test_beside_the_paper_a_sign_tells_which_is_larger():
    rows = [measured("alg6", 0.5963220), measured("alg7", 0.63048), measured("korobov", 0.5663)]
    text = table(rows, paper=True)
    assert "alg6     0.59632 = 0.59632" in text
    assert "alg7     0.63048 > 0.62738" in text
    assert "korobov  0.56630 < 0.56639" in text
    assert verdict(rows) == "alg6: 1 of 1 equal; alg7: 1 of 1 wider; korobov: 1 of 1 LOWER."


def test_best_is_held_against_the_papers_best_row():
    assert "0.62738" in table([measured("best", 0.634)], paper=True)
    assert verdict([measured("best", 0.634), measured("best", 0.5)]) == (
        "best: 1 of 2 wider, 1 of 2 LOWER."
    )


def test_cells_that_the_paper_lacks_have_no_sign():
    rows = [measured("alg6", 0.5, N=999), measured("subgroup", None, N=999)]
    assert "0.50000" in table(rows, paper=True)
    assert verdict(rows) == "The paper has none of these cells."
