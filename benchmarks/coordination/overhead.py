"""What an ask costs besides the model: reading, validating, publishing and checking.

A study with many finished trials is written, eight workers' trials run, and one of them at a time
is told and replaced by a new one. The time of the model is measured and subtracted. Of the rest,
reads and writes are Optuna's share, and what remains is this package's own.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import optuna

from benchmarks.coordination.filled_study import STUDY, fill
from optuna_bkop import BKOPSampler, _suggest
from tests.support.model_guard import model_must_not_fail
from tests.support.storages import close_storage, open_storage, temporary
from tests.support.workers import suggest

#: Number of trials that run in parallel.
WORKERS = 8


@dataclass(frozen=True)
class Overhead:
    """Milliseconds per ask. All are medians over asks, except `slowest`.

    Attributes:
        storage: The kind of storage.
        trials: Number of finished trials.
        plans: Number of finished trials that have published a plan, that is, points that were
            chosen together.
        protocol: The whole ask without the model.
        slowest: The largest `protocol` of all asks.
        cpu: The part of `protocol` that is CPU time of the worker; it waits for the storage
            during the rest.
        reads: The part of `protocol` in which Optuna reads trials.
        n_reads: Number of reads of trials (not milliseconds).
        writes: The part of `protocol` in which Optuna writes attributes.
        own: The part of `protocol` that is neither reads nor writes.
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
    """Adds up the seconds that functions take.

    Attributes:
        seconds: Name -> wall seconds; "cpu " and a name -> CPU seconds.
        calls: Name -> number of calls.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all seconds and calls."""
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, whose wall and CPU time is added up under a name."""

        @functools.wraps(function)
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


@contextmanager
def _timed_model(clock: Clock) -> Iterator[None]:
    """Add up the time of the model, that is of fits and of maximisations, as "model"."""
    with ExitStack() as stack:
        for name in ("fit_models", "choose_batch", "choose_nearby"):
            timed = clock.timed("model", getattr(_suggest, name))
            stack.enter_context(mock.patch.object(_suggest, name, timed))
        yield


def measure(kind: str, n_trials: int, n_plans: int, *, dim: int = 6, n_asks: int = 30) -> Overhead:
    """Measure asks in a study.

    Args:
        kind: The kind of storage, which must be relational: "sqlite", "postgresql" or "mysql".
        n_trials: Number of finished trials.
        n_plans: Number of finished trials that have published a plan.
        dim: Number of parameters.
        n_asks: Number of asks that are measured.

    Raises:
        ModelFailedError: When the sampler's model failed in an ask.
    """
    clock = Clock()
    with model_must_not_fail(), temporary(kind) as name, _timed_model(clock):
        storage = open_storage(name)
        fill(storage, n_trials, n_plans, dim, WORKERS)
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
        running = []
        costs: list[dict[str, float]] = []
        for _ in range(WORKERS + n_asks):
            trial = study.ask()
            clock.reset()
            value = sum(suggest(trial, dim))
            costs.append({**clock.seconds, "n_reads": clock.calls["reads"]})
            running.append((trial, value))
            if len(running) == WORKERS:
                study.tell(*running.pop(0))
        close_storage(storage)
    return _overhead(kind, n_trials, n_plans, costs[WORKERS:])  # the first asks fill caches


def _overhead(kind: str, n_trials: int, n_plans: int, costs: list[dict[str, float]]) -> Overhead:
    def median(part: Callable[[dict[str, float]], float]) -> float:
        return round(1000 * statistics.median(map(part, costs)), 1)

    def protocol(cost: dict[str, float]) -> float:
        return cost["asks"] - cost["model"]

    return Overhead(
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
