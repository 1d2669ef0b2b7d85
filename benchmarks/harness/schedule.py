"""When points are asked for and when their values are told: in rounds, or by parallel workers."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.harness.asktell import Optimiser, Suggestion

#: Standard deviation of the logarithm of a simulated worker's evaluation time: one evaluation in
#: forty takes more than 2.7 times the median, as in a cluster with uneven load.
DURATION_SIGMA = 0.5


@dataclass(frozen=True)
class Schedule:
    """The order of asks and tells of one run.

    The initial evaluations are made in the same way as the others, by rounds or by workers.

    Attributes:
        startup: Number of initial evaluations.
        evaluations: Number of evaluations after the initial ones.
        q: Points per round: all are asked for before any of them is told. 1 is sequential. A round
            has only initial evaluations or only others, so that the last round of either kind may
            be smaller. Not used if there are workers.
        workers: Number of simulated asynchronous workers, each of which asks for a point as soon
            as its last one is told; 0 for rounds.
        seed: Seed of the workers' evaluation times.
    """

    startup: int
    evaluations: int
    q: int
    workers: int = 0
    seed: int = 0

    def batches(self, optimiser: TimedOptimiser) -> Iterator[list[Suggestion]]:
        """Yield the suggestions whose values are to be told together, in the order of tells.

        The caller tells a batch before it asks for the next one.
        """
        if self.workers == 0:
            for phase in (self.startup, self.evaluations):  # no round spans the two
                for start in range(0, phase, self.q):
                    yield optimiser.ask(min(self.q, phase - start))
            return
        rng = np.random.default_rng([self.seed, self.workers])
        unasked, now = self.startup + self.evaluations, 0.0
        busy: list[tuple[float, int, Suggestion]] = []  # `unasked` breaks ties of the time
        while unasked or busy:
            while unasked and len(busy) < self.workers:
                end = now + rng.lognormal(0.0, DURATION_SIGMA)
                heapq.heappush(busy, (end, unasked, optimiser.ask(1)[0]))
                unasked -= 1
            now, _, suggestion = heapq.heappop(busy)
            yield [suggestion]


class TimedOptimiser:
    """Counts the CPU seconds of an optimiser's asks and tells after the initial points.

    Attributes:
        cpu: CPU seconds so far.
    """

    def __init__(self, optimiser: Optimiser, startup: int) -> None:
        self._optimiser = optimiser
        self._startup = startup
        self._asked = 0
        self.cpu = 0.0

    def ask(self, count: int) -> list[Suggestion]:
        """Return `count` points of the optimiser."""
        self._asked += count
        start = time.process_time()
        suggestions = self._optimiser.ask(count)
        self._add(time.process_time() - start)
        return suggestions

    def tell(self, suggestions: Sequence[Suggestion], values: Array) -> None:
        """Report the values `(n,)` of `n` suggestions to the optimiser."""
        start = time.process_time()
        self._optimiser.tell(suggestions, values)
        self._add(time.process_time() - start)

    def _add(self, seconds: float) -> None:
        if self._asked > self._startup:
            self.cpu += seconds
