"""CPU seconds per point of samplers in studies of a given size."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import samplers
from benchmarks.harness.studies import Problem, StudyOptimiser
from benchmarks.objectives.catalogue import problem
from benchmarks.objectives.references import Reference


@dataclass(frozen=True)
class Cost:
    """The cost of one round.

    Attributes:
        sampler: A name or description of `benchmarks.harness.samplers`.
        problem: The name of the problem.
        m: Number of objectives.
        trials: Number of trials before the round.
        cpu_per_point: CPU seconds per trial of the round, evaluations included.
    """

    sampler: str
    problem: str
    m: int
    trials: int
    cpu_per_point: float


def cost(sampler: str, name: str, reference: Reference, trials: int, q: int) -> Cost:
    """Measure the second of two rounds of q trials, after random trials.

    The first round imports modules and reads all trials for the first time. It is the last q of
    the ``trials`` before the measured round, which are rounded down to a multiple of q.
    """
    found, n_objectives = problem(name), len(reference.point)
    study = StudyOptimiser(samplers.make("random", seed=0), found, n_objectives)
    for _ in range(trials // q - 1):  # all in rounds: a sampler may count what runs at once
        _round(study, found, q)
    study.use(samplers.make(sampler, seed=0, n_startup_trials=q))
    _round(study, found, q)
    start = time.process_time()
    _round(study, found, q)
    seconds = time.process_time() - start
    return Cost(sampler, name, n_objectives, trials, float(f"{seconds / q:.3g}"))


def _round(study: StudyOptimiser, found: Problem, count: int) -> None:
    batch = study.ask(count)
    values = [found.shown(found.evaluate(one.token.params).values) for one in batch]
    study.tell(batch, np.array(values))
