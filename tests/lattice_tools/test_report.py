"""The numbers of a point set beside those of other sets."""

import numpy as np
import pytest
from scipy.stats import qmc

from lattice_tools import Rank1Lattice, covering_radius, mesh_ratio, separation
from lattice_tools import report as report_module
from lattice_tools.integration import p_alpha
from lattice_tools.report import lattice_of, numbers_of, reference_sets, report

LATTICE = Rank1Lattice(100, (1, 45))


def test_the_numbers_are_those_of_the_library_and_of_scipy():
    X = LATTICE.points()
    numbers = numbers_of(X)
    assert numbers["separation, torus"] == pytest.approx(LATTICE.min_distance)
    assert numbers["separation, Euclidean"] == separation(X, periodic=False)
    for metric, periodic in (("torus", True), ("Euclidean", False)):
        assert numbers[f"covering radius, {metric}"] == covering_radius(X, periodic=periodic)
        expected = mesh_ratio(X, periodic=periodic).value
        assert float(numbers[f"mesh ratio, {metric}"]) == pytest.approx(expected)
    assert numbers["centred discrepancy"] == qmc.discrepancy(X, method="CD")
    assert numbers["wrap-around discrepancy"] == qmc.discrepancy(X, method="WD")
    assert numbers["mixture discrepancy"] == qmc.discrepancy(X, method="MD")
    assert numbers["L2-star discrepancy"] == qmc.discrepancy(X, method="L2-star")


def test_reference_sets_have_the_same_size_and_follow_the_seed():
    names = []
    for (name, X), (_, Y), (_, Z) in zip(
        reference_sets(37, 3), reference_sets(37, 3), reference_sets(37, 3, seed=1), strict=True
    ):
        names.append(name)
        assert X.shape == (37, 3)
        np.testing.assert_array_equal(X, Y)
        assert not np.array_equal(X, Z)
    assert names == ["Sobol", "Halton", "Latin hypercube", "random"]


def test_a_lattice_is_starred_for_its_separation():
    shares = []
    lines = report(LATTICE.points(), name="mine", progress=shares.append).splitlines()
    assert lines[0] == "100 points in 2 dimensions"
    assert lines[2].split() == ["mine", "Sobol", "Halton", "Latin", "hypercube", "random"]
    assert lines[3].split()[:3] == ["separation,", "torus", "0.10198*"]
    assert all(line.count("*") == 1 for line in lines[3:14])
    assert ">=" not in "".join(lines)
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_beyond_three_dimensions_bounds_are_called_bounds_and_not_ranked():
    X = np.random.default_rng(0).random((20, 4))
    lines = report(X, n_starts=3).splitlines()
    rows = [line for line in lines if line.startswith(("covering", "mesh"))]
    assert len(rows) == 4
    assert all(line.count(">=") == 5 and "*" not in line for line in rows)
    assert lines[-1].endswith("lower bounds: the best of 3 local ascents.")


def test_a_lattice_is_recognised_in_its_order_with_its_fraction_of_the_limit():
    lattice = Rank1Lattice(209, (1, 56))
    for shift in (None, [0.3, 0.9]):
        assert lattice_of(lattice.points(shift)) == lattice
        text = report(lattice.points(shift), name="mine")
        assert "base vector (1,56): minimum distance 0.07428, 0.9993 of the limit." in text
    assert lattice_of(lattice.points()[::-1][:208]) is None
    assert "rank-1" not in report(np.random.default_rng(0).random((20, 2)))


def test_p2_of_points_and_of_a_lattice_agree():
    X = LATTICE.points()
    p2 = float(numbers_of(X)["sqrt(P2), weights 1/j^2"])
    assert p2**2 == pytest.approx(p_alpha(LATTICE))
    shuffled = np.random.default_rng(0).permutation(X)
    assert lattice_of(shuffled) is None
    assert float(numbers_of(shuffled)["sqrt(P2), weights 1/j^2"]) == pytest.approx(p2)


def test_measures_of_all_pairs_are_left_out_for_many_points_and_that_is_said(monkeypatch):
    monkeypatch.setattr(report_module, "MAX_PAIR_STEPS", 100)
    text = report(LATTICE.points())
    assert "centred discrepancy" not in text
    assert "100² pairs of points and were left out" in text
    assert "sqrt(P2)" in text
    assert "centred discrepancy" in report(LATTICE.points(), full=True)


def test_neighbours_are_left_out_for_many_points_in_many_dimensions(monkeypatch):
    monkeypatch.setattr(report_module, "MAX_NEIGHBOUR_STEPS", 100)
    lattice = Rank1Lattice(31, tuple(range(1, 12)))
    text = report(lattice.points(), n_starts=1)
    rows = {line[:28].rstrip(): line[28:].split() for line in text.splitlines()}
    assert rows["separation, torus"] == [f"{lattice.min_distance:.5g}", "-", "-", "-", "-"]
    assert "separation, Euclidean" not in text
    assert "Separations and mesh ratios of this many points in 11 dimensions" in text
    whole = report(lattice.points(), n_starts=1, full=True)
    assert "separation, Euclidean" in whole
    assert "so many points" not in whole + report(LATTICE.points())
    X = np.random.default_rng(0).random((31, 11))
    assert "separation" not in report(X, n_starts=1)


def test_random_points_are_covered_by_places_of_another_stream():
    X = np.random.default_rng(0).random((5000, 4))
    reference = dict(reference_sets(5000, 4))["random"]
    assert not np.array_equal(X, reference)
    assert float(numbers_of(reference, pairs=False)["covering radius, torus"]) > 0.1
