"""One run: a sampler on a problem, in rounds or with simulated workers, and its record."""

from __future__ import annotations

import heapq
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import optuna

from benchmarks import peers
from benchmarks.asktell import Optimiser, Suggestion, initial_points
from benchmarks.functions import Array
from benchmarks.problems import Problem

# Log-normal durations: a worker in forty takes more than 2.7 times the median.
DURATION_SIGMA = 0.5

Record = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """All that identifies a run; the fields are those of its record.

    Attributes:
        sampler: A name or description that `benchmarks.peers` understands.
        function: Name of the test function.
        dim: Number of parameters.
        q: Points per round; 1 is sequential.
        workers: Number of simulated workers, or 0 for rounds of `q`.
        startup: Number of initial points, chosen by the sampler or given to it.
        evaluations: Number of further points.
        seed: Seed of the problem and of the sampler.
        shift: See `Problem`, as for the next three.
        rotate: See `Problem`.
        noise: See `Problem`.
        offset: See `Problem`.
        own_startup: Whether the sampler chooses its initial points.
    """

    sampler: str
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


class _Timed:
    """Counts the CPU seconds an optimiser takes once it has been asked for the initial points."""

    def __init__(self, optimiser: Optimiser, startup: int) -> None:
        self._optimiser = optimiser
        self._startup = startup
        self._asked = 0
        self.cpu = 0.0

    def ask(self, count: int) -> list[Suggestion]:
        self._asked += count
        start = time.process_time()
        suggestions = self._optimiser.ask(count)
        self._add(time.process_time() - start)
        return suggestions

    def tell(self, suggestions: Sequence[Suggestion], values: Array) -> None:
        start = time.process_time()
        self._optimiser.tell(suggestions, values)
        self._add(time.process_time() - start)

    def _add(self, seconds: float) -> None:
        if self._asked > self._startup:
            self.cpu += seconds


def _batches(cell: Cell, optimiser: _Timed) -> Iterator[list[Suggestion]]:
    """Yield the suggestions whose values are to be told together, in the order of their end."""
    if cell.workers == 0:
        for phase in (cell.startup, cell.evaluations):  # no round spans the two
            for start in range(0, phase, cell.q):
                yield optimiser.ask(min(cell.q, phase - start))
        return
    rng = np.random.default_rng([cell.seed, cell.workers])
    unasked, now = cell.startup + cell.evaluations, 0.0
    busy: list[tuple[float, int, Suggestion]] = []  # the count breaks ties
    while unasked or busy:
        while unasked and len(busy) < cell.workers:
            end = now + rng.lognormal(0.0, DURATION_SIGMA)
            heapq.heappush(busy, (end, unasked, optimiser.ask(1)[0]))
            unasked -= 1
        now, _, suggestion = heapq.heappop(busy)
        yield [suggestion]


def _measure(cell: Cell) -> Record:
    problem = Problem(
        cell.function,
        cell.dim,
        seed=cell.seed,
        shift=cell.shift,
        rotate=cell.rotate,
        noise=cell.noise,
        offset=cell.offset,
    )
    built = peers.build(cell.sampler, dim=cell.dim, seed=cell.seed, startup=cell.startup)
    if not cell.own_startup:
        built.enqueue(initial_points(cell.startup, cell.dim, cell.seed))
    optimiser = _Timed(built, cell.startup)
    rng = problem.rng("noise")
    regrets: list[float] = []
    for batch in _batches(cell, optimiser):
        points = np.array([suggestion.point for suggestion in batch])
        optimiser.tell(batch, problem.observe(points, rng))
        regrets.extend(problem.regret(points).tolist())
    best = [float(f"{value:.6g}") for value in np.minimum.accumulate(regrets)]
    cpu = optimiser.cpu / max(cell.evaluations, 1)
    return {"regret": best, "final": best[-1], "cpu_per_point": float(f"{cpu:.4g}")}


def run(cell: Cell) -> Record:
    """Return the record of a run.

    It holds the fields of the cell, the `versions` used, and either `regret` (the best so far,
    noise-free, after each evaluation in the order of their end), `final` and `cpu_per_point` (CPU
    seconds in ask and tell per point after the initial ones), or `error` and `traceback`.
    """
    return asdict(cell) | recorded(cell.sampler, lambda: _measure(cell))


def recorded(sampler: str, measure: Callable[[], Record]) -> Record:
    """Return what `measure` finds of a sampler, or its error and traceback, and the versions."""
    record: Record = {}
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        try:
            record |= measure()
        except Exception as error:  # one broken run must not end the others
            record |= {
                "error": "".join(traceback.format_exception_only(error)).strip(),
                "traceback": traceback.format_exc(),
            }
    return record | {"versions": peers.versions(sampler)}
