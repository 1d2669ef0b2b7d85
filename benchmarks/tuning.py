"""Samplers on tuning tasks, scored against random search: `python -m benchmarks.tuning --help`."""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import numpy as np
import optuna

from benchmarks import peers, results, scores
from benchmarks.commands import (
    EXISTING,
    FILE,
    SAMPLERS_HELP,
    available,
    failed,
    parse_seeds,
    run_missing,
)
from benchmarks.runs import Record, recorded
from benchmarks.scores import Reference, expected_best
from benchmarks.tasks import TASKS, Task

REFERENCES = Path(__file__).with_name("tuning_references.json")
# The expected best of random search is stored for up to this many evaluations.
MOST_EVALUATIONS = 200


@dataclass(frozen=True)
class Cell:
    """All that identifies a run; the fields are those of its record.

    Attributes:
        sampler: A name or description that `benchmarks.peers` understands.
        task: A key of `TASKS`.
        q: Trials per round.
        rounds: Number of rounds.
        seed: Seed of the sampler and of the splits of a noisy task.
    """

    sampler: str
    task: str
    q: int
    rounds: int
    seed: int


def cell_of(record: Record) -> Cell:
    """Return what identifies the run of a record."""
    return Cell(**{field.name: record[field.name] for field in fields(Cell)})


def run(cell: Cell) -> Record:
    """Return the record of a run.

    It holds the fields of the cell, the `versions` used, and either `losses` (after each round the
    loss of the trial that looks best, without noise), `final` (the last of them) and
    `cpu_per_point` (CPU seconds in ask, suggest and tell per trial), or `error` and `traceback`.
    """
    record = asdict(cell) | recorded(cell.sampler, lambda: _measure(cell))
    record["versions"]["scikit-learn"] = metadata.version("scikit-learn")
    return record


def _measure(cell: Cell) -> Record:
    task = TASKS[cell.task]
    sampler = peers.make(cell.sampler, seed=cell.seed)  # the startup is the sampler's default
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
    """Return the split of a trial in a noisy task, the same for all samplers."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def true_loss(task: Task, params: dict[str, Any], observed: float) -> float:
    """Return the loss of parameters without noise, given what was observed."""
    if not task.noisy:
        return observed
    return task.true_loss(task.model(optuna.trial.FixedTrial(params)))


def random_reference(name: str, evaluations: int, label: str = "") -> Reference:
    """Return the reference of a task from a random search, with a progress bar on stderr."""
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


@click.group()
def main() -> None:
    """Run samplers on tuning tasks and score them: 0 is random search, 100 the best known."""


task_option = click.option(
    "--task",
    "tasks",
    multiple=True,
    type=click.Choice(list(TASKS)),
    default=list(TASKS),
    help="Repeatable; all unless given.",
)
references_option = click.option(
    "--references",
    type=FILE,
    default=REFERENCES,
    show_default="tuning_references.json beside the module",
    help="JSON file of random search and best known losses.",
)


@main.command(name="run")
@click.option("--sampler", "samplers", multiple=True, required=True, help=SAMPLERS_HELP)
@task_option
@click.option(
    "--rounds-of",
    "q",
    type=click.IntRange(1),
    default=8,
    show_default=True,
    help="Trials per round.",
)
@click.option("--rounds", type=click.IntRange(1), default=10, show_default=True)
@click.option(
    "--seeds",
    type=parse_seeds,
    metavar="0-9,20",
    default="0-9",
    show_default=True,
    help="Ranges and numbers.",
)
@click.option("--output", type=FILE, required=True, help="JSONL file, resumed if it exists.")
@click.option("--retry-failed", is_flag=True, help="Repeat the runs that ended in an error.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
def run_command(
    samplers: tuple[str, ...],
    tasks: tuple[str, ...],
    q: int,
    rounds: int,
    seeds: list[int],
    output: Path,
    retry_failed: bool,
    jobs: int,
) -> None:
    """Run samplers on tasks and append one JSON record per run to a file.

    Trials of a round are asked, and their parameters suggested, before any of them is told. Runs
    that the file already has are skipped. Peers that are not installed are dropped with a line on
    stderr; failed runs are recorded with their error, and the exit status is then 1.
    """
    cells = [
        Cell(sampler=sampler, task=task, q=q, rounds=rounds, seed=seed)
        for seed, task, sampler in itertools.product(seeds, tasks, available(samplers))
    ]
    run_missing(cells, run, cell_of, output, retry_failed=retry_failed, jobs=jobs)


@main.command()
@click.argument("files", nargs=-1, type=EXISTING)
@task_option
@click.option(
    "--evaluations",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Size of the random search.",
)
@references_option
@click.option("--force", is_flag=True, help="Search again where a random search is known.")
def baseline(
    files: tuple[Path, ...],
    tasks: tuple[str, ...],
    evaluations: int,
    references: Path,
    force: bool,
) -> None:
    """Cache random search per task, and the best loss that it or the runs of FILES reached."""
    known = scores.load_references(references)
    runs = [r for r in results.load(files, cell_of) if not failed(r)]
    for name in tasks:
        if force or name not in known:
            known[name] = random_reference(name, evaluations, label=name)
        known[name] = known[name].with_runs(r for r in runs if r["task"] == name)
        scores.save_references(references, known)


@main.command()
@click.argument("files", nargs=-1, required=True, type=EXISTING)
@click.option("--reference", default="tpe", show_default=True, help="Sampler to count wins over.")
@references_option
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
def summarize(files: tuple[Path, ...], reference: str, references: Path, markdown: bool) -> None:
    """Print mean scores per task, and scores, ranks and wins over all and the conditional tasks.

    Wins are over the reference in the same task and with the same seed, a tie half of one; their
    intervals are bootstrapped over these pairs. Ranks are over runs that all samplers have had; a
    failed one ranks last. A loss below the best known scores above 100 until `baseline` has been
    told of it.
    """
    try:
        rows = scores.summary(
            results.load(files, cell_of), scores.load_references(references), reference
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    click.echo(results.markdown(rows) if markdown else results.aligned(rows))


if __name__ == "__main__":
    main()
