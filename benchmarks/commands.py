"""What the commands share: options, which samplers are installed, and runs that can be resumed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import click

from benchmarks import peers, results
from benchmarks.runs import Record

FILE = click.Path(dir_okay=False, path_type=Path)
EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
SAMPLERS_HELP = f"{', '.join(peers.PEERS)} or module:callable?key=value&key=value. Repeatable."

Cell = TypeVar("Cell", bound=Hashable)


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


def available(samplers: Iterable[str]) -> list[str]:
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


def run_missing(
    cells: Iterable[Cell],
    run: Callable[[Cell], Record],
    key: Callable[[Record], Cell],
    output: Path,
    *,
    retry_failed: bool = False,
    jobs: int = 1,
    fresh_processes: bool = False,
) -> None:
    """Run the cells that a JSONL file does not hold and append their records to it.

    Args:
        cells: What identifies each run.
        run: Returns the record of a run, with an `error` if it failed.
        key: Returns the cell of a record.
        output: The file; an unfinished last line is cut off.
        retry_failed: Whether to repeat the runs that ended in an error.
        jobs: Number of processes.
        fresh_processes: Whether each run has a process of its own.

    Raises:
        click.ClickException: When runs failed; the others are finished first.
    """
    cells = list(dict.fromkeys(cells))
    results.drop_unfinished_line(output)
    known = results.load([output], key) if output.exists() else []
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


def failed(record: Record) -> bool:
    """Return whether the run of a record ended in an error."""
    return "error" in record


def _records(
    cells: Sequence[Cell], run: Callable[[Cell], Record], jobs: int, fresh_processes: bool
) -> Iterator[Record]:
    """Yield the records of cells as they are finished."""
    # A forked torch may hang: processes start afresh.
    context = get_context("spawn")
    if fresh_processes:
        with context.Pool(jobs, maxtasksperchild=1) as pool:
            yield from pool.imap_unordered(run, cells)
    elif jobs == 1:
        yield from map(run, cells)
    else:
        with ProcessPoolExecutor(jobs, mp_context=context) as executor:
            for future in as_completed([executor.submit(run, cell) for cell in cells]):
                yield future.result()
