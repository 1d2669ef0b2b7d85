"""One run: a sampler on a tuning task, and the record of its losses."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import click
import numpy as np
import optuna

from benchmarks.harness import samplers
from benchmarks.harness.records import Cell, Record
from benchmarks.harness.runner import run_cell
from benchmarks.tuning.references import Reference, expected_best
from benchmarks.tuning.tasks import TASKS, Task

#: The expected best of random search is stored for up to this many evaluations: more than twice
#: the 80 of a run with default options.
MOST_EVALUATIONS = 200


@dataclass(frozen=True)
class TuningCell(Cell):
    """All that identifies a run: the sampler (see `Cell`) and the following fields.

    Attributes:
        task: A key of `TASKS`.
        q: Trials per round.
        rounds: Number of rounds.
        seed: Seed of the sampler and of the splits of a noisy task.
    """

    task: str
    q: int
    rounds: int
    seed: int


def run(cell: TuningCell) -> Record:
    """Return the record of a run.

    Besides the cell and the versions it holds `losses` (after each round, the noise-free loss of
    the trial with the smallest observed loss so far), `final` (the last entry of `losses`) and
    `cpu_per_point` (CPU seconds of ask, suggest and tell per trial).
    """
    record = run_cell(cell, _measure)
    record["versions"]["scikit-learn"] = metadata.version("scikit-learn")
    return record


def _measure(cell: TuningCell) -> Record:
    task = TASKS[cell.task]
    # The number of startup trials is the sampler's default.
    sampler = samplers.make(cell.sampler, seed=cell.seed)
    study = optuna.create_study(sampler=sampler, direction="minimize")
    losses: list[float] = []
    cpu = 0.0
    for _ in range(cell.rounds):
        start = time.process_time()
        trials = [study.ask() for _ in range(cell.q)]
        estimators = [task.model(trial) for trial in trials]
        cpu += time.process_time() - start
        values = [
            task.loss(estimator, split_of(cell.seed, trial.number))
            for estimator, trial in zip(estimators, trials, strict=True)
        ]
        start = time.process_time()
        for trial, value in zip(trials, values, strict=True):
            study.tell(trial, value)
        cpu += time.process_time() - start
        losses.append(true_loss(task, study.best_params, study.best_value))
    rounded = [float(f"{loss:.7g}") for loss in losses]
    per_point = float(f"{cpu / (cell.q * cell.rounds):.4g}")
    return {"losses": rounded, "final": rounded[-1], "cpu_per_point": per_point}


def split_of(seed: int, number: int) -> int:
    """Return the seed of the data splits of a noisy task's trial, the same for all samplers."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def true_loss(task: Task, params: dict[str, Any], observed: float) -> float:
    """Return the noise-free loss of parameters whose observed loss is given."""
    if not task.noisy:
        return observed
    return task.true_loss(task.model(optuna.trial.FixedTrial(params)))


def random_reference(name: str, evaluations: int, label: str = "") -> Reference:
    """Return the reference of a task, computed by random search with a progress bar on stderr.

    Args:
        name: A key of `TASKS`.
        evaluations: Number of random evaluations. The expected best is computed for up to
            `MOST_EVALUATIONS` of them.
        label: Label of the progress bar.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    task = TASKS[name]
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    observed, true = np.empty(evaluations), np.empty(evaluations)
    with click.progressbar(range(evaluations), label=label, file=sys.stderr) as numbers:
        for k in numbers:
            trial = study.ask()
            observed[k] = task.loss(task.model(trial), split_of(0, k))
            true[k] = true_loss(task, trial.params, observed[k])
            study.tell(trial, observed[k])
    counts = range(1, min(evaluations, MOST_EVALUATIONS) + 1)
    return Reference(
        evaluations=evaluations,
        best=float(f"{true.min():.7g}"),
        random=tuple(float(f"{expected_best(observed, true, n):.7g}") for n in counts),
        scikit_learn=metadata.version("scikit-learn"),
    )
