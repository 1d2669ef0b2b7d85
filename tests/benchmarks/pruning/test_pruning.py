"""The benchmark of studies with pruners."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.pruning.__main__ import main
from benchmarks.pruning.runs import PruningCell, run


def test_commands_run_and_summarise(tmp_path: Path) -> None:
    output = str(tmp_path / "runs.jsonl")
    arguments = ["run", "--objective", "quadratic", "--trials", "6", "--seeds", "0"]
    ran = CliRunner().invoke(main, [*arguments, "--output", output])
    assert ran.exit_code == 0, ran.output
    assert len(Path(output).read_text(encoding="utf-8").splitlines()) == 2 * 6 * 3
    shown = CliRunner().invoke(main, ["summarize", output, "--reference", "tpe"])
    assert shown.exit_code == 0, shown.output
    assert "hyperband" in shown.output
    assert "model starts after trial 30 in 18 of 18 runs" in shown.output


@pytest.mark.parametrize("objective", ["network", "linear", "instances"])
def test_real_curves_are_run(objective: str) -> None:
    record = run(PruningCell("bkop", objective, "median", "other", 3, 0))
    assert "error" not in record, record
    assert record["n_complete"] == 3
    assert 0.0 <= record["final"]
