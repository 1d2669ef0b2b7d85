"""What a study goes through when its workers are killed at random, and how rounds of asks look.

    python -m benchmarks.chaos kills       # SIGKILL a random worker every two seconds
    python -m benchmarks.chaos rounds      # eight workers ask at once, then all tell

Each storage is made for the run and dropped afterwards (see `benchmarks.storages`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from benchmarks.results import aligned
from benchmarks.storages import GRPC, KINDS, missing
from benchmarks.workers import kill_workers, rows_of, run_rounds

#: What is tried is the protocol: with one model instead of three, more of a worker's short life is
#: spent on that.
ONE_MODEL: dict[str, Any] = {"length_scale_factors": (1.0,)}


@click.group()
def main() -> None:
    """Workers in many processes on one study."""


_storage_option = click.option(
    "--storage",
    "storages",
    multiple=True,
    type=click.Choice([*KINDS, GRPC]),
    default=KINDS,
    show_default=True,
    help="Repeatable.",
)


def _present(storages: Sequence[str]) -> list[str]:
    present = []
    for kind in storages:
        reason = missing(kind)
        if reason is None:
            present.append(kind)
        else:
            click.echo(f"{kind} is left out: {reason}", err=True)
    return present


@main.command()
@_storage_option
@click.option("--workers", default=8, show_default=True, help="Processes.")
@click.option("--trials", default=400, show_default=True, help="Finished trials.")
@click.option("--every", default=2.0, show_default=True, help="Seconds between kills.")
@click.option("--dim", default=4, show_default=True, help="Parameters.")
@click.option("--seconds", default=0.2, show_default=True, help="Mean time of an evaluation.")
def kills(
    storages: Sequence[str], workers: int, trials: int, every: float, dim: int, seconds: float
) -> None:
    """Kill a random worker every few seconds and replace it; count what went wrong."""
    outcomes = []
    for kind in _present(storages):
        outcomes.append(
            kill_workers(
                kind,
                n_workers=workers,
                n_trials=trials,
                every=every,
                dim=dim,
                seconds=seconds,
                **ONE_MODEL,
            )
        )
        click.echo(f"{kind}: {outcomes[-1].finished} finished", err=True)
    if outcomes:
        click.echo(aligned(rows_of(outcomes)))


@main.command()
@_storage_option
@click.option(
    "--sampler",
    "samplers",
    multiple=True,
    default=("bkop",),
    show_default=True,
    type=click.Choice(["bkop", "tpe", "tpe-liar", "gp"]),
    help="Repeatable.",
)
@click.option("--workers", default=8, show_default=True, help="Processes.")
@click.option("--rounds", default=20, show_default=True, help="After the startup.")
@click.option("--dim", default=2, show_default=True, help="Parameters.")
@click.option("--jitter", default=0.3, show_default=True, help="Seconds within which all ask.")
def rounds(
    storages: Sequence[str],
    samplers: Sequence[str],
    workers: int,
    rounds: int,
    dim: int,
    jitter: float,
) -> None:
    """Let workers ask at once, then tell; count the rounds that are one joint plan."""
    rows = []
    for kind in _present(storages):
        for sampler in samplers:
            rows.append(
                run_rounds(
                    kind, sampler, n_workers=workers, n_rounds=rounds, dim=dim, jitter=jitter
                )
            )
            click.echo(f"{kind}, {sampler}: {rows[-1].joint} of {rows[-1].rounds}", err=True)
    if rows:
        click.echo(aligned(rows_of(rows)))


if __name__ == "__main__":
    main()
