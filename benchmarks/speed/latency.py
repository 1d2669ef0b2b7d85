"""The command `latency`: how the cost of an ask grows with trials, parameters and round size."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from benchmarks.harness.options import (
    FILE,
    available,
    markdown_option,
    number_option,
    output_option,
    samplers_option,
)
from benchmarks.harness.records import Record, failed
from benchmarks.harness.runner import run_missing
from benchmarks.harness.summary import samplers_of
from benchmarks.harness.tables import Rows, show
from benchmarks.regret.functions import FUNCTIONS
from benchmarks.speed.asks import FUNCTION, MEASURES, AskCell, run
from benchmarks.speed.imports import import_text

#: While one of the three varies, the others have these values: those of the paper's experiments.
BASE = {"trials": 100, "dim": 6, "q": 5}


def sweeps(trials: Sequence[int], dims: Sequence[int], batches: Sequence[int]) -> list[AskCell]:
    """Return cells in which one of trials, dims and batches varies, and the others are `BASE`.

    A cell is all that identifies a measurement. Sampler and rounds are yet to be set.
    """
    varied: dict[str, Sequence[int]] = {"trials": trials, "dim": dims, "q": batches}
    return list(
        dict.fromkeys(
            AskCell(sampler="", rounds=0, function=FUNCTION, **BASE | {name: value})
            for name, values in varied.items()
            for value in values
        )
    )


def grid(trials: Sequence[int], dims: Sequence[int], batches: Sequence[int]) -> list[AskCell]:
    """Return cells with all combinations of trials, dims and batches.

    A cell is all that identifies a measurement. Sampler and rounds are yet to be set.
    """
    return [
        AskCell(sampler="", rounds=0, trials=n, dim=d, q=q)
        for n, d, q in itertools.product(trials, dims, batches)
    ]


def tables(records: Sequence[Record]) -> list[Rows]:
    """Return a table per measure: a row per function and size of study, a column per sampler.

    A sampler that was not measured at a size has a dash.
    """

    def size_of(record: Record) -> tuple[str, int, int, int]:
        cell = AskCell.of(record)
        return cell.function, cell.trials, cell.dim, cell.q

    samplers = samplers_of(records)
    sizes = sorted(set(map(size_of, records)))
    found = []
    for key, title in MEASURES.items():
        rows = [[title, "function", "trials", "d", "q", *samplers]]
        for size in sizes:
            same = {r["sampler"]: r for r in records if size_of(r) == size}
            values = [same.get(sampler, {}).get(key) for sampler in samplers]
            texts = ["-" if value is None else f"{value:.3g}" for value in values]
            rows.append(["", *map(str, size), *texts])
        found.append(rows)
    return found


def parse_limits(texts: tuple[str, ...]) -> dict[str, int]:
    """Return the largest number of trials per sampler from texts such as `gp=1000`."""
    limits = {}
    for text in texts:
        sampler, _, number = text.rpartition("=")
        if not sampler or not number.isdecimal():
            raise click.BadParameter(f"expected sampler=number such as gp=1000, got {text!r}.")
        limits[sampler] = int(number)
    return limits


@click.command()
@samplers_option("bkop", "tpe", "gp")
@number_option("--trials", (20, 100, 300, 1000, 2000, 5000, 10_000), "Numbers of finished trials.")
@number_option("--dim", (2, 6, 20, 50), "Numbers of parameters.", argument="dims", least=2)
@number_option("--rounds-of", (1, 5, 10, 50, 128), "Asks per round.", argument="batches")
@click.option(
    "--function",
    "functions",
    multiple=True,
    type=click.Choice(list(FUNCTIONS)),
    default=[FUNCTION],
    show_default=True,
    help="Repeatable.",
)
@click.option(
    "--grid",
    "is_grid",
    is_flag=True,
    help="Measure all combinations, instead of varying one number at a time.",
)
@number_option("--rounds", 3, "Rounds per measurement; the first is reported apart.")
@click.option(
    "--limit",
    "limits",
    multiple=True,
    callback=lambda _context, _option, texts: parse_limits(texts),
    default=["gp=1000"],
    show_default=True,
    help="Largest number of finished trials for a sampler. Repeatable.",
)
@output_option
@click.option("--plot", "picture", type=FILE, help="Picture to write, such as latency.png.")
@markdown_option
def latency(
    samplers: tuple[str, ...],
    trials: tuple[int, ...],
    dims: tuple[int, ...],
    batches: tuple[int, ...],
    functions: tuple[str, ...],
    is_grid: bool,
    rounds: int,
    limits: dict[str, int],
    output: Path,
    picture: Path | None,
    markdown: bool,
) -> None:
    """Measure seconds and memory of an ask and print tables.

    Finished trials, parameters and asks per round vary one at a time; the other two are 100, 6 and
    5. With --grid, all combinations are measured. Each measurement runs in a new process.
    Measurements that the file already has are skipped; the tables and the picture show all that
    it has. Samplers that are not installed are left out.
    """
    sizes = (grid if is_grid else sweeps)(trials, dims, batches)
    cells = [
        replace(cell, sampler=sampler, rounds=rounds, function=function)
        for function, cell, sampler in itertools.product(functions, sizes, available(samplers))
        if cell.trials <= limits.get(sampler, cell.trials)
    ]
    records = run_missing(cells, run, AskCell.of, output, fresh_processes=True)
    records = [record for record in records if not failed(record)]
    for rows in tables(records):
        show(rows, markdown)
        click.echo()
    click.echo(import_text())
    if picture is not None:
        from benchmarks.speed.latency_picture import plot  # only this option needs matplotlib

        plot(records, BASE, picture)
