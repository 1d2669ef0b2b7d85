"""Samplers with pruners: `python -m benchmarks.pruning --help`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from benchmarks.harness.options import (
    available,
    files_argument,
    markdown_option,
    number_option,
    reference_option,
    run_options,
    samplers_option,
)
from benchmarks.harness.records import Record, failed, load
from benchmarks.harness.runner import run_missing
from benchmarks.harness.summary import Block, compare, cost_rows, samplers_of
from benchmarks.harness.tables import Rows, show
from benchmarks.pruning.curves import OBJECTIVES
from benchmarks.pruning.runs import PRUNERS, RETURNED, PruningCell, run

#: Losses below this hardly differ. It is added to all losses before logarithms are taken, because
#: an error rate may be 0.
_SMALLEST = 1e-4


@click.group()
def main() -> None:
    """Compare samplers in studies with pruners and various returned metrics."""


@main.command(name="run")
@samplers_option("bkop", "tpe")
@click.option(
    "--objective",
    "objectives",
    multiple=True,
    type=click.Choice(list(OBJECTIVES)),
    default=list(OBJECTIVES),
    help="Repeatable; by default all.",
)
@click.option(
    "--pruner",
    "pruners",
    multiple=True,
    type=click.Choice(list(PRUNERS)),
    default=list(PRUNERS),
    help="Repeatable; by default all.",
)
@number_option("--trials", 60, "Number of trials.")
@run_options
def run_command(
    samplers: tuple[str, ...],
    objectives: tuple[str, ...],
    pruners: tuple[str, ...],
    trials: int,
    seeds: list[int],
    output: Path,
    retry_failed: bool,
    jobs: int,
) -> None:
    """Run samplers with every pruner and returned metric, and record the runs in a file.

    Wilcoxon's pruner takes most of the time on the real models, because their error rates tie: its
    test is then made by permutations.
    """
    cells = [
        PruningCell(sampler, objective, pruner, returned, trials, seed)
        for seed, objective, pruner, returned, sampler in itertools.product(
            seeds, objectives, pruners, RETURNED, available(samplers)
        )
    ]
    run_missing(cells, run, PruningCell.of, output, retry_failed=retry_failed, jobs=jobs)


@main.command()
@files_argument
@reference_option
@markdown_option
def summarize(files: tuple[Path, ...], reference: str, markdown: bool) -> None:
    """Print the ratio of final losses to the reference sampler's, by pruner, metric, objective.

    Ratios are geometric means over runs that both samplers have finished; below 1, a sampler is
    better than the reference.
    """
    records = load(files, PruningCell.of)
    names = samplers_of(records)
    if reference not in names:
        raise click.ClickException(f"--reference must be one of {', '.join(names)}.")
    for name in names:
        if name != reference:
            click.echo(
                f"{name}: geometric mean of final losses over {reference}'s, all objectives"
            )
            show(_ratios(records, name, reference), markdown)
            click.echo()
            show(_by_objective(records, name, reference), markdown)
            click.echo()
    show([["", *names], *cost_rows(records, names)], markdown)
    late = [r for r in records if r["sampler"] == "bkop" and not failed(r)]
    if late:
        starts = [r["first_planned"] for r in late]
        n_late = sum(start is None or start > 30 for start in starts)
        click.echo(f"\nbkop: model starts after trial 30 in {n_late} of {len(starts)} runs")


def _ratio(records: Sequence[Record], sampler: str, reference: str, **only: str | None) -> str:
    """Return the geometric mean of the ratio of two samplers' final losses, as text.

    A ratio is the loss of ``sampler`` divided by that of ``reference``, in runs that differ in the
    sampler only: below 1, ``sampler`` is better. 1e-4 is added to all losses first. The mean is
    over the runs that finished with both samplers and whose records have the values in ``only``;
    None allows all values. The text is "-" if there are no such runs, or if both are one sampler.
    """
    blocks: dict[tuple[str, str, str, int], dict[str, float]] = {}
    for record in records:
        if all(value in (None, record[name]) for name, value in only.items()):
            key = (record["objective"], record["pruner"], record["returned"], record["seed"])
            loss = np.inf if failed(record) else float(record["final"])
            blocks.setdefault(key, {})[record["sampler"]] = np.log(loss + _SMALLEST)
    found: list[Block] = list(blocks.values())
    comparison = compare(found, sampler, reference)
    return "-" if comparison is None else f"{np.exp(comparison.mean):.2g}"


def _ratios(records: Sequence[Record], sampler: str, reference: str) -> Rows:
    """Return a table of `_ratio` with a row per returned metric and a column per pruner.

    The last row and the last column, "all", are over all metrics or pruners.
    """
    rows = [["returned", *PRUNERS, "all"]]
    for returned in (*RETURNED, None):
        cells = [
            _ratio(records, sampler, reference, pruner=pruner, returned=returned)
            for pruner in (*PRUNERS, None)
        ]
        rows.append([returned or "all", *cells])
    return rows


def _by_objective(records: Sequence[Record], sampler: str, reference: str) -> Rows:
    """Return a table of `_ratio`: one row, with a column per objective, below a header.

    Each ratio is a geometric mean over all pruners, returned metrics and seeds.
    """
    ratios = [_ratio(records, sampler, reference, objective=name) for name in OBJECTIVES]
    return [["objective", *OBJECTIVES], ["all pruners", *ratios]]


if __name__ == "__main__":
    main()
