"""Workers in many processes on one study: killed at random, or asking in rounds."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from itertools import combinations
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click
import numpy as np
import optuna
from optuna.trial import FrozenTrial, TrialState

from benchmarks.storages import close_storage, open_storage, temporary
from optuna_bkop import BKOPSampler, _plan

STUDY = "chaos"
#: Longer values do not fit into every storage.
_MAX_CHARACTERS = 2045
#: Workers begin as copies of a process that has imported everything and opened nothing.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["benchmarks.workers", "cma", "sqlalchemy.orm"])


def _quadratic(x: Sequence[float]) -> float:
    return sum((x_j - 0.3 - 0.1 * j) ** 2 for j, x_j in enumerate(x))


def _suggest(trial: optuna.Trial, dim: int) -> list[float]:
    return [trial.suggest_float(f"x{j}", 0.0, 1.0) for j in range(dim)]


@dataclass(frozen=True)
class Task:
    """What a worker does.

    Attributes:
        storage: The name of the storage.
        n_trials: When so many trials are finished, it stops.
        dim: Number of parameters.
        seconds: An evaluation takes from a half to one and a half of this.
        errors: A folder for what goes wrong.
        options: Of the sampler.
    """

    storage: str
    n_trials: int
    dim: int
    seconds: float
    errors: Path
    options: dict[str, Any]


def _work(task: Task) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rng = random.Random()
    main = multiprocessing.parent_process()
    try:
        study = optuna.load_study(
            study_name=STUDY,
            storage=open_storage(task.storage),
            sampler=BKOPSampler(**task.options),
        )
        while main and main.is_alive() and _n_finished(study) < task.n_trials:
            trial = study.ask()
            x = _suggest(trial, task.dim)
            time.sleep(task.seconds * rng.uniform(0.5, 1.5))
            study.tell(trial, _quadratic(x))
    except Exception:
        (task.errors / f"{os.getpid()}.txt").write_text(traceback.format_exc())
        raise


def _n_finished(study: optuna.Study) -> int:
    return sum(t.state == TrialState.COMPLETE for t in study.get_trials(deepcopy=False))


@dataclass(frozen=True)
class Outcome:
    """What became of a study whose workers were killed; a row of the table.

    Attributes:
        storage: The kind of storage.
        finished: Trials.
        begun: Trials, those of killed workers included.
        kills: How many.
        seconds: How long all took.
        gap_free: Whether the trials' numbers are 0, 1, 2, ...
        equal_params: Pairs of trials with equal parameters.
        exceptions: Workers that ended by one.
        broken: Attributes that are not well formed or too long.
    """

    storage: str
    finished: int
    begun: int
    kills: int
    seconds: int
    gap_free: bool
    equal_params: int
    exceptions: int
    broken: int

    @property
    def is_good(self) -> bool:
        """Whether nothing was lost and nothing went wrong."""
        return self.gap_free and not (self.equal_params or self.exceptions or self.broken)


def kill_workers(
    kind: str,
    *,
    n_workers: int = 8,
    n_trials: int = 400,
    every: float = 2.0,
    kill_at: Sequence[int] | None = None,
    dim: int = 4,
    seconds: float = 0.2,
    seed: int = 0,
    timeout: float = 1800.0,
    **options: Any,
) -> Outcome:
    """Run workers, kill a random one now and again and replace it, until enough is finished.

    Args:
        kind: The kind of storage.
        n_workers: How many run at once.
        n_trials: How many trials to finish.
        every: Seconds between kills.
        kill_at: Kill instead whenever so many trials are finished.
        dim: See `Task`.
        seconds: See `Task`.
        seed: Of the choice of victims.
        timeout: Seconds after which the study is judged as it is.
        options: Of the sampler.
    """
    rng = random.Random(seed)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with temporary(kind) as name, tempfile.TemporaryDirectory() as folder:
        storage = open_storage(name)
        study = optuna.create_study(study_name=STUDY, storage=storage)
        task = Task(name, n_trials, dim, seconds, Path(folder), options)

        def begin() -> Any:
            process = _CONTEXT.Process(target=_work, args=(task,), daemon=True)
            process.start()
            return process

        begun, kills, failures = time.monotonic(), 0, 0
        workers = [begin() for _ in range(n_workers)]
        last_kill = begun
        while (n_finished := _n_finished(study)) < n_trials:
            now = time.monotonic()
            if now - begun > timeout:
                break
            if kill_at is not None:
                is_due = kills < len(kill_at) and n_finished >= kill_at[kills]
            else:
                is_due = now - last_kill >= every
            if not is_due:
                time.sleep(0.05)
                continue
            last_kill = now
            index = rng.randrange(n_workers)
            if workers[index].is_alive():
                workers[index].kill()
                kills += 1
            workers[index].join()
            failures += workers[index].exitcode not in (0, -signal.SIGKILL)
            workers[index] = begin()
        for worker in workers:
            worker.join(60.0)
            if worker.is_alive():
                worker.kill()
                worker.join()
            failures += worker.exitcode != 0
        trials = study.get_trials(deepcopy=False)
        for path in sorted(Path(folder).glob("*.txt")):
            click.echo(f"{kind}: {path.read_text()}", err=True)
        outcome = Outcome(
            storage=kind,
            finished=_n_finished(study),
            begun=len(trials),
            kills=kills,
            seconds=round(time.monotonic() - begun),
            gap_free=[t.number for t in trials] == list(range(len(trials))),
            equal_params=n_equal(trials, dim),
            exceptions=failures,
            broken=sum(n_broken(trial, dim) for trial in trials),
        )
        close_storage(storage)
    return outcome


def n_equal(trials: Sequence[FrozenTrial], dim: int) -> int:
    """Trials, of whatever state, that have the parameters of an earlier one."""
    params = [tuple(sorted(t.params.items())) for t in trials if len(t.params) == dim]
    return len(params) - len(set(params))


def n_broken(trial: FrozenTrial, dim: int) -> int:
    """Attributes of a trial that are too long, or say to be complete and are not."""
    own = {k: v for k, v in trial.system_attrs.items() if k.partition(":")[0] == _plan.KEY}
    broken = sum(len(json.dumps(value)) >= _MAX_CHARACTERS for value in own.values())
    return broken + (_plan.KEY in own and _entry(trial, dim) is None)


def _entry(trial: FrozenTrial, dim: int) -> _plan.Entry | None:
    head = trial.system_attrs.get(_plan.KEY, {})
    return _plan.read_entry(trial, _plan.Space(head.get("space", ""), dim))


def _ask_in_rounds(storage: str, sampler: str, dim: int, pipe: Connection) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(
        study_name=STUDY, storage=open_storage(storage), sampler=_sampler(sampler, dim)
    )
    pipe.send("ready")
    while pipe.recv():
        trial = study.ask()
        x = _suggest(trial, dim)
        pipe.send((trial.number, x))
        pipe.recv()
        study.tell(trial, _quadratic(x))
        pipe.send("told")


def _sampler(name: str, dim: int) -> optuna.samplers.BaseSampler:
    if name == "tpe":
        return optuna.samplers.TPESampler(n_startup_trials=16)
    if name == "tpe-liar":
        return optuna.samplers.TPESampler(
            n_startup_trials=16, multivariate=True, constant_liar=True
        )
    if name == "gp":
        return optuna.samplers.GPSampler(n_startup_trials=16)
    space = {f"x{j}": optuna.distributions.FloatDistribution(0.0, 1.0) for j in range(dim)}
    return BKOPSampler(n_startup_trials=16, search_space=space)


@dataclass(frozen=True)
class Rounds:
    """What rounds looked like; a row of the table.

    Attributes:
        sampler: Its name.
        storage: The kind of storage.
        rounds: How many, after the startup.
        joint: In how many all points are of one published plan.
        first_mean: The mean distance of two points in the first of these rounds.
        first_min: The smallest there.
        mean: The median over all rounds of their mean distance.
        min: The median of their smallest distance.
        best: The best value.
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
    jitter: float = 0.3,
    n_startup_rounds: int = 3,
) -> Rounds:
    """Let workers ask at once, up to ``jitter`` seconds apart, and tell when all have asked."""
    rng = random.Random(0)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with temporary(kind) as name:
        storage = open_storage(name)
        study = optuna.create_study(study_name=STUDY, storage=storage)
        pipes, workers = [], []
        for _ in range(n_workers):
            pipe, end = _CONTEXT.Pipe()
            args = (name, sampler, dim, end)
            workers.append(_CONTEXT.Process(target=_ask_in_rounds, args=args, daemon=True))
            workers[-1].start()
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
        best = study.best_value
        close_storage(storage)
    rounds = rounds[n_startup_rounds:]
    gaps = np.array(
        [
            [np.linalg.norm(np.subtract(x, y)) for (_, x), (_, y) in combinations(one, 2)]
            for one in rounds
        ]
    )
    means, smallest = gaps.mean(axis=1), gaps.min(axis=1)
    return Rounds(
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


def is_joint(trials: Sequence[FrozenTrial], numbers: Sequence[int], dim: int) -> bool:
    """Whether the points of some trials are all of one published plan, and differ."""
    entries = {trial.number: entry for trial in trials if (entry := _entry(trial, dim))}
    taken = {entries[number].point for number in numbers if number in entries}
    if len(taken) < len(numbers) or len({entries[number].of for number in numbers}) > 1:
        return False
    return any(taken <= set(entry.plan) for entry in entries.values())


def rows_of(rows: Sequence[Any]) -> list[list[str]]:
    """A table of dataclasses, a row each."""
    names = [field.name for field in fields(rows[0])]
    return [names, *([str(value) for value in astuple(row)] for row in rows)]
