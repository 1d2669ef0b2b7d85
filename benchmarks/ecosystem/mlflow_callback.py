"""MLflow: Optuna's callback writes every trial of a study as a run, also from several threads."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import optuna

from benchmarks.harness import samplers
from optuna_bkop._coordination.records import batch_of


@dataclass(frozen=True)
class TrackingOutcome:
    """The outcome of one study that MLflow tracks.

    Attributes:
        sampler: Name of the sampler.
        trials: Number of trials.
        runs: Number of MLflow's runs.
        equal: Number of trials that have exactly one run, with the same parameters and value.
        planned: Number of trials that the sampler's model chose; 0 with samplers other than
            `BKOPSampler`.
        best: Smallest value of a trial.
    """

    sampler: str
    trials: int
    runs: int
    equal: int
    planned: int
    best: float


def track(sampler: str, *, n_trials: int, n_jobs: int, seed: int | None) -> TrackingOutcome:
    """Run a study in which every trial becomes a run of MLflow, in a temporary database.

    Half of the trials end in a first call of `optimize`, the others in a second one, as when a
    study is resumed.

    Args:
        sampler: A name or description of `harness.samplers`.
        n_trials: Number of trials.
        n_jobs: Number of threads.
        seed: Seed of the sampler; None for no seed.
    """
    from mlflow.tracking import MlflowClient
    from optuna_integration.mlflow import MLflowCallback

    with tempfile.TemporaryDirectory() as folder:
        uri = f"sqlite:///{Path(folder) / 'mlflow.db'}"
        callback = MLflowCallback(tracking_uri=uri, metric_name="loss")
        study = optuna.create_study(
            study_name="tracked", sampler=samplers.make(sampler, seed=seed)
        )
        for share in (n_trials // 2, n_trials - n_trials // 2):
            study.optimize(_objective, n_trials=share, n_jobs=n_jobs, callbacks=[callback])
        client = MlflowClient(uri)
        experiment = client.get_experiment_by_name("tracked")
        runs = client.search_runs([experiment.experiment_id], max_results=2 * n_trials)
    recorded = [(r.info.run_name, r.data.params, r.data.metrics) for r in runs]
    expected = [
        (str(t.number), {k: str(v) for k, v in t.params.items()}, {"loss": t.values[0]})
        for t in study.trials
    ]
    return TrackingOutcome(
        sampler=sampler,
        trials=len(expected),
        runs=len(recorded),
        equal=sum(recorded.count(run) == 1 for run in expected),
        planned=sum(batch_of(t) is not None for t in study.trials),
        best=float(f"{study.best_value:.2g}"),
    )


def _objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -1.0, 1.0)
    n = trial.suggest_int("n", 1, 9)
    c = trial.suggest_categorical("c", ["a", "b"])
    return (x - 0.3) ** 2 + ((n - 4) / 8.0) ** 2 + 0.5 * (c == "b")
