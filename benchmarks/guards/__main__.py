"""Samplers on bits and under constraints: `python -m benchmarks.guards --help`."""

from __future__ import annotations

import itertools
from importlib import util
from pathlib import Path

import click

from benchmarks.guards.catalogue import BITS, PROBLEMS, SETS
from benchmarks.guards.runs import GuardCell, run
from benchmarks.guards.summary import summary
from benchmarks.harness.options import (
    available,
    files_argument,
    markdown_option,
    number_option,
    reference_option,
    run_options,
    samplers_option,
)
from benchmarks.harness.records import load
from benchmarks.harness.runner import run_missing
from benchmarks.harness.tables import show


@click.group()
def main() -> None:
    """Measure samplers on pseudo-Boolean problems and on problems with constraints."""


@main.command(name="run")
@samplers_option()
@click.option(
    "--problem",
    "problems",
    multiple=True,
    required=True,
    type=click.Choice([*SETS, *PROBLEMS]),
    help=f"A set of problems ({', '.join(SETS)}), or a problem, such as {PROBLEMS[0]} or "
    f"{SETS['constrained'][0]}. Repeatable.",
    metavar="NAME",
)
@number_option("--rounds-of", 8, "Trials per round, 1 for one at a time.", argument="q")
@number_option("--startup", 20, "Number of initial trials.", least=0)
@number_option("--evaluations", 84, "Number of trials after the initial ones.")
@run_options
def run_command(
    samplers: tuple[str, ...],
    problems: tuple[str, ...],
    q: int,
    startup: int,
    evaluations: int,
    seeds: list[int],
    output: Path,
    retry_failed: bool,
    jobs: int,
) -> None:
    """Run samplers on problems and append one JSON record per run to a file.

    Runs that the file already has are skipped. Samplers that are not installed are left out with a
    line on stderr. Failed runs are recorded with their error, and the exit status is then 1.
    """
    names = [name for given in problems for name in SETS.get(given, (given,))]
    if set(names) & set(BITS) and util.find_spec("ioh") is None:
        raise click.ClickException("the bits need ioh: `pip install optuna-bkop[bbob]`.")
    if set(names) - set(BITS) and util.find_spec("pymoo") is None:
        raise click.ClickException(
            "constraints need pymoo: `pip install optuna-bkop[objectives]`."
        )
    cells = [
        GuardCell(sampler, problem, q, startup, evaluations, seed)
        for seed, problem, sampler in itertools.product(seeds, names, available(samplers))
    ]
    run_missing(cells, run, GuardCell.of, output, retry_failed=retry_failed, jobs=jobs)


@main.command()
@files_argument
@reference_option
@markdown_option
def summarize(files: tuple[Path, ...], reference: str, markdown: bool) -> None:
    """Print the best values per problem, and on how many problems a sampler is ahead.

    For bits, a figure is the mean of the best values, which are maximised. Under constraints, it
    is the median of the regret, the best feasible value minus the least one (the best value itself
    where that is unknown). A failed run, or one without a feasible trial, counts as infinite; the
    number of runs with a feasible trial follows if it is not all. On a problem, a sampler is ahead
    of the reference if this figure is better over the seeds that both have run, and level if six
    digits are equal.
    """
    try:
        tables = summary(load(files, GuardCell.of), reference)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    for title, rows in tables.items():
        click.echo(f"\n{title}\n")
        show(rows, markdown)


if __name__ == "__main__":
    main()
