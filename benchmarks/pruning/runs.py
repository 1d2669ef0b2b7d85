"""One run: a sampler and a pruner on an objective with learning curves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import optuna
from optuna import pruners

from benchmarks.harness import samplers
from benchmarks.harness.records import Cell, Record
from benchmarks.harness.runner import run_cell
from benchmarks.pruning.curves import N_STEPS, OBJECTIVES, Finished
from optuna_bkop._coordination.records import batch_of

PRUNERS: dict[str, Callable[[], pruners.BasePruner]] = {
    "median": pruners.MedianPruner,
    "percentile": lambda: pruners.PercentilePruner(25.0),
    "halving": pruners.SuccessiveHalvingPruner,
    "hyperband": lambda: pruners.HyperbandPruner(min_resource=1, max_resource=N_STEPS),
    "wilcoxon": pruners.WilcoxonPruner,
    "patient": lambda: pruners.PatientPruner(pruners.MedianPruner(), patience=2),
}
#: What the objective returns: the last report, the best one, or another metric.
RETURNED = ("last", "best", "other")


@dataclass(frozen=True)
class PruningCell(Cell):
    """All that identifies a run: the sampler (see `Cell`) and the following fields.

    Attributes:
        objective: A key of `OBJECTIVES`.
        pruner: A key of `PRUNERS`.
        returned: What a trial returns to the sampler: "last" (its last report; for the objective
            "instances", the mean of its reports), "best" (its smallest report) or "other" (another
            metric).
        trials: Number of trials.
        seed: Seed of the sampler and of the objective.
    """

    objective: str
    pruner: str
    returned: str
    trials: int
    seed: int


def run(cell: PruningCell) -> Record:
    """Return the record of a run.

    Besides the cell and the versions it holds `final` (the `loss` of the trial with the smallest
    returned value, among trials that were not pruned), `n_complete` (number of trials that were
    not pruned), `first_planned` (number of the first trial that BKOPSampler's model chose; None if
    there is none) and `cpu_per_point` (CPU seconds per trial, including the objective).
    """
    return run_cell(cell, _measure)


def _measure(cell: PruningCell) -> Record:
    sampler = samplers.make(cell.sampler, seed=cell.seed)
    # Hyperband's brackets follow from the name.
    study = optuna.create_study(
        sampler=sampler,
        pruner=PRUNERS[cell.pruner](),
        study_name=f"{cell.objective} {cell.pruner} {cell.seed}",
    )
    losses: dict[int, float] = {}

    def objective(trial: optuna.Trial) -> float:
        reports: list[float] = []
        for report in OBJECTIVES[cell.objective](trial, cell.seed):
            if isinstance(report, Finished):
                losses[trial.number] = report.loss
                last = np.mean(reports) if cell.objective == "instances" else reports[-1]
                returned = {"last": last, "best": min(reports), "other": report.other}
                return float(returned[cell.returned])
            reports.append(report)
            trial.report(report, len(reports) - 1)
            if trial.should_prune():
                raise optuna.TrialPruned
        raise ValueError(f"The curve of {cell.objective} has no end.")

    start = time.process_time()
    study.optimize(objective, n_trials=cell.trials)
    seconds = time.process_time() - start
    planned = [trial.number for trial in study.trials if batch_of(trial) is not None]
    return {
        "final": float(f"{losses[study.best_trial.number]:.7g}"),
        "n_complete": len(losses),
        "first_planned": planned[0] if planned else None,
        "cpu_per_point": float(f"{seconds / cell.trials:.4g}"),
    }
