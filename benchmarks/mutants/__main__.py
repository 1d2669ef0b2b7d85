"""Prints which test sees which mutant: `python -m benchmarks.mutants --help`."""

from __future__ import annotations

import queue
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from benchmarks.mutants.catalogue import MUTANTS
from benchmarks.mutants.mutant import Mutant, OutOfDateError
from benchmarks.mutants.runner import (
    ROOT,
    BrokenRunError,
    Verdict,
    changed_since,
    check_without_mutants,
    copy_project,
    judge,
)

_WIDTH = max(len(mutant.name) for mutant in MUTANTS)


@click.command()
@click.option("--only", multiple=True, help="Name of a mutant, or a part of it. Repeatable.")
@click.option("--file", "files", multiple=True, help="Changed file, or a part of it. Repeatable.")
@click.option("--since", metavar="COMMIT", help="Only if file or tests differ from this commit.")
@click.option("--list", "is_listed", is_flag=True, help="Print the names and files, run nothing.")
@click.option("--jobs", default=1, show_default=True, help="Number of mutants run in parallel.")
def main(
    only: tuple[str, ...], files: tuple[str, ...], since: str | None, is_listed: bool, jobs: int
) -> None:
    """Break a copy of the project once per mutant and print which test sees it.

    Ends with status 1 if any mutant is not seen, and with 2 if one cannot be applied or run.
    """
    chosen = [m for m in MUTANTS if not only or any(part in m.name for part in only)]
    if not chosen:
        raise click.UsageError(f"No mutant has a name with {' or '.join(only)}.")
    chosen = [m for m in chosen if not files or any(part in m.file for part in files)]
    if not chosen:
        raise click.UsageError(f"No such mutant changes a file with {' or '.join(files)}.")
    if since is not None:
        changed = changed_since(since)
        chosen = [m for m in chosen if not changed.isdisjoint((m.file, *m.tests))]
        if not chosen:
            click.echo("Nothing that concerns a mutant has changed.")
            return
    if is_listed:
        for mutant in chosen:
            click.echo(f"{mutant.name:{_WIDTH}}  {mutant.file}")
        return
    try:
        for mutant in chosen:
            mutant.mutated(ROOT)
        verdicts = _judge_all(chosen, jobs)
    except (OutOfDateError, BrokenRunError) as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    unseen = [verdict.mutant.name for verdict in verdicts if verdict.seen_by is None]
    click.echo(f"{len(verdicts) - len(unseen)} of {len(verdicts)} mutants are seen.")
    if unseen:
        click.echo(f"Not seen: {', '.join(unseen)}")
        sys.exit(1)


def _judge_all(mutants: list[Mutant], jobs: int) -> list[Verdict]:
    """Judge all mutants in ``jobs`` copies of the project, and print a line for each."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(jobs):
            copy = Path(folder) / str(number)
            copy_project(copy)
            copies.put(copy)
        tests = sorted({test for mutant in mutants for test in mutant.tests})
        check_without_mutants(copy, tests)

        def judge_one(mutant: Mutant) -> Verdict:
            copy = copies.get()
            try:
                verdict = judge(copy, mutant)
            finally:
                copies.put(copy)
            seen_by = verdict.seen_by or "NOT SEEN"
            click.echo(f"{mutant.name:{_WIDTH}}  {verdict.seconds:5.0f} s  {seen_by}")
            return verdict

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(judge_one, mutants))


if __name__ == "__main__":
    main()
