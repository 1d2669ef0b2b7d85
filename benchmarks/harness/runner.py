"""Runs that can be interrupted and resumed, and that fail loudly if the sampler's model fails.

A cell is all that identifies a run: the sampler, the problem, the sizes and the seed.
"""

from __future__ import annotations

import json
import sys
import traceback
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import click
import optuna

from benchmarks.harness import samplers
from benchmarks.harness.records import CellT, Record, drop_unfinished_line, failed, load
from tests.support.model_guard import model_must_not_fail

Key = TypeVar("Key", bound=Hashable)


def recorded(measure: Callable[[], Record]) -> Record:
    """Return what `measure` returns, or `error` and `traceback` if it raises an exception.

    A failed model of `BKOPSampler` is such an exception: otherwise the figures would be those of
    the lattice points that the sampler falls back to.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        try:
            with model_must_not_fail():
                return measure()
        except Exception as error:  # one broken run must not end the others
            return {
                "error": "".join(traceback.format_exception_only(error)).strip(),
                "traceback": traceback.format_exc(),
            }


def run_cell(cell: CellT, measure: Callable[[CellT], Record]) -> Record:
    """Return the record of a run: the fields of its cell, what was measured, and versions."""
    measured = recorded(lambda: measure(cell))
    return asdict(cell) | measured | {"versions": samplers.versions(cell.sampler)}


def run_missing(
    cells: Iterable[Key],
    run: Callable[[Key], Record],
    key: Callable[[Record], Key],
    output: Path,
    *,
    retry_failed: bool = False,
    jobs: int = 1,
    fresh_processes: bool = False,
) -> list[Record]:
    """Run the cells that a JSONL file has no record of, and append their records to it.

    Args:
        cells: What identifies each run: usually a `Cell`.
        run: Returns the record of a run, with an `error` if it failed.
        key: Returns the cell of a record.
        output: The file. An unfinished last line is removed.
        retry_failed: Whether to repeat the runs whose record has an `error`. Their old records
            stay in the file and are ignored.
        jobs: Number of processes.
        fresh_processes: Whether to start a new process for each run.

    Returns:
        The last record of each cell in the file, including cells that were not asked for.

    Raises:
        click.ClickException: When runs of this call failed, after all of them have ended. Failures
            of earlier calls raise nothing.
    """
    cells = list(dict.fromkeys(cells))
    drop_unfinished_line(output)
    known = load([output], key) if output.exists() else []
    done = {key(record) for record in known if not (retry_failed and failed(record))}
    todo = [cell for cell in cells if cell not in done]
    click.echo(f"{len(todo)} runs, {len(cells) - len(todo)} already in {output}.", err=True)
    failures = 0
    with (
        output.open("a", encoding="utf-8") as file,
        click.progressbar(length=len(todo), label="runs", file=sys.stderr) as bar,
    ):
        for record in _records(todo, run, jobs, fresh_processes):
            file.write(json.dumps(record) + "\n")
            file.flush()
            if failed(record):
                failures += 1
                click.echo(f"\nfailed: {key(record)}: {record['error']}", err=True)
            bar.update(1)
    if failures:
        raise click.ClickException(f"{failures} of {len(todo)} runs failed; see {output}.")
    return load([output], key)


def _records(
    cells: Sequence[Key], run: Callable[[Key], Record], jobs: int, fresh_processes: bool
) -> Iterator[Record]:
    """Yield the records of cells as they are finished."""
    context = get_context("spawn")  # a forked torch may hang
    if fresh_processes:
        with context.Pool(jobs, maxtasksperchild=1) as pool:
            yield from pool.imap_unordered(run, cells)
    elif jobs == 1:
        yield from map(run, cells)
    else:
        with ProcessPoolExecutor(jobs, mp_context=context) as executor:
            for future in as_completed([executor.submit(run, cell) for cell in cells]):
                yield future.result()
