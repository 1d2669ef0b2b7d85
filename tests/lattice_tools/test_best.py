"""The catalogue, the exhaustive search and the three searches behind `best`."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from lattice_tools import (
    Rank1Lattice,
    alg6,
    alg7,
    best,
    exact,
    fraction_of_limit,
    korobov,
    record,
    subgroup,
)
from lattice_tools import _campaign as campaign_module
from lattice_tools._target import _base_vector
from lattice_tools.best import search
from lattice_tools.exact import Exhaustive


def searched(N, d, **options):
    return best(N, d, **({"effort": 0.02, "use_records": False} | options))


@pytest.mark.parametrize(("N", "d"), [(211, 9), (1021, 6), (1000, 8)])
def test_it_is_never_below_algorithms_6_and_7(N, d):
    found = searched(N, d, effort=0.1).squared_min_distance
    assert found >= alg6(N, d, n_primes=10).squared_min_distance
    assert found >= alg7(N, d, n_primes=5).squared_min_distance


@pytest.mark.parametrize(("N", "d", "fraction"), [(2003, 5, 0.94), (2003, 7, 0.90)])
def test_target_lattices_come_close_to_the_limit(N, d, fraction):
    assert fraction_of_limit(searched(N, d, effort=0.1)) > fraction


def test_without_targets_the_same_effort_finds_less(monkeypatch):
    with_targets = searched(10007, 6).min_distance
    monkeypatch.setattr(campaign_module, "has_target", lambda N, d: False)
    assert searched(10007, 6).min_distance < with_targets


def test_few_points_in_many_dimensions_are_climbed_for():
    assert searched(211, 20, effort=0.1).min_distance > alg7(211, 20, n_primes=5).min_distance


def test_effort_is_reproducible_whatever_the_seed_and_the_jobs():
    one = searched(503, 7, seed=1)
    assert searched(503, 7, seed=1) == one
    assert searched(503, 7, seed=1, jobs=2) == one


def test_the_seed_matters():
    assert len({searched(503, 12, seed=seed) for seed in range(3)}) > 1


@pytest.mark.parametrize("N", [2, 3, 4, 5, 9, 16])
def test_the_smallest_lattices_are_solved_and_declared_optimal(N):
    for d in (1, 2, 3):
        lattice = best(N, d, use_records=False)
        assert lattice.is_optimal
        assert lattice.min_distance == exact(N, d).min_distance >= alg6(N, d).min_distance


def test_it_is_never_below_a_korobov_or_subgroup_lattice_that_is_optimal():
    found = best(61, 3, use_records=False).squared_min_distance
    assert found >= korobov(61, 3).squared_min_distance
    assert found >= subgroup(61, 3).squared_min_distance


@pytest.mark.parametrize(("N", "d"), [(12, 3), (20, 3)])
def test_the_first_component_changes_too_where_that_is_wider(N, d):
    """A lattice none of whose components is a unit is not among those of Algorithm 7."""
    widest = {first: 0 for first in range(N // 2 + 1)}
    for b in combinations_with_replacement(range(N // 2 + 1), d):
        squared = Rank1Lattice(N, b).squared_min_distance
        for first in b:
            widest[first] = max(widest[first], squared)
    found = best(N, d, use_records=False).squared_min_distance
    assert found == max(widest.values()) > widest[1]


def test_a_record_is_returned_at_once_and_never_lost(monkeypatch):
    known = record(1000, 10)
    monkeypatch.setattr(campaign_module.Campaign, "run", lambda *a: pytest.fail("searched"))
    assert best(1000, 10) == known
    monkeypatch.undo()
    assert best(1000, 10, effort=0.001).squared_min_distance >= known.squared_min_distance


@pytest.mark.parametrize(("N", "d"), [(1000, 6), (64, 3), (1024, 20)])
def test_units_only_gives_every_coordinate_all_values(N, d):
    lattice = best(N, d, units_only=True, effort=0.01)
    assert set(lattice.values_per_coordinate) == {N}
    assert not lattice.is_optimal


def test_a_budget_too_short_for_a_proof_leaves_time_for_the_searches(monkeypatch):
    def no_proof(proof, progress=None):
        return (0, np.ones(proof.dim, dtype=np.int64)), False

    monkeypatch.setattr(Exhaustive, "run", no_proof)
    cut_short = best(101, 5, budget=1.0, use_records=False)
    assert not cut_short.is_optimal
    assert cut_short.min_distance >= alg7(101, 5, n_primes=5).min_distance


def test_a_search_cut_short_does_not_lose_what_is_known(monkeypatch):
    known = exact(101, 5)
    monkeypatch.setattr(Exhaustive, "run", lambda *a: ((0, np.ones(5, dtype=np.int64)), False))
    again = search(101, 5, known, None, 0.001)
    assert again.squared_min_distance == known.squared_min_distance


def test_no_second_round_begins_after_the_deadline(monkeypatch):
    """At N = 10^6, d = 100 one more step takes a second."""
    rounds = []

    def results(campaign, tasks, *args):
        rounds.append(next(tasks)[0])
        campaign.worker.deadline = 0.0
        return [(0, np.ones(9, dtype=np.int64))]

    monkeypatch.setattr(campaign_module.Campaign, "_results", results)
    for options in ({"budget": 60.0}, {"effort": 1.0}):
        best(503, 9, use_records=False, **options)
    assert rounds == ["cosines", "cosines"]


def test_progress_follows_the_clock():
    shares = []
    best(3001, 20, budget=0.6, progress=shares.append)
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize("effort", [0, -1, float("nan"), float("inf")])
def test_a_bad_effort_is_refused(effort):
    with pytest.raises(ValueError, match=f"`effort` must be a positive number, got {effort}"):
        best(20, 2, effort=effort)


def test_a_composite_number_of_points_has_cyclic_targets():
    lattice = searched(3000, 6)
    assert len(np.unique(lattice.points(), axis=0)) == 3000
    assert fraction_of_limit(lattice) > 0.9


def test_only_a_cyclic_quotient_has_a_base_vector():
    rng = np.random.default_rng(0)
    cyclic = np.array([[1, 2, 0], [0, 3, 1], [2, 0, 2]])  # determinant 10
    adjugate = np.rint(10 * np.linalg.inv(cyclic)).astype(int)
    b = _base_vector(adjugate, 10, rng)
    assert np.all(cyclic @ b % 10 == 0)
    assert np.gcd.reduce([*b, 10]) == 1
    product_of_two = np.diag([2, 2, 3])
    assert _base_vector(np.rint(12 * np.linalg.inv(product_of_two)).astype(int), 12, rng) is None
