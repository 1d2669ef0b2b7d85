"""Runs on problems with several objectives: records, resumption and summaries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("pymoo")

from benchmarks.objectives.__main__ import main
from benchmarks.objectives.references import REFERENCES, load_references
from benchmarks.objectives.runs import ObjectivesCell, run
from benchmarks.objectives.summary import gap_of


def cell(**changes: object) -> ObjectivesCell:
    fields = {"sampler": "random", "problem": "zdt1", "q": 4, "startup": 4, "evaluations": 8}
    return ObjectivesCell(**fields | {"seed": 1, "noise": 0.0} | changes)  # type: ignore[arg-type]


def test_record_has_the_front_without_noise() -> None:
    plain, noisy = run(cell()), run(cell(noise=0.5))
    assert "error" not in plain
    assert "error" not in noisy
    # Random points do not depend on values.
    assert plain["entrants"] == noisy["entrants"]
    assert plain["entrants"][0][0] == 1
    assert [row[0] for row in plain["entrants"]] == sorted(row[0] for row in plain["entrants"])
    assert ObjectivesCell.of(plain) == cell()


def test_noise_changes_what_the_sampler_is_told() -> None:
    told = cell(sampler="tpe", evaluations=12)
    plain = run(told)
    assert run(told)["entrants"] == plain["entrants"]
    assert run(cell(sampler="tpe", evaluations=12, noise=0.5))["entrants"] != plain["entrants"]


def test_only_feasible_trials_count() -> None:
    record = run(cell(problem="welded-beam", evaluations=36))
    assert 0 < record["feasible"] < 40
    assert len(record["entrants"]) <= record["feasible"]


def test_a_run_without_feasible_trials_has_a_gap_of_one() -> None:
    record = run(cell()) | {"entrants": []}
    assert gap_of(record, load_references(REFERENCES)) == 1.0


def test_commands_run_resume_and_summarise(tmp_path: Path) -> None:
    output = tmp_path / "runs.jsonl"
    options = ["run", "--sampler", "bkop", "--sampler", "random", "--problem", "four-bar-truss"]
    options += ["--startup", "8", "--evaluations", "8", "--seeds", "0-1"]
    for expected in ("4 runs, 0 already", "0 runs, 4 already"):
        done = CliRunner().invoke(main, [*options, "--output", str(output)])
        assert done.exit_code == 0, done.output
        assert expected in done.output
    records = [json.loads(line) for line in output.read_text().splitlines()]
    assert len(records) == 4
    shown = CliRunner().invoke(main, ["summarize", str(output), "--problem", "development"])
    assert shown.exit_code == 0, shown.output
    lines = [line.split() for line in shown.output.splitlines() if line.strip()]
    assert lines[0] == "rounds of 8, 8 + 8 evaluations".split()
    assert lines[1][:4] == ["median", "gap", "bkop", "random"]
    assert lines[2][0] == "four-bar-truss"
    assert lines[2][-1] == "random"
    (pairs,) = (line for line in lines if line[0] == "random")
    assert pairs[-1] == "2"
    references = load_references(REFERENCES)
    gaps = {(r["sampler"], r["seed"]): gap_of(r, references) for r in records}
    ratios = [gaps["bkop", seed] / gaps["random", seed] for seed in (0, 1)]
    assert float(pairs[1]) == pytest.approx((ratios[0] * ratios[1]) ** 0.5, rel=1e-2)


def test_a_sampler_without_runs_is_named(tmp_path: Path) -> None:
    output = tmp_path / "runs.jsonl"
    output.write_text(json.dumps(run(cell())) + "\n")
    options = ["summarize", str(output), "--problem", "development", "--ours", "hebo"]
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 1
    assert "one of ['random'], got 'hebo'" in done.output
