"""Many workers with a fast objective: finished trials and cost of an ask, for several samplers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import optuna

from benchmarks.harness import samplers
from tests.support.model_guard import model_must_not_fail
from tests.support.storages import close_storage, open_storage, temporary
from tests.support.workers import CONTEXT, STUDY, n_finished, quadratic, suggest


@dataclass(frozen=True)
class Load:
    """What workers did in a given time.

    Attributes:
        storage: The kind of storage.
        workers: Number of processes.
        objective: Duration of an evaluation in seconds.
        sampler: The name of the sampler.
        finished: Number of finished trials.
        cpu: CPU seconds of a worker per ask, with everything from the ask to the last parameter.
        median: Median wall seconds of an ask.
        slow: 95 % quantile of the wall seconds of an ask.
        best: The smallest value found; the objective is a quadratic.
    """

    storage: str
    workers: int
    objective: float
    sampler: str
    finished: int
    cpu: float
    median: float
    slow: float
    best: float


def _work(name: str, sampler: str, dim: int, objective: float, pipe: Connection) -> None:
    optuna.logging.disable_default_handler()
    asks: list[tuple[float, float]] = []
    with model_must_not_fail():
        study = optuna.load_study(
            study_name=STUDY, storage=open_storage(name), sampler=samplers.make(sampler)
        )
        pipe.send("ready")
        end = time.monotonic() + pipe.recv()
        while time.monotonic() < end:
            cpu, wall = time.process_time(), time.monotonic()
            trial = study.ask()
            x = suggest(trial, dim)
            asks.append((time.process_time() - cpu, time.monotonic() - wall))
            time.sleep(objective)
            study.tell(trial, quadratic(x))
    pipe.send(asks)


def measure(
    kind: str,
    sampler: str,
    *,
    n_workers: int,
    objective: float,
    seconds: float,
    dim: int = 6,
) -> Load:
    """Let workers run for some seconds and count what they have finished.

    Args:
        kind: The kind of storage, as in the option `--storage`.
        sampler: A name or description of `benchmarks.harness.samplers`.
        n_workers: Number of processes.
        objective: Duration of an evaluation in seconds, during which the worker sleeps.
        seconds: Time after which no worker begins another trial.
        dim: Number of parameters.

    Raises:
        EOFError: When a worker ended with an exception, which it has printed.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with temporary(kind) as name:
        storage = open_storage(name)
        study = optuna.create_study(study_name=STUDY, storage=storage)
        pipes: list[Connection] = []
        processes: list[Any] = []
        for _ in range(n_workers):
            pipe, end = CONTEXT.Pipe()
            processes.append(
                CONTEXT.Process(
                    target=_work, args=(name, sampler, dim, objective, end), daemon=True
                )
            )
            processes[-1].start()
            end.close()  # so that a worker that dies ends the pipe
            pipes.append(pipe)
        for pipe in pipes:
            pipe.recv()
        for pipe in pipes:
            pipe.send(seconds)
        asks = np.array([ask for pipe in pipes for ask in pipe.recv()])  # (n, 2)
        for process in processes:
            process.join()
        finished, best = n_finished(study), study.best_value
        close_storage(storage)
    return Load(
        storage=kind,
        workers=n_workers,
        objective=objective,
        sampler=sampler,
        finished=finished,
        cpu=_short(asks[:, 0].mean()),
        median=_short(np.median(asks[:, 1])),
        slow=_short(np.quantile(asks[:, 1], 0.95)),
        best=_short(best),
    )


def _short(value: float) -> float:
    return float(f"{value:.2g}")
