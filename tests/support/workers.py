"""The study that worker processes share, and how such processes are started."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Sequence

import optuna
from optuna.storages import BaseStorage
from optuna.study import StudyDirection
from optuna.trial import TrialState

STUDY = "workers"
if sys.platform == "win32":
    CONTEXT = multiprocessing.get_context("spawn")  # Windows cannot fork
else:
    # Workers are forked from a server process that has imported everything and opened nothing: a
    # start takes milliseconds, and no connection is shared by accident.
    CONTEXT = multiprocessing.get_context("forkserver")
    CONTEXT.set_forkserver_preload(
        ["tests.support.kills", "tests.support.rounds", "cma", "sqlalchemy.orm"]
    )


def quadratic(x: Sequence[float]) -> float:
    """Return the value to minimise: a bowl with its minimum at (0.3, 0.4, 0.5, ...)."""
    return sum((x_j - 0.3 - 0.1 * j) ** 2 for j, x_j in enumerate(x))


def bowls(x: Sequence[float], n_objectives: int) -> list[float]:
    """Return the values to minimise: `quadratic`, and the same bowl around other centres."""
    return [quadratic([x_j - 0.2 * k for x_j in x]) for k in range(n_objectives)]


def new_study(storage: BaseStorage, n_objectives: int) -> optuna.Study:
    """Create the study that workers share."""
    directions = [StudyDirection.MINIMIZE] * n_objectives
    return optuna.create_study(study_name=STUDY, storage=storage, directions=directions)


def suggest(trial: optuna.Trial, dim: int) -> list[float]:
    """Return the trial's `dim` parameters, each in [0, 1]."""
    return [trial.suggest_float(f"x{j}", 0.0, 1.0) for j in range(dim)]


def n_finished(study: optuna.Study) -> int:
    """Return the number of completed trials."""
    return sum(t.state == TrialState.COMPLETE for t in study.get_trials(deepcopy=False))
