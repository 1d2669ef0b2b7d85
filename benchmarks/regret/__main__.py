"""Regret of samplers on test functions: `python -m benchmarks.regret --help`."""

from __future__ import annotations

import itertools
from importlib import util
from pathlib import Path

import click

from benchmarks.harness.options import (
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
from benchmarks.regret import bbob
from benchmarks.regret.functions import FUNCTIONS, PAPER_FUNCTIONS
from benchmarks.regret.runs import RegretCell, run
from benchmarks.regret.summary import summary


@click.group()
def main() -> None:
    """Measure, summarise and plot the regret of samplers on test functions.

    Regret is the best value found minus the minimum of the function.
    """


@main.command(name="run")
@samplers_option()
@click.option(
    "--function",
    "functions",
    multiple=True,
    type=click.Choice([*FUNCTIONS, bbob.SUITE, *bbob.NAMES]),
    default=list(PAPER_FUNCTIONS),
    help="Repeatable; by default the six functions of the paper. `bbob` means all 24 functions of "
    "that suite, whose instances are the seeds.",
)
@number_option("--dim", 6, "Number of parameters; hartmann6 always has 6 and branin 2.", least=2)
@click.option(
    "--rounds-of",
    "rounds",
    multiple=True,
    type=click.IntRange(1),
    help="Points per round, 1 for sequential. Repeatable; by default 5 and 10.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Simulate this number of asynchronous workers with random evaluation times, instead of "
    "rounds.",
)
@number_option("--startup", 20, "Number of initial evaluations.", least=0)
@number_option("--evaluations", 100, "Number of evaluations after the initial ones.")
@click.option(
    "--shift/--no-shift",
    default=True,
    show_default=True,
    help="Move the optimum to a random point.",
)
@click.option("--rotate", is_flag=True, help="Rotate the function about its optimum.")
@click.option(
    "--noise",
    type=click.FloatRange(0.0),
    default=0.0,
    show_default=True,
    help="Standard deviation of the noise, divided by that of the values.",
)
@click.option(
    "--offset", default=0.0, show_default=True, help="Minimum of the values, added to all."
)
@click.option(
    "--own-startup/--shared-startup",
    default=True,
    show_default=True,
    help="Let each sampler choose its initial points, or give all the same Sobol' points.",
)
@run_options
def run_command(
    samplers: tuple[str, ...],
    functions: tuple[str, ...],
    dim: int,
    rounds: tuple[int, ...],
    workers: int | None,
    startup: int,
    evaluations: int,
    shift: bool,
    rotate: bool,
    noise: float,
    offset: float,
    own_startup: bool,
    seeds: list[int],
    output: Path,
    retry_failed: bool,
    jobs: int,
) -> None:
    """Run samplers on functions and append one JSON record per run to a file.

    Runs that the file already has are skipped. Samplers that are not installed are left out with a
    line on stderr. Failed runs are recorded with their error, and the exit status is then 1.
    """
    if rounds and workers:
        raise click.UsageError("--rounds-of and --workers exclude each other.")
    names = [name for f in functions for name in (bbob.NAMES if f == bbob.SUITE else (f,))]
    if set(names) & set(bbob.NAMES):
        if rotate or not shift:
            raise click.UsageError("--rotate and --no-shift do not apply to BBOB.")
        if util.find_spec("ioh") is None:
            raise click.ClickException("BBOB needs ioh: `pip install optuna-bkop[bbob]`.")
    cells = [
        RegretCell(
            sampler=sampler,
            function=function,
            dim=(FUNCTIONS[function].dim if function in FUNCTIONS else None) or dim,
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
            seeds, (1,) if workers else rounds or (5, 10), names, available(samplers)
        )
    ]
    run_missing(cells, run, RegretCell.of, output, retry_failed=retry_failed, jobs=jobs)


@main.command()
@files_argument
@reference_option
@markdown_option
def summarize(files: tuple[Path, ...], reference: str, markdown: bool) -> None:
    """Print median regret per function and round size, ranks, ratios and CPU time.

    The ratio is the geometric mean of the final regret divided by the reference's on the same
    problem with the same seed. Its interval is a bootstrap over these pairs. "Won" is the share of
    pairs with less regret than the reference. Ranks are over runs that all samplers have made; a
    failed run ranks last. Runs on BBOB are also summarised by the suite's groups of functions.
    """
    try:
        rows = summary(load(files, RegretCell.of), reference)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    show(rows, markdown)


@main.command()
@files_argument
@click.option("--output", type=FILE, required=True, help="Picture to write, such as regret.png.")
@click.option("--rounds-of", "q", type=click.IntRange(1), help="Show only this round size.")
def plot(files: tuple[Path, ...], output: Path, q: int | None) -> None:
    """Plot the geometric mean of regret against evaluations, one panel per function."""
    records = [r for r in load(files, RegretCell.of) if not failed(r) and q in (None, r["q"])]
    if not records:
        raise click.ClickException("no finished runs to plot.")
    from benchmarks.regret import plots  # only this command needs matplotlib

    plots.regret_curves(records, output)


if __name__ == "__main__":
    main()
