"""One run: a sampler on a problem with several objectives, and the record of its front."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata

import numpy as np

from benchmarks.harness import samplers
from benchmarks.harness.generators import generator
from benchmarks.harness.records import Cell, Record
from benchmarks.harness.runner import run_cell
from benchmarks.harness.schedule import Schedule, TimedOptimiser
from benchmarks.harness.studies import Outcome, StudyOptimiser
from benchmarks.objectives.catalogue import problem
from benchmarks.objectives.fronts import entrants
from benchmarks.objectives.references import REFERENCES, load_references, reference_for


@dataclass(frozen=True)
class ObjectivesCell(Cell):
    """All that identifies a run: the sampler (see `Cell`), the problem, the sizes and the seed.

    Attributes:
        problem: One of `catalogue.PROBLEMS`.
        q: Trials per round; 1 is sequential.
        startup: Number of initial trials.
        evaluations: Number of trials after the initial ones.
        seed: Seed of the problem and of the sampler.
        noise: Standard deviation of the noise of each objective, divided by its extent on the
            reference front.
    """

    problem: str
    q: int
    startup: int
    evaluations: int
    seed: int
    noise: float


def run(cell: ObjectivesCell) -> Record:
    """Return the record of a run.

    Besides the cell and the versions it holds `entrants` (for each feasible trial that no earlier
    feasible trial dominates or equals: its place in the order of tells, counted from 1, then its
    noise-free values), `feasible` (the number of feasible trials) and `cpu_per_point` (CPU seconds
    of ask, suggest and tell per trial after the initial ones).
    """
    record = run_cell(cell, _measure)
    for package in ("pymoo", "scikit-learn"):
        record["versions"][package] = metadata.version(package)
    return record


def _measure(cell: ObjectivesCell) -> Record:
    reference = reference_for(load_references(REFERENCES), cell.problem)
    found = problem(cell.problem, cell.seed)
    sampler = samplers.make(cell.sampler, seed=cell.seed, n_startup_trials=cell.startup)
    study = StudyOptimiser(sampler, found, len(reference.point))
    optimiser = TimedOptimiser(study, cell.startup)
    rng = generator(cell.seed, cell.problem, "noise")
    outcomes: list[Outcome] = []
    for batch in Schedule(cell.startup, cell.evaluations, cell.q).batches(optimiser):
        told = []
        for suggestion in batch:
            outcome = study.evaluate(suggestion)
            noise = cell.noise * reference.extent * rng.standard_normal(len(outcome.values))
            told.append(found.shown(outcome.values + noise))
            outcomes.append(outcome)
        optimiser.tell(batch, np.array(told))
    feasible = [k for k, outcome in enumerate(outcomes) if outcome.is_feasible]
    values = np.array([outcomes[k].values for k in feasible]).reshape(len(feasible), -1)
    return {
        "entrants": [
            [feasible[row] + 1, *(float(f"{value:.6g}") for value in values[row])]
            for row in entrants(values)
        ],
        "feasible": len(feasible),
        "cpu_per_point": float(f"{optimiser.cpu / max(cell.evaluations, 1):.4g}"),
    }
