"""Many workers on one study: `python -m benchmarks.coordination --help`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import click

from benchmarks.coordination import overhead as protocol
from benchmarks.coordination.load import measure as measure_load
from benchmarks.harness.options import available, number_option, samplers_option
from benchmarks.harness.tables import rows_of, show
from tests.support.kills import kill_workers
from tests.support.rounds import run_rounds
from tests.support.storages import GRPC, KINDS, missing

#: Killed workers use one model instead of three, so that a larger part of their short lives is
#: spent in the protocol, which is what is tested.
ONE_MODEL: dict[str, Any] = {"length_scale_factors": (1.0,)}


@click.group()
def main() -> None:
    """Measure many worker processes on one study.

    Each storage is created for the run and deleted afterwards. Storages whose service does not
    answer are left out with a line on stderr.
    """


def _storages_option(kinds: Sequence[str], default: Sequence[str]) -> Callable[..., Any]:
    return click.option(
        "--storage",
        "storages",
        multiple=True,
        type=click.Choice(kinds),
        default=default,
        show_default=True,
        help="Repeatable.",
    )


def _available(storages: Sequence[str]) -> list[str]:
    found = []
    for kind in storages:
        reason = missing(kind)
        if reason is None:
            found.append(kind)
        else:
            click.echo(f"{kind} is left out: {reason}", err=True)
    return found


def _show(outcomes: Sequence[Any]) -> None:
    if outcomes:
        show(rows_of(outcomes))


_objectives_option = number_option(
    "--objectives", 1, "Number of objectives.", argument="n_objectives"
)


@main.command()
@_storages_option([*KINDS, GRPC], KINDS)
@number_option("--workers", 8, "Number of processes.")
@number_option("--trials", 400, "Number of trials to finish.")
@click.option("--every", default=2.0, show_default=True, help="Seconds between kills.")
@number_option("--dim", 4, "Number of parameters.")
@_objectives_option
@click.option("--seconds", default=0.2, show_default=True, help="Mean duration of an evaluation.")
def kills(
    storages: Sequence[str],
    workers: int,
    trials: int,
    every: float,
    dim: int,
    n_objectives: int,
    seconds: float,
) -> None:
    """Kill a random worker (SIGKILL) every few seconds, replace it, and count what went wrong.

    Counted are repeated parameters, workers that ended with an exception, and broken attributes.
    """
    outcomes = []
    for kind in _available(storages):
        outcomes.append(
            kill_workers(
                kind,
                n_workers=workers,
                n_trials=trials,
                every=every,
                dim=dim,
                n_objectives=n_objectives,
                seconds=seconds,
                **ONE_MODEL,
            )
        )
        click.echo(f"{kind}: {outcomes[-1].finished} finished", err=True)
    _show(outcomes)


@main.command()
@_storages_option([*KINDS, GRPC], KINDS)
@click.option(
    "--sampler",
    "samplers",
    multiple=True,
    default=("bkop",),
    show_default=True,
    type=click.Choice(["bkop", "tpe", "tpe-liar", "gp"]),
    help="Repeatable. tpe-liar is TPE, multivariate and with a constant liar.",
)
@number_option("--workers", 8, "Number of processes.")
@number_option("--rounds", 20, "Number of rounds after the startup.")
@number_option("--dim", 2, "Number of parameters.")
@_objectives_option
@click.option(
    "--jitter",
    default=0.3,
    show_default=True,
    help="Seconds in which all asks of a round begin.",
)
def rounds(
    storages: Sequence[str],
    samplers: Sequence[str],
    workers: int,
    rounds: int,
    dim: int,
    n_objectives: int,
    jitter: float,
) -> None:
    """Let all workers ask at once, then all tell, and count the rounds that are one joint plan.

    A round is one joint plan if all its points were chosen together. The table also has the mean
    and the smallest distance between points of one round.
    """
    outcomes = []
    for kind in _available(storages):
        for sampler in samplers:
            outcomes.append(
                run_rounds(
                    kind,
                    sampler,
                    n_workers=workers,
                    n_rounds=rounds,
                    dim=dim,
                    n_objectives=n_objectives,
                    jitter=jitter,
                )
            )
            last = outcomes[-1]
            click.echo(f"{kind}, {sampler}: {last.joint} of {last.rounds} joint", err=True)
    _show(outcomes)


@main.command()
@_storages_option(["sqlite", "postgresql", "mysql"], ("sqlite", "postgresql"))
@number_option("--trials", (1000, 10_000), "Number of finished trials.", argument="sizes")
@number_option("--asks", 30, "Number of asks that are measured.")
@number_option("--dim", 6, "Number of parameters.")
def overhead(storages: Sequence[str], sizes: Sequence[int], asks: int, dim: int) -> None:
    """Print the milliseconds of an ask besides the model.

    Each size is measured without plans and with a plan in every finished trial. A plan is a set of
    points that were chosen together, which a trial has published.
    """
    _show(
        [
            protocol.measure(kind, n_trials, n_plans, dim=dim, n_asks=asks)
            for kind in _available(storages)
            for n_trials in sizes
            for n_plans in (0, n_trials)
        ]
    )


@main.command()
@_storages_option([*KINDS, GRPC], ("postgresql", "sqlite"))
@samplers_option("bkop", "tpe")
@number_option("--workers", (4, 16), "Number of processes.", argument="numbers")
@click.option(
    "--objective",
    "durations",
    multiple=True,
    default=(1.0,),
    show_default=True,
    help="Duration of an evaluation in seconds, in which the worker sleeps. Repeatable.",
)
@click.option("--seconds", default=45.0, show_default=True, help="Duration of each run.")
@number_option("--repeats", 1, "Number of runs of each kind.")
@number_option("--dim", 6, "Number of parameters.")
def load(
    storages: Sequence[str],
    samplers: Sequence[str],
    numbers: Sequence[int],
    durations: Sequence[float],
    seconds: float,
    repeats: int,
    dim: int,
) -> None:
    """Print how many trials many workers finish, and what an ask costs them.

    The samplers take turns, so that other processes on the machine disturb all of them alike.
    """
    outcomes = []
    for kind in _available(storages):
        for workers, objective, _ in itertools.product(numbers, durations, range(repeats)):
            for sampler in available(samplers):
                outcomes.append(
                    measure_load(
                        kind,
                        sampler,
                        n_workers=workers,
                        objective=objective,
                        seconds=seconds,
                        dim=dim,
                    )
                )
                click.echo(f"{kind}, {sampler}: {outcomes[-1].finished} finished", err=True)
    _show(outcomes)


if __name__ == "__main__":
    main()
