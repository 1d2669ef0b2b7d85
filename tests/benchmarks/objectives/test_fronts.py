"""Fronts, hypervolumes, references and moved problems."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pymoo")

from benchmarks.objectives.catalogue import DEVELOPMENT, REPORTED, base_name, problem
from benchmarks.objectives.fronts import entrants, front_of, hypervolume
from benchmarks.objectives.problems import MARGIN, FunctionProblem
from benchmarks.objectives.references import (
    FLOOR,
    REFERENCES,
    load_references,
    reference_of,
    save_references,
)
from benchmarks.objectives.tasks import TASK_PROBLEMS


def test_hypervolume_of_a_staircase() -> None:
    steps = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0], [2.0, 2.0], [9.0, -1.0]])
    assert hypervolume(steps, (3.0, 3.0)) == pytest.approx(3 + 2 + 1)
    assert hypervolume(steps[-1:], (3.0, 3.0)) == 0.0


def test_hypervolume_with_four_objectives_is_inclusion_and_exclusion() -> None:
    values = np.array([[0.0, 0.5, 0.5, 0.5], [0.5, 0.0, 0.5, 0.5]])
    assert hypervolume(values, (1.0,) * 4) == pytest.approx(2 * 0.5**3 - 0.5**4)


def test_front_leaves_out_dominated_and_equal_rows() -> None:
    values = np.array([[1.0, 1.0], [0.0, 2.0], [1.0, 1.0], [1.0, 2.0]])
    assert front_of(values).tolist() == [[1.0, 1.0], [0.0, 2.0]]


def test_entrants_hold_the_front_at_any_time() -> None:
    values = np.random.default_rng(0).random((60, 3))
    kept = entrants(values)
    for n in (1, 7, 30, 60):
        early = [k for k in kept if k < n]
        assert hypervolume(values[early], (1.0,) * 3) == hypervolume(values[:n], (1.0,) * 3)
    assert 3 < len(kept) < 60


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("zdt1", 1.1**2 - 1 / 3),
        ("zdt2", 1.1**2 - 2 / 3),
        ("dtlz2-m2", 1.1**2 - np.pi / 4),
        ("dtlz2-m3", 1.1**3 - np.pi / 6),
    ],
)
def test_stored_references_are_those_of_the_formulas(name: str, exact: float) -> None:
    reference = load_references(REFERENCES)[name]
    assert reference.hypervolume == pytest.approx(exact, rel=2e-3)
    assert np.allclose(reference.point, 1.1, atol=1e-2)


def test_every_problem_has_a_reference_with_its_number_of_objectives() -> None:
    references = load_references(REFERENCES)
    for name in DEVELOPMENT + REPORTED:
        reference = references[base_name(name)]
        found = problem(name)
        if isinstance(found, FunctionProblem):
            values = found.outcome(np.full(found.function.dim, 0.5)).values
            assert len(values) == len(reference.point) == len(reference.extent)
    assert not set(DEVELOPMENT) & set(REPORTED)
    assert {len(references[base_name(name)].point) for name in REPORTED} == {2, 3, 4}


def test_gap_is_the_missing_share(tmp_path: Path) -> None:
    reference = reference_of(np.array([[0.0, 1.0], [1.0, 0.0]]), "test", point=(2.0, 2.0))
    assert reference.gap(np.array([[0.0, 1.0]])) == pytest.approx(1 / 3)
    assert reference.gap(np.array([[0.0, 1.0], [1.0, 0.0]])) == FLOOR
    assert reference.gap(np.array([[3.0, 0.0]])) == 1.0
    save_references(tmp_path / "references.json", {"a": reference})
    read = load_references(tmp_path / "references.json")["a"]
    assert read.gap(np.array([[0.0, 1.0]])) == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ["zdt1", "zdt4", "dtlz2-m3", "dtlz7-m4", "wfg4-m4"])
def test_moved_optimum_is_where_it_is_said_and_on_the_front(name: str) -> None:
    reference = load_references(REFERENCES)[name]
    first, second = FunctionProblem(name, seed=1), FunctionProblem(name, seed=2)
    is_moved = ~np.isnan(first.optimum)
    assert is_moved.any()
    assert (np.abs(first.optimum[is_moved] - 0.5) <= 0.5 - MARGIN).all()
    assert (first.optimum[is_moved] != second.optimum[is_moved]).all()
    rng = np.random.default_rng(0)
    points = rng.random((400, first.function.dim))
    on_front = np.array(
        [first.outcome(np.where(is_moved, first.optimum, point)).values for point in points]
    )
    ends = np.array([first.outcome(point).values for point in points])
    here = hypervolume(on_front, reference.point)
    assert here <= reference.hypervolume * (1 + 1e-6)
    assert here > hypervolume(ends, reference.point)
    # Values at the other seed's optimum are dominated: the optimum is nowhere else.
    elsewhere = [first.outcome(np.where(is_moved, second.optimum, p)).values for p in points]
    assert hypervolume(np.array(elsewhere), reference.point) < here


def test_stretched_problems_rank_values_as_before() -> None:
    values = np.sort(np.random.default_rng(0).random((20, 2)), axis=0)
    for name in ("zdt1-scaled", "wfg5-m2-heavy"):
        shown = np.array([problem(name).shown(row) for row in values])
        assert (np.diff(shown, axis=0) > 0).all()
        assert not np.allclose(shown, values)


def test_constraints_of_the_welded_beam() -> None:
    beam = problem("welded-beam")
    assert isinstance(beam, FunctionProblem)
    corner, middle = beam.outcome(np.zeros(4)), beam.outcome(np.full(4, 0.5))
    assert len(corner.constraints) == 4
    assert not corner.is_feasible
    assert middle.is_feasible


def test_costs_of_tasks_are_counted() -> None:
    params = {"penalty": "l1", "alpha": 0.05, "schedule": "constant", "rate": 0.01}
    params |= {"average": False, "epochs": 10}
    sparse = TASK_PROBLEMS["sgd-cancer"].evaluate(params)
    dense = TASK_PROBLEMS["sgd-cancer"].evaluate({**params, "penalty": "l2"})
    assert 0 < sparse.values[1] < dense.values[1] == 30
    again = TASK_PROBLEMS["sgd-cancer"].evaluate(params)
    assert again.values.tolist() == sparse.values.tolist()
