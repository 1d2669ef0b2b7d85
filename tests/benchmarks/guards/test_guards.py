"""Bits and constraints: the problems, runs that are resumed, and who is ahead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("pymoo")

from benchmarks.guards.__main__ import main
from benchmarks.guards.bits import N_BITS, NUMBERS, BitProblem
from benchmarks.guards.catalogue import CONSTRAINED, DEVELOPMENT
from benchmarks.guards.constrained import MINIMA, THIN, ConstrainedProblem
from benchmarks.guards.runs import GuardCell, run
from benchmarks.guards.summary import best_of, summary


def cell(**changes: Any) -> GuardCell:
    fields = {"sampler": "random", "problem": "g24", "q": 4, "startup": 4, "evaluations": 8}
    return GuardCell(**fields | {"seed": 100} | changes)


@pytest.mark.parametrize("encoding", ["integer", "categorical"])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_flipped_problem_has_its_values_at_flipped_bits(name: str, encoding: str) -> None:
    ioh = pytest.importorskip("ioh")
    problem = BitProblem(name, encoding, 100)
    own = ioh.get_problem(NUMBERS[name], 1, N_BITS, ioh.ProblemClass.PBO)
    assert 0 < problem.flipped.sum() < N_BITS
    bits = np.random.default_rng(0).integers(0, 2, N_BITS)
    params = {f"b{j}": bit for j, bit in enumerate(bits ^ problem.flipped)}
    assert problem.evaluate(params).values[0] == -own(bits.tolist())


@pytest.mark.parametrize("name", CONSTRAINED)
def test_no_feasible_value_is_below_the_minimum(name: str) -> None:
    region = ConstrainedProblem(name, 0).region
    shares = np.random.default_rng(0).random((20_000, len(region.lower)))
    z = region.lower + shares * (region.upper - region.lower)
    values, constraints = region.evaluate(z)
    feasible = (constraints <= 0).all(axis=1)
    assert 0 < feasible.sum() < len(z)
    assert values[feasible].min() > MINIMA[name]


@pytest.mark.parametrize("name", THIN)
def test_thin_regions_are_thin_and_depend_on_the_seed(name: str) -> None:
    first, other = (ConstrainedProblem(name, seed).region for seed in (100, 101))
    z = np.random.default_rng(0).random((100_000, len(first.lower)))
    feasible = [(region.evaluate(z)[1] <= 0).all(axis=1) for region in (first, other)]
    assert 0 < feasible[0].mean() < 0.01
    assert (feasible[0] != feasible[1]).any()


def test_record_has_the_improvements_among_feasible_trials() -> None:
    record = run(cell(evaluations=36))
    assert "error" not in record
    assert 0 < record["feasible"] < 40
    places, values = zip(*record["improvements"], strict=True)
    assert list(places) == sorted(places)
    assert list(values) == sorted(values, reverse=True)
    assert best_of(record) == pytest.approx(values[-1] - MINIMA["g24"])
    assert GuardCell.of(record) == cell(evaluations=36)


def test_the_sampler_is_told_the_constraints() -> None:
    # Without constraints, the sampler would go to the infeasible minimum of the objective.
    assert run(cell(sampler="bkop", startup=8, evaluations=24))["feasible"] >= 20


def test_who_is_ahead() -> None:
    def records(sampler: str, problem: str, *values: float | None) -> list[dict[str, Any]]:
        return [
            run(cell(problem="g24", evaluations=1))
            | {"sampler": sampler, "problem": problem, "seed": seed}
            | {"improvements": [] if value is None else [[1, value]]}
            for seed, value in enumerate(values)
        ]

    known = MINIMA["g8"]
    tables = summary(
        [
            *records("random", "g8", known + 0.1, known + 0.3),
            *records("tpe", "g8", known + 0.2, known + 0.2),
            *records("random", "band-d2", 1.0, 1.0),
            *records("tpe", "band-d2", 3.0, None),
            *records("random", "trap-integer", -4.0, -3.0),
            *records("tpe", "trap-integer", -4.0, -2.0, -9.0),
        ],
        "tpe",
    )
    bits, reported, development = tables.values()
    assert bits[1][:3] == ["trap-integer", "3.5", "5"]
    # Seeds that only one has run do not count.
    assert bits[2][1:3] == ["1 of 1, 0 level", "-"]
    assert reported[1] == ["g8", "0.2", "0.2", "2/2"]
    assert reported[2][1] == "0 of 1, 1 level"
    assert development[1] == ["band-d2", "1", "none (1 of 2)", "2/2"]
    assert development[2][1] == "1 of 1, 0 level"


def test_commands_run_resume_and_summarise(tmp_path: Path) -> None:
    output = tmp_path / "runs.jsonl"
    options = ["run", "--sampler", "random", "--sampler", "tpe", "--problem", "development"]
    options += ["--startup", "2", "--evaluations", "2", "--seeds", "100"]
    for expected in ("16 runs, 0 already", "0 runs, 16 already"):
        done = CliRunner().invoke(main, [*options, "--output", str(output)])
        assert done.exit_code == 0, done.output
        assert expected in done.output
    assert len(output.read_text().splitlines()) == 2 * len(DEVELOPMENT)
    shown = CliRunner().invoke(main, ["summarize", str(output)])
    assert shown.exit_code == 0, shown.output
    lines = [line for line in shown.output.splitlines() if line.strip()]
    assert lines[0] == (
        "median regret under constraints, development, rounds of 8, 2 + 2 evaluations"
    )
    assert [line.split()[0] for line in lines[2:10]] == list(DEVELOPMENT)


def test_a_reference_without_runs_is_named(tmp_path: Path) -> None:
    output = tmp_path / "runs.jsonl"
    output.write_text(json.dumps(run(cell())) + "\n")
    shown = CliRunner().invoke(main, ["summarize", str(output)])
    assert shown.exit_code == 1
    assert "the reference must be one of ['random'], got 'tpe'." in shown.output
