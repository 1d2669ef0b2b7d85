"""Samplers on tuning tasks, scored against random search: `python -m benchmarks.tuning --help`."""

from __future__ import annotations

import itertools
from pathlib import Path

import click

from benchmarks.harness.options import (
    EXISTING_FILE,
    FILE,
    available,
    files_argument,
    markdown_option,
    number_option,
    reference_option,
    run_options,
    samplers_option,
)
from benchmarks.harness.records import failed, load
from benchmarks.harness.runner import run_missing
from benchmarks.harness.tables import show
from benchmarks.tuning.references import REFERENCES, load_references, save_references
from benchmarks.tuning.runs import TuningCell, random_reference, run
from benchmarks.tuning.summary import summary
from benchmarks.tuning.tasks import TASKS


@click.group()
def main() -> None:
    """Run samplers on tuning tasks and score them: 0 is random search, 100 the best known loss."""


_tasks_option = click.option(
    "--task",
    "tasks",
    multiple=True,
    type=click.Choice(list(TASKS)),
    default=list(TASKS),
    help="Repeatable; by default all.",
)
_references_option = click.option(
    "--references",
    type=FILE,
    default=REFERENCES,
    show_default="references.json beside the module",
    help="JSON file with the losses of random search and the best known losses.",
)


@main.command(name="run")
@samplers_option()
@_tasks_option
@number_option("--rounds-of", 8, "Trials per round.", argument="q")
@number_option("--rounds", 10, "Number of rounds.")
@run_options
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

    All trials of a round are asked for, and their parameters suggested, before any of them is
    told. Runs that the file already has are skipped. Samplers that are not installed are left out
    with a line on stderr. Failed runs are recorded with their error, and the exit status is then
    1.
    """
    cells = [
        TuningCell(sampler=sampler, task=task, q=q, rounds=rounds, seed=seed)
        for seed, task, sampler in itertools.product(seeds, tasks, available(samplers))
    ]
    run_missing(cells, run, TuningCell.of, output, retry_failed=retry_failed, jobs=jobs)


@main.command()
@click.argument("files", nargs=-1, type=EXISTING_FILE)
@_tasks_option
@number_option("--evaluations", 1000, "Number of evaluations of the random search.")
@_references_option
@click.option("--force", is_flag=True, help="Repeat the random search of tasks that have one.")
def baseline(
    files: tuple[Path, ...],
    tasks: tuple[str, ...],
    evaluations: int,
    references: Path,
    force: bool,
) -> None:
    """Store the losses of random search, and the best loss that it or a run in FILES reached."""
    known = load_references(references)
    runs = [r for r in load(files, TuningCell.of) if not failed(r)]
    for name in tasks:
        if force or name not in known:
            known[name] = random_reference(name, evaluations, label=name)
        known[name] = known[name].with_runs(r for r in runs if r["task"] == name)
        save_references(references, known)


@main.command()
@files_argument
@reference_option
@_references_option
@markdown_option
def summarize(files: tuple[Path, ...], reference: str, references: Path, markdown: bool) -> None:
    """Print mean scores per task; scores, ranks and wins over all, conditional and other tasks.

    Wins are counted against the reference in runs of the same task, seed and rounds; a tie is half
    a win. Intervals are bootstrapped over these pairs. Ranks are over runs that all samplers have
    made; a failed run ranks last. A loss below the best known one scores above 100, until
    `baseline` has recorded it.
    """
    try:
        rows = summary(load(files, TuningCell.of), load_references(references), reference)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    show(rows, markdown)


if __name__ == "__main__":
    main()
