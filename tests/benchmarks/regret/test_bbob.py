"""BBOB: the suite's minima, its instances, and its groups in a summary."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.regret import bbob
from benchmarks.regret.__main__ import main
from benchmarks.regret.bbob import BbobProblem
from benchmarks.regret.runs import RegretCell


def test_groups_are_the_suites() -> None:
    sizes = [len(names) for names in bbob.GROUPS.values()]
    assert sizes == [5, 4, 5, 5, 5]
    assert [name for names in bbob.GROUPS.values() for name in names] == list(bbob.NAMES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "bbob-f25", "dim": 2}, "bbob-f24, got 'bbob-f25'"),
        ({"name": "bbob-f1", "dim": 1}, "at least 2, got 1"),
        ({"name": "bbob-f1", "dim": 2, "noise": -0.1}, "negative, got -0.1"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BbobProblem(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", bbob.NAMES)
def test_minimum_is_at_the_optimum_and_values_have_the_suites_offset(name: str) -> None:
    ioh = pytest.importorskip("ioh")
    problem = BbobProblem(name, dim=3, seed=101, offset=2.0)
    assert problem.regret(problem.optimum[None])[0] == pytest.approx(0.0, abs=1e-6)
    points = np.random.default_rng(0).random((200, 3))
    regret = problem.regret(points)
    assert regret.min() > 0
    own = ioh.get_problem(bbob.NAMES.index(name) + 1, 101, 3, ioh.ProblemClass.BBOB)
    values = [own((10 * point - 5).tolist()) for point in points]
    np.testing.assert_allclose(problem.values(points), np.array(values) + 2.0)
    assert BbobProblem(name, dim=3, seed=102).regret(points).tolist() != regret.tolist()


def test_command_runs_rounds_and_workers_on_instances(tmp_path: Path) -> None:
    pytest.importorskip("ioh")
    output = tmp_path / "runs.jsonl"
    options = ["run", "--sampler", "random", "--dim", "2", "--startup", "4"]
    options += ["--evaluations", "2", "--seeds", "101-102", "--output", str(output)]
    for more in (["--rounds-of", "2"], ["--workers", "3"]):
        done = CliRunner().invoke(main, [*options, "--function", "bbob", *more])
        assert done.exit_code == 0, done.output
    records = [json.loads(line) for line in output.read_text().splitlines()]
    assert len(records) == 2 * 24 * 2
    assert {record["function"] for record in records} == set(bbob.NAMES)
    assert {record["workers"] for record in records} == {0, 3}
    finals = {(record["function"], record["seed"]): record["final"] for record in records}
    assert all(finals[name, 101] != finals[name, 102] for name in bbob.NAMES)


@pytest.mark.parametrize("option", ["--rotate", "--no-shift"])
def test_options_of_other_functions_are_refused(option: str, tmp_path: Path) -> None:
    options = ["run", "--sampler", "random", "--function", "bbob-f3", option]
    done = CliRunner().invoke(main, [*options, "--output", str(tmp_path / "runs.jsonl")])
    assert done.exit_code == 2
    assert "do not apply to BBOB" in done.output


def record_of(sampler: str, function: str, final: float) -> dict[str, object]:
    cell = RegretCell(
        sampler=sampler,
        function=function,
        dim=5,
        q=10,
        workers=0,
        startup=20,
        evaluations=100,
        seed=101,
        shift=True,
        rotate=False,
        noise=0.0,
        offset=0.0,
        own_startup=True,
    )
    return asdict(cell) | {"final": final, "cpu_per_point": 0.1}


def test_summary_has_rank_and_ratio_of_each_group(tmp_path: Path) -> None:
    # Ours has a tenth of the regret on separable functions, and ten times on those with weak
    # structure; the other groups have no runs.
    records = [record_of("bkop", name, 0.1) for name in bbob.NAMES[:5]]
    records += [record_of("bkop", name, 10.0) for name in bbob.NAMES[19:]]
    records += [record_of("tpe", name, 1.0) for name in bbob.NAMES[:5] + bbob.NAMES[19:]]
    output = tmp_path / "runs.jsonl"
    output.write_text("".join(json.dumps(record) + "\n" for record in records))
    shown = CliRunner().invoke(main, ["summarize", str(output), "--markdown"])
    assert shown.exit_code == 0, shown.output
    header = shown.output.splitlines()[0]
    assert [text.strip() for text in header.strip("|").split("|")][1] == "bkop"
    _, separable, weak = re.split(r"\| separable|\| many basins, weak", shown.output)
    for text, rank, ratio in ((separable, "1.00", "0.1"), (weak, "2.00", "10")):
        assert f"mean rank (5 runs) | {rank}" in text
        assert f"ratio to tpe | {ratio} | 1 |" in text
    assert "high condition" not in shown.output
