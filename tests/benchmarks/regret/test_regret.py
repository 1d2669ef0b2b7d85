"""Runs on test functions: schedules, records, commands and the summaries of committed records."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.harness.asktell import Optimiser, Suggestion
from benchmarks.harness.schedule import Schedule, TimedOptimiser
from benchmarks.regret.__main__ import main
from benchmarks.regret.runs import RegretCell, run

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"


class Counting(Optimiser):
    """Suggests 0, 1, 2, ... and remembers how many points are being evaluated at each ask."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = self.told = 0
        self.running: list[int] = []

    def suggest(self, count: int) -> list[Suggestion]:
        self.running.append(self.asked - self.told)
        self.asked += count
        return [Suggestion(np.array([float(self.asked - count + i)])) for i in range(count)]

    def tell(self, suggestions: object, values: object) -> None:
        self.told += len(suggestions)  # type: ignore[arg-type]


def follow(schedule: Schedule) -> tuple[list[int], Counting]:
    counting = Counting()
    optimiser = TimedOptimiser(counting, schedule.startup)
    sizes = []
    for batch in schedule.batches(optimiser):
        optimiser.tell(batch, np.zeros(len(batch)))
        sizes.append(len(batch))
    return sizes, counting


def test_rounds_do_not_span_startup_and_rest() -> None:
    sizes, counting = follow(Schedule(startup=5, evaluations=7, q=3))
    assert sizes == [3, 2, 3, 3, 1]
    assert set(counting.running) == {0}


def test_workers_ask_as_soon_as_they_are_free() -> None:
    sizes, counting = follow(Schedule(startup=2, evaluations=8, q=1, workers=3, seed=1))
    assert sizes == [1] * 10
    assert counting.running == [0, 1, 2, 2, 2, 2, 2, 2, 2, 2]


def cell(**changes: object) -> RegretCell:
    fields = {
        "sampler": "random",
        "function": "ackley",
        "dim": 2,
        "q": 2,
        "workers": 0,
        "startup": 3,
        "evaluations": 4,
        "seed": 1,
        "shift": True,
        "rotate": False,
        "noise": 0.0,
        "offset": -5.0,
        "own_startup": False,
    }
    return RegretCell(**fields | changes)  # type: ignore[arg-type]


def test_record_has_the_best_regret_so_far_without_offset() -> None:
    record = run(cell())
    assert "error" not in record
    assert len(record["regret"]) == 7
    assert record["regret"] == sorted(record["regret"], reverse=True)
    assert 0 < record["final"] == record["regret"][-1]
    assert RegretCell.of(record) == cell()
    assert run(cell())["regret"] == record["regret"]
    # All samplers share the initial points.
    assert run(cell(sampler="tpe"))["regret"][:3] == record["regret"][:3]


def test_commands_run_resume_summarise_and_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    output = tmp_path / "runs.jsonl"
    options = ["run", "--sampler", "bkop", "--sampler", "random", "--function", "branin"]
    options += ["--rounds-of", "2", "--startup", "4", "--evaluations", "2", "--seeds", "0-1"]
    for expected in ("4 runs, 0 already", "0 runs, 4 already"):
        done = CliRunner().invoke(main, [*options, "--output", str(output)])
        assert done.exit_code == 0, done.output
        assert expected in done.output
    records = [json.loads(line) for line in output.read_text().splitlines()]
    assert {(r["sampler"], r["seed"]) for r in records} == {
        (sampler, seed) for sampler in ("bkop", "random") for seed in (0, 1)
    }
    shown = CliRunner().invoke(main, ["summarize", str(output), "--reference", "random"])
    assert shown.exit_code == 0, shown.output
    assert "branin q=2" in shown.output
    assert "mean rank (2 runs)" in shown.output
    picture = tmp_path / "regret.png"
    drawn = CliRunner().invoke(main, ["plot", str(output), "--output", str(picture)])
    assert drawn.exit_code == 0, drawn.output
    assert picture.stat().st_size > 5_000


def test_unknown_reference_is_named() -> None:
    done = CliRunner().invoke(main, ["summarize", str(RESULTS / "hebo.jsonl")])
    assert done.exit_code == 1
    assert "one of ['hebo'], got 'tpe'" in done.output


@pytest.mark.parametrize(
    ("files", "reference", "ratio", "interval", "pairs"),
    [
        (["shifted"], "tpe", "0.0329", "0.0197 .. 0.0553", "120"),
        (
            ["rotated", "rotated-hebo", "rotated-botorch"],
            "tpe",
            "0.0653",
            "0.0426 .. 0.101",
            "120",
        ),
    ],
)
def test_summaries_of_committed_records_are_those_of_the_readme(
    files: list[str], reference: str, ratio: str, interval: str, pairs: str
) -> None:
    paths = [str(RESULTS / f"{name}.jsonl") for name in files]
    options = ["summarize", *paths, "--reference", reference, "--markdown"]
    done = CliRunner().invoke(main, options)
    rows = [
        [text.strip() for text in line.strip("|").split("|")] for line in done.output.splitlines()
    ]
    table = {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows}
    assert table[f"ratio to {reference}"]["bkop"] == ratio
    assert table["95 % interval"]["bkop"] == interval
    assert table["pairs"]["bkop"] == pairs
