"""The catalogue of records: every line verified, and a file that only improves."""

import pytest

from lattice_tools import (
    Rank1Lattice,
    SearchInterrupted,
    _interrupt,
    alg7,
    exact,
    record,
    records,
)
from lattice_tools import find_records as find_records_module
from lattice_tools.find_records import RECORD_DIMS, RECORD_POINTS, improve_records, normal_form
from lattice_tools.records import catalogue_text, parse, text_of


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


def test_no_record_is_below_algorithm_7():
    found, floors = parse(catalogue_text())
    unproved = {size for size, lattice in found.items() if not lattice.is_optimal}
    assert unproved <= set(floors)
    for size, floor in floors.items():
        assert found[size].squared_min_distance >= floor, size


@pytest.mark.parametrize(("N", "d"), [(64, 9), (1000, 6), (4096, 5)])
def test_the_values_of_algorithm_7_in_the_catalogue_are_its_own(N, d):
    _, floors = parse(catalogue_text())
    assert floors[N, d] == alg7(N, d).squared_min_distance


def test_a_file_with_a_record_below_algorithm_7_is_refused():
    lattice = Rank1Lattice(503, (1, 2, 3))
    squared = lattice.squared_min_distance
    assert parse(text_of({(503, 3): lattice}, {(503, 3): squared}))[1] == {(503, 3): squared}
    with pytest.raises(ValueError, match=r"N=503 d=3 .* below that of Algorithm 7"):
        parse(text_of({(503, 3): lattice}, {(503, 3): squared + 1}))


def test_algorithm_7_runs_whole_and_once_whatever_the_effort(tmp_path, monkeypatch):
    calls = []

    def whole(N, d):  # Without a budget or fewer primes.
        calls.append((N, d))
        return alg7(N, d, n_primes=2)

    monkeypatch.setattr(find_records_module, "alg7", whole)
    file = tmp_path / "records.txt"
    for _ in range(2):
        improve_records(file, [(211, 9)], effort=1e-6, with_alg7=True)
        found, floors = parse(file.read_text())
        assert floors[211, 9] == alg7(211, 9, n_primes=2).squared_min_distance
        assert found[211, 9].squared_min_distance >= floors[211, 9]
    assert calls == [(211, 9)]


def test_an_interrupted_algorithm_7_does_not_count(tmp_path, monkeypatch):
    def interrupted(N, d):
        _interrupt._flag.value = 1
        return alg7(N, d, n_primes=1)

    monkeypatch.setattr(find_records_module, "alg7", interrupted)
    file = tmp_path / "records.txt"
    with pytest.warns(SearchInterrupted):
        assert improve_records(file, [(211, 9), (211, 10)], with_alg7=True) == 1
    found, floors = parse(file.read_text())
    assert list(found) == [(211, 9)]
    assert floors == {}


def test_wider_lattices_have_more_dimensions():
    # A further component can only lengthen all points.
    for N in RECORD_POINTS:
        values = [record(N, d).squared_min_distance for d in RECORD_DIMS]
        assert values == sorted(values)


def test_a_file_of_records_can_be_read_and_only_improves(tmp_path):
    file = tmp_path / "records.txt"
    assert improve_records(file, [(29, 3), (31, 2)], effort=0.01) == 2
    found, floors = parse(file.read_text())
    assert floors == {}
    assert text_of(found, floors) == file.read_text()
    assert found[29, 3].is_optimal
    poor = {(503, 8): Rank1Lattice(503, (1, 2, 3, 4, 5, 6, 7, 8))}
    file.write_text(text_of(poor, {}))
    lines = []
    assert improve_records(file, [(503, 8)], effort=0.001, report=lines.append) == 1
    better = parse(file.read_text())[0][503, 8]
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
