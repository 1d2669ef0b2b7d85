"""Workers in many processes that ask at the same time, in rounds, and then all tell."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from itertools import combinations
from multiprocessing.connection import Connection

import numpy as np
import optuna

from optuna_bkop import BKOPSampler
from tests.support.model_guard import model_must_not_fail
from tests.support.plans import is_joint
from tests.support.storages import close_storage, open_storage, temporary
from tests.support.workers import CONTEXT, STUDY, bowls, new_study, suggest

#: Rounds of startup trials of each sampler.
_STARTUP_ROUNDS = 2


def _sampler(name: str, dim: int, n_startup: int) -> optuna.samplers.BaseSampler:
    if name == "tpe":
        return optuna.samplers.TPESampler(n_startup_trials=n_startup)
    if name == "tpe-liar":
        return optuna.samplers.TPESampler(
            n_startup_trials=n_startup, multivariate=True, constant_liar=True
        )
    if name == "gp":
        return optuna.samplers.GPSampler(n_startup_trials=n_startup)
    space = {f"x{j}": optuna.distributions.FloatDistribution(0.0, 1.0) for j in range(dim)}
    return BKOPSampler(n_startup_trials=n_startup, search_space=space)


def _ask_in_rounds(
    storage: str, sampler: str, dim: int, n_objectives: int, n_startup: int, pipe: Connection
) -> None:
    optuna.logging.disable_default_handler()
    with model_must_not_fail():
        study = optuna.load_study(
            study_name=STUDY,
            storage=open_storage(storage),
            sampler=_sampler(sampler, dim, n_startup),
        )
        pipe.send("ready")
        while pipe.recv():
            trial = study.ask()
            x = suggest(trial, dim)
            pipe.send((trial.number, x))
            pipe.recv()
            study.tell(trial, bowls(x, n_objectives))
            pipe.send("told")


@dataclass(frozen=True)
class RoundsOutcome:
    """What the rounds after the startup looked like. Distances are between points of one round.

    Attributes:
        sampler: The name of the sampler.
        storage: The kind of storage.
        rounds: Number of rounds.
        joint: Number of rounds whose points all belong to one published plan.
        first_mean: Mean distance in the first round.
        first_min: Smallest distance in the first round.
        mean: Median over all rounds of their mean distance.
        min: Median over all rounds of their smallest distance.
        best: The best value of all rounds, of the first objective.
    """

    sampler: str
    storage: str
    rounds: int
    joint: int
    first_mean: float
    first_min: float
    mean: float
    min: float
    best: float


def run_rounds(
    kind: str,
    sampler: str = "bkop",
    *,
    n_workers: int = 8,
    n_rounds: int = 20,
    dim: int = 2,
    n_objectives: int = 1,
    jitter: float = 0.3,
    n_startup_rounds: int = 3,
) -> RoundsOutcome:
    """Let all workers ask at about the same time, and tell once all have asked.

    Args:
        kind: The kind of storage.
        sampler: "bkop", "tpe", "tpe-liar" (multivariate, constant liar) or "gp".
        n_workers: Number of processes.
        n_rounds: Number of rounds that are reported.
        dim: Number of parameters.
        n_objectives: Number of objectives.
        jitter: The asks of one round begin within this many seconds, in random order.
        n_startup_rounds: Number of rounds before those that are reported; two of them are the
            samplers' startup.

    Raises:
        EOFError: When a worker ended with an exception, which it has printed.
    """
    rng = random.Random(0)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with temporary(kind) as name:
        storage = open_storage(name)
        study = new_study(storage, n_objectives)
        pipes, workers = [], []
        for _ in range(n_workers):
            pipe, end = CONTEXT.Pipe()
            args = (name, sampler, dim, n_objectives, _STARTUP_ROUNDS * n_workers, end)
            workers.append(CONTEXT.Process(target=_ask_in_rounds, args=args, daemon=True))
            workers[-1].start()
            end.close()  # so that a worker that dies ends the pipe
            pipes.append(pipe)
        for pipe in pipes:
            pipe.recv()
        rounds: list[list[tuple[int, list[float]]]] = []
        for _ in range(n_startup_rounds + n_rounds):
            for pipe in rng.sample(pipes, len(pipes)):
                time.sleep(rng.random() * jitter / n_workers)
                pipe.send(True)
            rounds.append([pipe.recv() for pipe in pipes])
            for pipe in pipes:
                pipe.send(True)
            for pipe in pipes:
                pipe.recv()
        for pipe in pipes:
            pipe.send(False)
        for worker in workers:
            worker.join()
        trials = study.get_trials(deepcopy=False)
        best = min(trial.values[0] for trial in trials)
        close_storage(storage)
    rounds = rounds[n_startup_rounds:]
    distances = np.array(
        [
            [np.linalg.norm(np.subtract(x, y)) for (_, x), (_, y) in combinations(one, 2)]
            for one in rounds
        ]
    )
    means, smallest = distances.mean(axis=1), distances.min(axis=1)
    return RoundsOutcome(
        sampler=sampler,
        storage=kind,
        rounds=len(rounds),
        joint=sum(is_joint(trials, [number for number, _ in one], dim) for one in rounds),
        first_mean=_short(means[0]),
        first_min=_short(smallest[0]),
        mean=_short(np.median(means)),
        min=_short(np.median(smallest)),
        best=_short(best),
    )


def _short(value: float) -> float:
    return float(f"{value:.2g}")
