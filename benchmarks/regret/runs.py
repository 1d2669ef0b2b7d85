"""One run: a sampler on a test function, and the record of its regret."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.harness import samplers
from benchmarks.harness.asktell import initial_points
from benchmarks.harness.records import Cell, Record
from benchmarks.harness.runner import run_cell
from benchmarks.harness.schedule import Schedule, TimedOptimiser
from benchmarks.regret import bbob
from benchmarks.regret.landscape import Landscape
from benchmarks.regret.problems import Problem


@dataclass(frozen=True)
class RegretCell(Cell):
    """All that identifies a run.

    Attributes:
        function: Name of the test function.
        dim: Number of parameters.
        q: Points per round; 1 is sequential.
        workers: Number of simulated asynchronous workers, or 0 for rounds of `q`.
        startup: Number of initial points.
        evaluations: Number of points after the initial ones.
        seed: Seed of the problem and of the sampler; the instance of a function of BBOB.
        shift: Whether the optimum is at a random point; always so in BBOB.
        rotate: Whether the function is rotated; without effect in BBOB.
        noise: Standard deviation of the noise; see `Problem`.
        offset: Constant added to all values.
        own_startup: Whether the sampler chooses its initial points; otherwise all samplers are
            given the same Sobol' points.
    """

    function: str
    dim: int
    q: int
    workers: int
    startup: int
    evaluations: int
    seed: int
    shift: bool
    rotate: bool
    noise: float
    offset: float
    own_startup: bool


def run(cell: RegretCell) -> Record:
    """Return the record of a run.

    Beside the cell and the versions it holds `regret` (the smallest noise-free regret so far after
    each evaluation, in the order in which values are told), `final` (the last of them) and
    `cpu_per_point` (CPU seconds of ask and tell per point after the initial ones).
    """
    return run_cell(cell, _measure)


def _problem_of(cell: RegretCell) -> Landscape:
    if cell.function in bbob.NAMES:  # the suite moves and rotates its functions itself
        return bbob.BbobProblem(
            cell.function, cell.dim, seed=cell.seed, noise=cell.noise, offset=cell.offset
        )
    return Problem(
        cell.function,
        cell.dim,
        seed=cell.seed,
        shift=cell.shift,
        rotate=cell.rotate,
        noise=cell.noise,
        offset=cell.offset,
    )


def _measure(cell: RegretCell) -> Record:
    problem = _problem_of(cell)
    built = samplers.build(cell.sampler, dim=cell.dim, seed=cell.seed, startup=cell.startup)
    if not cell.own_startup:
        built.enqueue(initial_points(cell.startup, cell.dim, cell.seed))
    schedule = Schedule(cell.startup, cell.evaluations, cell.q, cell.workers, cell.seed)
    optimiser = TimedOptimiser(built, cell.startup)
    rng = problem.rng("noise")
    regrets: list[float] = []
    for batch in schedule.batches(optimiser):
        points = np.array([suggestion.point for suggestion in batch])
        optimiser.tell(batch, problem.observe(points, rng))
        regrets.extend(problem.regret(points).tolist())
    best = [float(f"{value:.6g}") for value in np.minimum.accumulate(regrets)]
    cpu = optimiser.cpu / max(cell.evaluations, 1)
    return {"regret": best, "final": best[-1], "cpu_per_point": float(f"{cpu:.4g}")}
