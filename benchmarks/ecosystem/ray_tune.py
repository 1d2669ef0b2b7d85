"""Ray Tune: its `OptunaSearch` asks for several trials at once and tells them one by one."""

from __future__ import annotations

import math
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import optuna

from benchmarks.harness import samplers
from optuna_bkop._coordination.concurrency import concurrency
from optuna_bkop._coordination.records import batch_of

#: Seconds of a trial. Trials that end at once would not overlap.
_SECONDS = 0.5


@dataclass(frozen=True)
class TuneOutcome:
    """The outcome of one run of Ray Tune.

    A plan is a set of points that the sampler has chosen together.

    Attributes:
        sampler: Name of the sampler.
        run: Number of the run. Ray names the study of every run "optuna".
        complete: Number of trials that returned a value.
        at_once: Largest number of trials that were running when one of them began.
        distinct: Number of different points.
        planned: Number of trials that the sampler's model chose; 0 with samplers other than
            `BKOPSampler`.
        batches: Number of plans that the planned trials belong to.
        largest: Largest number of trials that belong to one plan.
        shared: Number of points that the first run of the same sampler has, too; 0 for that run.
        best: Smallest loss of a trial.
    """

    sampler: str
    run: int
    complete: int
    at_once: int
    distinct: int
    planned: int
    batches: int
    largest: int
    shared: int
    best: float


def tune_runs(
    sampler: str, *, n_runs: int, n_trials: int, at_once: int, seed: int | None
) -> list[TuneOutcome]:
    """Run Ray Tune on a mixed space of four parameters.

    Args:
        sampler: A name or description of `harness.samplers`.
        n_runs: Number of independent runs.
        n_trials: Number of trials of a run.
        at_once: Maximum number of trials that run in parallel.
        seed: Seed of the sampler, the same in all runs; None for no seed.
    """
    import ray

    ray.init(
        num_cpus=at_once, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True
    )
    runs = [_tune(samplers.make(sampler, seed=seed), n_trials, at_once) for _ in range(n_runs)]
    first = _points(runs[0])
    return [
        _outcome(sampler, number, trials, shared=len(first & _points(trials)) if number else 0)
        for number, trials in enumerate(runs)
    ]


def _tune(
    sampler: optuna.samplers.BaseSampler, n_trials: int, at_once: int
) -> list[optuna.trial.FrozenTrial]:
    from ray import tune
    from ray.tune.search.optuna import OptunaSearch

    search = OptunaSearch(sampler=sampler, metric="loss", mode="min")
    with tempfile.TemporaryDirectory() as folder:
        tuner = tune.Tuner(
            _trainable,
            param_space={
                "rate": tune.loguniform(1e-4, 1.0),
                "momentum": tune.uniform(0.0, 1.0),
                "width": tune.randint(1, 65),
                "activation": tune.choice(["relu", "tanh"]),
            },
            tune_config=tune.TuneConfig(
                search_alg=search,
                num_samples=n_trials,
                max_concurrent_trials=at_once,
                reuse_actors=True,  # starting a process takes far longer than a trial
            ),
            run_config=tune.RunConfig(storage_path=folder, verbose=0),
        )
        tuner.fit()
    trials: list[optuna.trial.FrozenTrial] = search._ot_study.get_trials()
    return trials


def _trainable(config: dict[str, Any]) -> dict[str, float]:
    """Return a loss with its minimum 0 at rate 0.01, momentum 0.7, width 32 and "tanh"."""
    loss = (math.log10(config["rate"]) + 2.0) ** 2 + 4.0 * (config["momentum"] - 0.7) ** 2
    time.sleep(_SECONDS)
    loss += ((config["width"] - 32) / 32.0) ** 2 + 0.5 * (config["activation"] == "relu")
    return {"loss": loss}


def _outcome(
    sampler: str, run: int, trials: list[optuna.trial.FrozenTrial], *, shared: int
) -> TuneOutcome:
    complete = [t for t in trials if t.state == optuna.trial.TrialState.COMPLETE]
    plans = Counter(name for t in trials if (name := batch_of(t)) is not None)
    return TuneOutcome(
        sampler=sampler,
        run=run,
        complete=len(complete),
        at_once=concurrency(complete),
        distinct=len(_points(trials)),
        planned=sum(plans.values()),
        batches=len(plans),
        largest=max(plans.values(), default=0),
        shared=shared,
        best=float(f"{min(t.values[0] for t in complete):.2g}"),
    )


def _points(trials: list[optuna.trial.FrozenTrial]) -> set[tuple[tuple[str, Any], ...]]:
    return {tuple(sorted(trial.params.items())) for trial in trials}
