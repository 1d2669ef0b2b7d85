"""Tuning tasks are what they say, and scores follow the formula."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from click.testing import CliRunner

pytest.importorskip("sklearn")

from benchmarks.tuning.__main__ import main
from benchmarks.tuning.references import (
    REFERENCES,
    Reference,
    expected_best,
    load_references,
    save_references,
)
from benchmarks.tuning.runs import TuningCell, run
from benchmarks.tuning.summary import summary
from benchmarks.tuning.tasks import TASKS

optuna.logging.set_verbosity(optuna.logging.WARNING)

REFERENCE = Reference(evaluations=4, best=1.0, random=(5.0, 3.0), scikit_learn="1")


def asked(task: str, n: int = 40) -> list[optuna.Trial]:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    trials = [study.ask() for _ in range(n)]
    for trial in trials:
        TASKS[task].model(trial)
    return trials


def record(sampler: str, task: str, seed: int, final: float) -> dict[str, Any]:
    return {
        "sampler": sampler,
        "task": task,
        "q": 2,
        "rounds": 1,
        "seed": seed,
        "losses": [final],
        "final": final,
        "cpu_per_point": 0.25,
    }


@pytest.mark.parametrize("count", [1, 3, 8])
def test_expected_best_is_the_mean_over_all_subsets(count: int) -> None:
    rng = np.random.default_rng(0)
    observed = rng.permutation(8).astype(float)
    true = observed + rng.normal(size=8)
    chosen = [min(subset, key=observed.__getitem__) for subset in combinations(range(8), count)]
    assert expected_best(observed, true, count) == pytest.approx(true[chosen].mean())


def test_score_is_0_at_random_search_and_100_at_the_best() -> None:
    assert REFERENCE.score(3.0, 2) == 0.0
    assert REFERENCE.score(1.0, 2) == 100.0
    assert REFERENCE.score(4.0, 2) == -50.0
    assert REFERENCE.score(3.0, 1) == 50.0
    with pytest.raises(ValueError, match="1 to 2 evaluations, got 3"):
        REFERENCE.score(1.0, 3)


def test_references_take_better_runs_and_survive_a_file(tmp_path: Path) -> None:
    better = REFERENCE.with_runs([record("tpe", "svm-cancer", 0, 0.5)])
    assert better.best == 0.5
    assert better.with_runs([]) == better
    path = tmp_path / "references.json"
    save_references(path, {"svm-cancer": better, "forest-digits": REFERENCE})
    assert load_references(path) == {"svm-cancer": better, "forest-digits": REFERENCE}


def test_summary_has_scores_ranks_and_wins_with_conditional_tasks_apart() -> None:
    finals = {
        ("svm-cancer", 0): (3.0, 1.0),
        ("svm-cancer", 1): (2.0, 2.0),
        ("svr-diabetes", 0): (1.0, 3.0),
    }
    records = [
        record(sampler, task, seed, final)
        for (task, seed), pair in finals.items()
        for sampler, final in zip(("tpe", "bkop"), pair, strict=True)
    ]
    rows = summary(records, dict.fromkeys(TASKS, REFERENCE))
    table: dict[str, dict[str, str]] = {}
    group = ""
    for first, *rest in rows[1:]:
        group = first.partition(":")[0] if ":" in first else group
        name = first.partition(":")[2] if ":" in first else first
        table[f"{group} {name.strip()}".strip()] = dict(zip(rows[0][1:], rest, strict=True))
    assert table["svm-cancer"] == {"tpe": "25", "bkop": "75"}
    assert table["svr-diabetes (conditional)"] == {"tpe": "100", "bkop": "0"}
    assert table["all mean score"] == {"tpe": "50", "bkop": "50"}
    assert table["all won against tpe"]["bkop"] == "50%"
    assert table["conditional won against tpe"]["bkop"] == "0%"
    assert table["conditional mean rank (1 runs)"] == {"tpe": "1.00", "bkop": "2.00"}
    assert table["others score less tpe's"]["bkop"] == "+50"


def test_summary_names_tasks_without_a_reference() -> None:
    with pytest.raises(ValueError, match="svm-cancer: run `baseline`"):
        summary([record("tpe", "svm-cancer", 0, 1.0)], {})


def test_committed_references_cover_all_tasks() -> None:
    references = load_references(REFERENCES)
    assert set(references) == set(TASKS)
    for task, reference in references.items():
        assert reference.best < reference.random[79]
        if not TASKS[task].noisy:  # what looks best need not be better for having had more luck
            assert list(reference.random) == sorted(reference.random, reverse=True)


@pytest.mark.parametrize("task", TASKS)
def test_only_conditional_tasks_have_parameters_that_come_and_go(task: str) -> None:
    spaces = {frozenset(trial.params) for trial in asked(task)}
    assert (len(spaces) > 1) == TASKS[task].conditional


@pytest.mark.parametrize("task", [name for name in TASKS if TASKS[name].noisy])
def test_loss_of_a_noisy_task_depends_on_the_split(task: str) -> None:
    estimator = TASKS[task].model(asked(task, 1)[0])
    losses = [TASKS[task].loss(estimator, split) for split in (0, 0, 1, 2, 3)]
    assert losses[0] == losses[1]
    assert len(set(losses)) > 1


def test_run_is_reproducible_and_records_the_best_so_far() -> None:
    cell = TuningCell(sampler="random", task="svm-cancer", q=3, rounds=2, seed=1)
    first, second = run(cell), run(cell)
    assert "error" not in first
    assert first["losses"] == second["losses"]
    assert first["losses"][1] <= first["losses"][0]
    assert first["final"] == first["losses"][-1]


def test_commands_resume_and_summarise(tmp_path: Path) -> None:
    output, references = tmp_path / "runs.jsonl", tmp_path / "references.json"
    call = CliRunner().invoke
    options = ["--task", "sgd-cancer", "--references", str(references)]
    made = call(main, ["baseline", *options, "--evaluations", "6"])
    assert made.exit_code == 0, made.output
    run_options = ["run", "--task", "sgd-cancer", "--seeds", "0", "--output", str(output)]
    run_options += ["--rounds-of", "2", "--rounds", "2", "--sampler", "tpe", "--sampler", "random"]
    for _ in range(2):
        done = call(main, run_options)
        assert done.exit_code == 0, done.output
    assert "0 runs, 2 already" in done.output
    assert len(output.read_text().splitlines()) == 2
    told = call(main, ["baseline", *options, str(output)])
    assert told.exit_code == 0, told.output
    best = json.loads(references.read_text())["sgd-cancer"]["best"]
    assert best <= min(json.loads(line)["final"] for line in output.read_text().splitlines())
    shown = call(main, ["summarize", str(output), "--references", str(references), "--markdown"])
    assert shown.exit_code == 0, shown.output
    assert "| sgd-cancer (conditional, noisy) |" in shown.output
