"""The numbers of a point set beside those of other sets."""

import numpy as np
import pytest
from scipy.stats import qmc

from lattice_tools import Rank1Lattice, covering_radius, mesh_ratio, separation
from lattice_tools.report import numbers_of, reference_sets, report

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
    assert all(line.count("*") == 1 for line in lines[3:13])
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
