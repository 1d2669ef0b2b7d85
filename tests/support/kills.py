"""Workers in many processes on one study, killed at random and replaced."""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import optuna

from optuna_bkop import BKOPSampler
from tests.support.model_guard import model_must_not_fail
from tests.support.plans import n_broken, n_equal
from tests.support.storages import close_storage, open_storage, temporary
from tests.support.workers import CONTEXT, STUDY, bowls, n_finished, new_study, suggest

#: Seconds that a worker may take for its last trial after enough have finished.
_LAST_TRIAL_SECONDS = 60.0
#: The exit code of a worker that was killed. Windows has no SIGKILL and terminates it.
_KILLED = -getattr(signal, "SIGKILL", signal.SIGTERM)


@dataclass(frozen=True)
class Task:
    """What a worker does.

    Attributes:
        storage: The name of the storage.
        n_trials: The worker stops when the study has this many finished trials.
        dim: Number of parameters.
        n_objectives: Number of objectives.
        seconds: Mean duration of an evaluation, which takes 0.5 to 1.5 times as long.
        errors: Folder into which a worker writes the traceback of an exception.
        options: Arguments of the sampler.
    """

    storage: str
    n_trials: int
    dim: int
    n_objectives: int
    seconds: float
    errors: Path
    options: dict[str, Any]


def _work(task: Task) -> None:
    optuna.logging.disable_default_handler()
    rng = random.Random()
    main = parent_process()
    try:
        with model_must_not_fail():
            study = optuna.load_study(
                study_name=STUDY,
                storage=open_storage(task.storage),
                sampler=BKOPSampler(**task.options),
            )
            while main and main.is_alive() and n_finished(study) < task.n_trials:
                trial = study.ask()
                x = suggest(trial, task.dim)
                time.sleep(task.seconds * rng.uniform(0.5, 1.5))
                study.tell(trial, bowls(x, task.n_objectives))
    except Exception:
        (task.errors / f"{os.getpid()}.txt").write_text(traceback.format_exc())
        raise


def _start(task: Task) -> Any:
    process = CONTEXT.Process(target=_work, args=(task,), daemon=True)
    process.start()
    return process


@dataclass(frozen=True)
class KillOutcome:
    """The state of a study whose workers were killed.

    Attributes:
        storage: The kind of storage.
        finished: Number of finished trials.
        begun: Number of trials, including those of killed workers.
        kills: Number of killed workers.
        seconds: Duration of the whole run.
        gap_free: Whether the trials are numbered 0, 1, 2, ...
        equal_params: Number of trials that repeat the parameters of an earlier one.
        exceptions: Number of workers that ended with an exception.
        broken: Number of attributes that are malformed or too long.
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
    n_objectives: int = 1,
    seconds: float = 0.2,
    seed: int = 0,
    timeout: float = 1800.0,
    **options: Any,
) -> KillOutcome:
    """Run workers, killing and replacing a random one repeatedly, until enough trials finished.

    Args:
        kind: The kind of storage.
        n_workers: Number of workers that run in parallel.
        n_trials: Number of trials to finish.
        every: Seconds between kills.
        kill_at: If given, a worker is killed each time the number of finished trials reaches one
            of these numbers, instead of every few seconds.
        dim: Number of parameters.
        n_objectives: Number of objectives.
        seconds: Mean duration of an evaluation.
        seed: Seed of the choice of workers to kill.
        timeout: Seconds after which the run ends even if too few trials have finished.
        options: Arguments of the sampler.
    """
    rng = random.Random(seed)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with temporary(kind) as name, tempfile.TemporaryDirectory() as folder:
        storage = open_storage(name)
        study = new_study(storage, n_objectives)
        task = Task(name, n_trials, dim, n_objectives, seconds, Path(folder), options)
        begun, kills, failures = time.monotonic(), 0, 0
        workers = [_start(task) for _ in range(n_workers)]
        last_kill = begun
        while (n_done := n_finished(study)) < n_trials:
            now = time.monotonic()
            if now - begun > timeout:
                break
            if kill_at is not None:
                is_due = kills < len(kill_at) and n_done >= kill_at[kills]
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
            failures += workers[index].exitcode not in (0, _KILLED)
            workers[index] = _start(task)
        for worker in workers:
            worker.join(_LAST_TRIAL_SECONDS)
            if worker.is_alive():
                worker.kill()
                worker.join()
            failures += worker.exitcode != 0
        for path in sorted(Path(folder).glob("*.txt")):
            print(f"{kind}: {path.read_text()}", file=sys.stderr)  # noqa: T201
        trials = study.get_trials(deepcopy=False)
        outcome = KillOutcome(
            storage=kind,
            finished=n_finished(study),
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
