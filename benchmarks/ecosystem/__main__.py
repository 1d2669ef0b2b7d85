"""The sampler inside other tools: `python -m benchmarks.ecosystem --help`."""

from __future__ import annotations

from collections.abc import Sequence

import click
import optuna

from benchmarks.ecosystem.mlflow_callback import track
from benchmarks.ecosystem.ray_tune import tune_runs
from benchmarks.harness.options import available, number_option, samplers_option
from benchmarks.harness.tables import rows_of, show
from tests.support.model_guard import model_must_not_fail

_seed_option = click.option(
    "--seed", type=click.IntRange(0), help="Seed of the samplers; by default there is none."
)


@click.group()
def main() -> None:
    """Run the sampler inside other tools and count what they have seen.

    The extra `ecosystem` installs these tools.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)


@main.command()
@samplers_option("bkop", "tpe")
@number_option("--runs", 2, "Number of independent runs per sampler.")
@number_option("--trials", 60, "Number of trials of a run.")
@number_option("--at-once", 4, "Maximum number of trials that run in parallel.")
@_seed_option
def ray(samplers: Sequence[str], runs: int, trials: int, at_once: int, seed: int | None) -> None:
    """Run Ray Tune with `OptunaSearch`, and count points, plans and copies of the first run."""
    outcomes = []
    with model_must_not_fail():
        for sampler in available(samplers):
            outcomes += tune_runs(
                sampler, n_runs=runs, n_trials=trials, at_once=at_once, seed=seed
            )
    show(rows_of(outcomes))


@main.command()
@samplers_option("bkop", "tpe")
@number_option("--trials", 60, "Number of trials.")
@number_option("--jobs", 4, "Number of threads.")
@_seed_option
def mlflow(samplers: Sequence[str], trials: int, jobs: int, seed: int | None) -> None:
    """Track a study by `MLflowCallback`, and count the runs that equal their trials."""
    with model_must_not_fail():
        outcomes = [
            track(sampler, n_trials=trials, n_jobs=jobs, seed=seed)
            for sampler in available(samplers)
        ]
    show(rows_of(outcomes))


if __name__ == "__main__":
    main()
