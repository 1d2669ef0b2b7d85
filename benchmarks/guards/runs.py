"""One run: a sampler on a problem with bits or constraints, and the record of its best values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.guards.catalogue import problem
from benchmarks.harness import samplers
from benchmarks.harness.records import Cell, Record
from benchmarks.harness.runner import run_cell
from benchmarks.harness.schedule import Schedule, TimedOptimiser
from benchmarks.harness.studies import StudyOptimiser


@dataclass(frozen=True)
class GuardCell(Cell):
    """All that identifies a run.

    Attributes:
        problem: One of `catalogue.PROBLEMS`.
        q: Trials per round; 1 is sequential.
        startup: Number of initial trials.
        evaluations: Number of trials after the initial ones.
        seed: Seed of the problem and of the sampler.
    """

    problem: str
    q: int
    startup: int
    evaluations: int
    seed: int


def run(cell: GuardCell) -> Record:
    """Return the record of a run.

    Beside the cell and the versions it holds `improvements` (for each feasible trial that is
    better than all feasible ones before: its place in the order of tells, then its value),
    `feasible` (the number of feasible trials) and `cpu_per_point` (CPU seconds of ask, suggest and
    tell per trial after the initial ones).
    """
    return run_cell(cell, _measure)


def _measure(cell: GuardCell) -> Record:
    sampler = samplers.make(cell.sampler, seed=cell.seed, n_startup_trials=cell.startup)
    study = StudyOptimiser(sampler, problem(cell.problem, cell.seed), 1)
    optimiser = TimedOptimiser(study, cell.startup)
    improvements: list[list[float]] = []
    n_told = n_feasible = 0
    for batch in Schedule(cell.startup, cell.evaluations, cell.q).batches(optimiser):
        outcomes = [study.evaluate(suggestion) for suggestion in batch]
        for outcome in outcomes:
            n_told += 1
            n_feasible += outcome.is_feasible
            value = float(outcome.values[0])
            if outcome.is_feasible and (not improvements or value < improvements[-1][1]):
                improvements.append([n_told, value])
        optimiser.tell(batch, np.array([outcome.values for outcome in outcomes]))
    return {
        "improvements": [[place, float(f"{value:.10g}")] for place, value in improvements],
        "feasible": n_feasible,
        "cpu_per_point": float(f"{optimiser.cpu / max(cell.evaluations, 1):.4g}"),
    }
