"""Regret of samplers on test functions: `python -m benchmarks.regret --help`."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import click

from benchmarks import peers, plots, results
from benchmarks.functions import FUNCTIONS, PAPER_FUNCTIONS
from benchmarks.runs import Cell, Record, run

FILE = click.Path(dir_okay=False, path_type=Path)
EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)


def parse_seeds(text: str) -> list[int]:
    """Return the seeds that ranges and lists such as `0-9,20` name, in increasing order."""
    seeds: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
            raise click.BadParameter(f"expected ranges and numbers such as 0-9,20, got {text!r}.")
        seeds.update(range(int(first), int(last) + 1))
    return sorted(seeds)


@click.group()
def main() -> None:
    """Measure, summarise and plot the regret of samplers."""


@main.command(name="run")
@click.option(
    "--sampler",
    "samplers",
    multiple=True,
    required=True,
    help=f"{', '.join(peers.PEERS)} or module:callable?key=value&key=value. Repeatable.",
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
            seeds, (1,) if workers else rounds or (5, 10), functions, _available(samplers)
        )
    ]
    results.drop_unfinished_line(output)
    known = results.load([output]) if output.exists() else []
    done = {results.cell_of(record) for record in known if not (retry_failed and _failed(record))}
    todo = [cell for cell in dict.fromkeys(cells) if cell not in done]
    click.echo(f"{len(todo)} runs, {len(set(cells) & done)} already in {output}.", err=True)
    failures = 0
    with (
        output.open("a", encoding="utf-8") as file,
        click.progressbar(length=len(todo), label="runs", file=sys.stderr) as bar,
    ):
        for record in _records(todo, jobs):
            file.write(json.dumps(record) + "\n")
            file.flush()
            if _failed(record):
                failures += 1
                click.echo(f"\nfailed: {results.cell_of(record)}: {record['error']}", err=True)
            bar.update(1)
    if failures:
        raise click.ClickException(f"{failures} of {len(todo)} runs failed; see {output}.")


def _failed(record: Record) -> bool:
    return "error" in record


def _available(samplers: Iterable[str]) -> list[str]:
    """Return the samplers that can be imported; only a named peer may be missing."""
    found = []
    for sampler in samplers:
        try:
            peers.load(peers.describe(sampler))
        except peers.SamplerError as error:
            if sampler not in peers.PEERS:
                raise click.ClickException(f"--sampler {sampler}: {error}") from error
            click.echo(f"{sampler} is dropped: {error}", err=True)
        else:
            found.append(sampler)
    return found


def _records(cells: list[Cell], jobs: int) -> Iterator[Record]:
    """Yield the records of cells as they are finished."""
    if jobs == 1:
        yield from map(run, cells)
        return
    # A forked torch may hang: processes start afresh.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(run, cell) for cell in cells]):
            yield future.result()


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
    records = [r for r in results.load(files) if not _failed(r) and q in (None, r["q"])]
    if not records:
        raise click.ClickException("no finished runs to plot.")
    plots.regret_curves(records, output)


if __name__ == "__main__":
    main()
