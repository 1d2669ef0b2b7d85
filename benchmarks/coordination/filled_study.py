"""A large study in a relational database, written at once instead of trial by trial."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import numpy as np
import optuna
from optuna.distributions import FloatDistribution, distribution_to_json
from optuna.storages import BaseStorage
from optuna.storages._rdb import models
from optuna.trial import TrialState
from sqlalchemy import insert

from optuna_bkop import BKOPSampler
from optuna_bkop._coordination.records import KEY, pack
from tests.support.workers import suggest

STUDY = "filled"


def fill(storage: BaseStorage, n_trials: int, n_plans: int, dim: int, batch_size: int) -> None:
    """Write a study with finished trials at random points.

    Args:
        storage: An `RDBStorage`.
        n_trials: Number of finished trials.
        n_plans: Number of trials, the last ones, that have published a plan, that is, points that
            were chosen together.
        dim: Number of parameters.
        batch_size: Number of points of a plan.
    """
    study_id = storage.create_new_study([optuna.study.StudyDirection.MINIMIZE], STUDY)
    X = np.random.default_rng(0).random((n_trials, dim))
    values = ((X - 0.5) ** 2).sum(axis=1).tolist()
    distribution = distribution_to_json(FloatDistribution(0.0, 1.0))
    begun = datetime.now().replace(microsecond=0) - timedelta(seconds=n_trials)
    published = _published(dim, batch_size)
    engine = storage._backend.engine  # type: ignore[attr-defined]
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
                for i, value in enumerate(values)
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
                    {
                        "trial_id": first + i,
                        "key": key,
                        "value_json": json.dumps(_of_trial(value, i)),
                    }
                    for i in range(n_trials - n_plans, n_trials)
                    for key, value in published.items()
                ],
            )


def _published(dim: int, batch_size: int) -> dict[str, str]:
    """Return the attributes of a trial that has published a plan."""
    sampler = BKOPSampler(n_startup_trials=2, batch_size=batch_size, seed=0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: sum(suggest(trial, dim)), n_trials=3)
    attributes = study.trials[-1].system_attrs
    return {k: v for k, v in attributes.items() if k.partition(":")[0] == KEY}


def _of_trial(part: str, number: int) -> str:
    """Return a part of a record as the trial with this number would have published it."""
    head, numbers = part.split("\n")
    return pack({**json.loads(head), "number": number}, json.loads(numbers))
