"""Regret of samplers on test functions: `python -m benchmarks.regret --help`."""

from __future__ import annotations

import itertools
from pathlib import Path

import click

from benchmarks import results
from benchmarks.commands import (
    EXISTING,
    FILE,
    SAMPLERS_HELP,
    available,
    failed,
    parse_seeds,
    run_missing,
)
from benchmarks.functions import FUNCTIONS, PAPER_FUNCTIONS
from benchmarks.runs import Cell, run


@click.group()
def main() -> None:
    """Measure, summarise and plot the regret of samplers."""


@main.command(name="run")
@click.option(
    "--sampler",
    "samplers",
    multiple=True,
    required=True,
    help=SAMPLERS_HELP,
)
@click.option(
    "--function",
    "functions",
    multiple=True,
    type=click.Choice(list(FUNCTIONS)),
    default=list(PAPER_FUNCTIONS),
    help="Repeatable; the default is the paper's six.",
)
@click.option(
    "--dim",
    type=click.IntRange(2),
    default=6,
    show_default=True,
    help="Number of parameters; hartmann6 and branin keep their own.",
)
@click.option(
    "--rounds-of",
    "rounds",
    multiple=True,
    type=click.IntRange(1),
    help="Points per round, 1 for sequential. Repeatable; 5 and 10 unless given.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Simulate so many asynchronous workers of random duration instead of rounds.",
)
@click.option(
    "--startup",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Number of initial evaluations.",
)
@click.option(
    "--evaluations",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Number of evaluations after the initial ones.",
)
@click.option(
    "--seeds",
    type=parse_seeds,
    metavar="0-9,20",
    default="0-9",
    show_default=True,
    help="Ranges and numbers, of problems and samplers alike.",
)
@click.option("--shift/--no-shift", default=True, show_default=True, help="Move the optimum.")
@click.option("--rotate", is_flag=True, help="Turn the function about its optimum.")
@click.option(
    "--noise",
    type=click.FloatRange(0.0),
    default=0.0,
    show_default=True,
    help="Standard deviation of noise, as a share of the spread of values.",
)
@click.option(
    "--offset", default=0.0, show_default=True, help="Added to all values; their minimum is 0."
)
@click.option(
    "--own-startup/--shared-startup",
    default=True,
    show_default=True,
    help="Initial points of the sampler's choice, or one scrambled Sobol' set for all.",
)
@click.option("--output", type=FILE, required=True, help="JSONL file, resumed if it exists.")
@click.option("--retry-failed", is_flag=True, help="Repeat the runs that ended in an error.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
def run_command(
    samplers: tuple[str, ...],
    functions: tuple[str, ...],
    dim: int,
    rounds: tuple[int, ...],
    workers: int | None,
    startup: int,
    evaluations: int,
    seeds: list[int],
    shift: bool,
    rotate: bool,
    noise: float,
    offset: float,
    own_startup: bool,
    output: Path,
    retry_failed: bool,
    jobs: int,
) -> None:
    """Run samplers on functions and append one JSON record per run to a file.

    Runs that the file already has are skipped. Peers that are not installed are dropped with a
    line on stderr; failed runs are recorded with their error, and the exit status is then 1.
    """
    if rounds and workers:
        raise click.UsageError("--rounds-of and --workers exclude each other.")
    cells = [
        Cell(
            sampler=sampler,
            function=function,
            dim=FUNCTIONS[function].dim or dim,
            q=q,
            workers=workers or 0,
            startup=startup,
            evaluations=evaluations,
            seed=seed,
            shift=shift,
            rotate=rotate,
            noise=noise,
            offset=offset,
            own_startup=own_startup,
        )
        for seed, q, function, sampler in itertools.product(
            seeds, (1,) if workers else rounds or (5, 10), functions, available(samplers)
        )
    ]
    run_missing(cells, run, results.cell_of, output, retry_failed=retry_failed, jobs=jobs)


@main.command()
@click.argument("files", nargs=-1, required=True, type=EXISTING)
@click.option("--reference", default="tpe", show_default=True, help="Sampler to divide by.")
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
def summarize(files: tuple[Path, ...], reference: str, markdown: bool) -> None:
    """Print median regret per function and round size, ranks, ratios and CPU time.

    The ratio is the geometric mean of final regret over that of the reference in the same cell and
    with the same seed, with a bootstrap interval over these pairs; "won" is the share of pairs
    with less regret than the reference. Ranks are over runs that all samplers have had; a failed
    one ranks last.
    """
    try:
        rows = results.summary(results.load(files), reference)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    click.echo(results.markdown(rows) if markdown else results.aligned(rows))


@main.command()
@click.argument("files", nargs=-1, required=True, type=EXISTING)
@click.option("--output", type=FILE, required=True, help="Picture to write, such as regret.png.")
@click.option("--rounds-of", "q", type=click.IntRange(1), help="Show only this round size.")
def plot(files: tuple[Path, ...], output: Path, q: int | None) -> None:
    """Plot the geometric mean of regret against evaluations, one panel per function."""
    records = [r for r in results.load(files) if not failed(r) and q in (None, r["q"])]
    if not records:
        raise click.ClickException("no finished runs to plot.")
    from benchmarks import plots  # matplotlib is for this command alone

    plots.regret_curves(records, output)


if __name__ == "__main__":
    main()
