"""The catalogue of records: every line verified, and a file that only improves."""

import pytest

from lattice_tools import Rank1Lattice, alg7, exact, record, records
from lattice_tools.find_records import RECORD_DIMS, RECORD_POINTS, improve_records, normal_form
from lattice_tools.records import parse, text_of


def test_every_record_is_what_it_says():
    found = records()
    assert set(found) == {(N, d) for N in RECORD_POINTS for d in RECORD_DIMS}
    for (N, d), lattice in found.items():
        assert (lattice.n_points, lattice.dim) == (N, d)
        measured = Rank1Lattice(N, lattice.base_vector).squared_min_distance
        assert lattice.squared_min_distance == measured


def test_records_called_optimal_are_optimal():
    optimal = {size for size, lattice in records().items() if lattice.is_optimal}
    assert len(optimal) > 50
    for N, d in [(16, 2), (50, 3), (100, 4), (64, 5)]:
        assert (N, d) in optimal
        assert exact(N, d).squared_min_distance == record(N, d).squared_min_distance


def test_records_are_not_below_algorithm_7():
    for N, d in [(100, 10), (200, 20), (1000, 7)]:
        assert record(N, d).squared_min_distance >= alg7(N, d, n_primes=5).squared_min_distance


def test_wider_lattices_have_more_dimensions():
    # A further component can only lengthen all points.
    for N in RECORD_POINTS:
        values = [record(N, d).squared_min_distance for d in RECORD_DIMS]
        assert values == sorted(values)


def test_a_file_of_records_can_be_read_and_only_improves(tmp_path):
    file = tmp_path / "records.txt"
    assert improve_records(file, [(29, 3), (31, 2)], effort=0.01) == 2
    found = parse(file.read_text())
    assert text_of(found) == file.read_text()
    assert found[29, 3].is_optimal
    poor = {(503, 8): Rank1Lattice(503, (1, 2, 3, 4, 5, 6, 7, 8))}
    file.write_text(text_of(poor))
    lines = []
    assert improve_records(file, [(503, 8)], effort=0.001, report=lines.append) == 1
    better = parse(file.read_text())[503, 8]
    assert better.squared_min_distance > poor[503, 8].squared_min_distance
    assert lines == [f"N=503 d=8 minimum distance {better.min_distance:.5f} found"]
    assert improve_records(file, [(503, 8)], effort=0.001) == 0


@pytest.mark.parametrize("b", [(5, 7, 11), (2, 4, 9), (10, 3, 6)])
def test_the_normal_form_has_the_same_distance_and_is_unique(b):
    lattice = Rank1Lattice(27, b)
    form = normal_form(lattice)
    assert form.squared_min_distance == lattice.squared_min_distance
    equivalent = Rank1Lattice(27, (-b[1] * 4, b[0] * 4, b[2] * 4))
    assert normal_form(equivalent) == form
    assert form.base_vector[0] == 1
