"""What an ask costs besides the model: reading, validating, publishing and checking.

    python -m benchmarks.protocol --trials 10000

A study with many finished trials is written, eight workers' trials run, and one of them at a time
is told and replaced. The model is replaced by random points, so that what remains is the protocol.
Reads and writes are Optuna's share; the rest is ours.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

import click
import numpy as np
import optuna
from optuna.distributions import FloatDistribution, distribution_to_json
from optuna.storages import BaseStorage
from optuna.storages._rdb import models
from optuna.trial import TrialState
from sqlalchemy import insert

from benchmarks.results import aligned
from benchmarks.storages import close_storage, missing, open_storage, temporary
from benchmarks.workers import rows_of
from optuna_bkop import BKOPSampler, _ask, _plan

STUDY = "protocol"
WORKERS = 8


@dataclass(frozen=True)
class Cost:
    """Milliseconds per ask, medians; a row of the table.

    Attributes:
        storage: The kind of storage.
        trials: How many are finished.
        plans: How many of them have published a plan.
        protocol: All of an ask but the model.
        slowest: The slowest of all asks.
        cpu: Of the protocol, CPU time of the worker; the rest waits for the storage.
        reads: Of the protocol, what Optuna takes to read the trials.
        n_reads: How often it is asked to.
        writes: What Optuna takes to write attributes.
        own: The rest: what is done by this package.
    """

    storage: str
    trials: int
    plans: int
    protocol: float
    slowest: float
    cpu: float
    reads: float
    n_reads: float
    writes: float
    own: float


class Clock:
    """Adds up the seconds that functions take."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose time, and whose CPU time, is added up under a name."""

        def call(*args: Any, **kwargs: Any) -> Any:
            begun, cpu = time.perf_counter(), time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self._add(name, time.perf_counter() - begun)
                self._add(f"cpu {name}", time.process_time() - cpu)
                self.calls[name] = self.calls.get(name, 0) + 1

        return call

    def _add(self, name: str, seconds: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds


def fill(storage: BaseStorage, n_trials: int, n_plans: int, dim: int) -> None:
    """Write finished trials into an RDB storage, the last ``n_plans`` with plans, all at once."""
    study_id = storage.create_new_study([optuna.study.StudyDirection.MINIMIZE], STUDY)
    rng = np.random.default_rng(0)
    X = rng.random((n_trials, dim))
    distribution = distribution_to_json(FloatDistribution(0.0, 1.0))
    begun = datetime.now().replace(microsecond=0) - timedelta(seconds=n_trials)
    engine = storage._backend.engine  # type: ignore[attr-defined]
    plan = f'{{"version": 1, "fingerprint": "{"0" * 16}", "numbers": {[10**9] * 8 * dim}}}'
    with engine.begin() as connection:
        connection.execute(
            insert(models.TrialModel),
            [
                {
                    "number": number,
                    "study_id": study_id,
                    "state": TrialState.COMPLETE,
                    "datetime_start": begun + timedelta(seconds=number),
                    "datetime_complete": begun + timedelta(seconds=number + 1),
                }
                for number in range(n_trials)
            ],
        )
        first = connection.execute(
            models.TrialModel.__table__.select().where(models.TrialModel.number == 0)
        ).one()[0]
        connection.execute(
            insert(models.TrialValueModel),
            [
                {"trial_id": first + i, "objective": 0, "value": value, "value_type": "FINITE"}
                for i, value in enumerate(((X - 0.5) ** 2).sum(axis=1).tolist())
            ],
        )
        connection.execute(
            insert(models.TrialParamModel),
            [
                {
                    "trial_id": first + i,
                    "param_name": f"x{j}",
                    "param_value": float(X[i, j]),
                    "distribution_json": distribution,
                }
                for i in range(n_trials)
                for j in range(dim)
            ],
        )
        if n_plans:
            connection.execute(
                insert(models.TrialSystemAttributeModel),
                [
                    {"trial_id": first + i, "key": _plan.KEY, "value_json": plan}
                    for i in range(n_trials - n_plans, n_trials)
                ],
            )


@contextmanager
def _without_the_model(clock: Clock) -> Iterator[None]:
    """Random points instead of fits and maximisations, whose time is counted apart."""

    def random_batch(domain: Any, U_held: Any, q: int, *, rng: np.random.Generator) -> Any:
        return domain.snap(rng.random((q, domain.dim)))

    fit: Any = lambda *args, domain, settings: domain  # noqa: E731
    with (
        mock.patch.object(_ask, "fit_models", clock.timed("model", fit)),
        mock.patch.object(_ask, "choose_batch", clock.timed("model", random_batch)),
    ):
        yield


def measure(kind: str, n_trials: int, n_plans: int, *, dim: int = 6, n_asks: int = 30) -> Cost:
    """The cost of asks in a study with so many finished trials and plans."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    clock = Clock()
    with temporary(kind) as name, _without_the_model(clock):
        storage = open_storage(name)
        fill(storage, n_trials, n_plans, dim)
        study = optuna.load_study(
            study_name=STUDY, storage=storage, sampler=BKOPSampler(batch_size=WORKERS)
        )
        storage.get_all_trials = clock.timed("reads", storage.get_all_trials)  # type: ignore[method-assign]
        storage.set_trial_system_attr = clock.timed("writes", storage.set_trial_system_attr)  # type: ignore[method-assign]
        sampler: Any = study.sampler
        sampler.infer_relative_search_space = clock.timed(
            "asks", sampler.infer_relative_search_space
        )
        sampler.sample_relative = clock.timed("asks", sampler.sample_relative)

        def suggest(trial: optuna.Trial) -> float:
            return sum(trial.suggest_float(f"x{j}", 0.0, 1.0) for j in range(dim))

        running = []
        costs: list[dict[str, float]] = []
        for _ in range(WORKERS + n_asks):
            trial = study.ask()
            clock.seconds, clock.calls = {}, {}
            value = suggest(trial)
            costs.append({**clock.seconds, "n_reads": clock.calls["reads"]})
            running.append((trial, value))
            if len(running) == WORKERS:
                study.tell(*running.pop(0))
        close_storage(storage)
    costs = costs[WORKERS:]  # once warm

    def median(of: Callable[[dict[str, float]], float]) -> float:
        return round(1000 * statistics.median(map(of, costs)), 1)

    def protocol(cost: dict[str, float]) -> float:
        return cost["asks"] - cost["model"]

    return Cost(
        storage=kind,
        trials=n_trials,
        plans=n_plans,
        protocol=median(protocol),
        slowest=round(1000 * max(map(protocol, costs)), 1),
        cpu=median(lambda cost: cost["cpu asks"] - cost["cpu model"]),
        reads=median(lambda cost: cost["reads"]),
        n_reads=statistics.median(cost["n_reads"] for cost in costs),
        writes=median(lambda cost: cost["writes"]),
        own=median(lambda cost: protocol(cost) - cost["reads"] - cost["writes"]),
    )


@click.command()
@click.option(
    "--storage",
    "storages",
    multiple=True,
    default=("sqlite", "postgresql"),
    show_default=True,
    type=click.Choice(["sqlite", "postgresql", "mysql"]),
    help="Repeatable.",
)
@click.option(
    "--trials", "sizes", multiple=True, type=int, default=(1000, 10_000), show_default=True
)
@click.option("--asks", default=30, show_default=True, help="How many are measured.")
@click.option("--dim", default=6, show_default=True, help="Parameters.")
def main(storages: Sequence[str], sizes: Sequence[int], asks: int, dim: int) -> None:
    """Milliseconds per ask besides the model, without plans and with one in every trial."""
    rows = []
    for kind in storages:
        reason = missing(kind)
        if reason is not None:
            click.echo(f"{kind} is left out: {reason}", err=True)
            continue
        for n_trials in sizes:
            for n_plans in (0, n_trials):
                rows.append(measure(kind, n_trials, n_plans, dim=dim, n_asks=asks))
    if rows:
        click.echo(aligned(rows_of(rows)))


if __name__ == "__main__":
    main()
