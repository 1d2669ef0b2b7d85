"""The searches of `best`: Algorithm 7, then climbs and targets, in any number of processes.

A climb improves a base vector by random changes. A target samples lattices near the densest
lattice of the dimension. Work is measured in units that take about 20 ns without numba and 3 ns
with it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice

import numpy as np

from lattice_tools._folded import IntArray
from lattice_tools._primes import primes_from
from lattice_tools._search import Found, Progress, in_order
from lattice_tools._target import TargetSearch, has_target
from lattice_tools.hua_wang import block_size, cosine_vectors
from lattice_tools.scs import CoordinateSearch
from lattice_tools.subgroup import is_admissible, subgroup

#: Default work: twice that of Algorithm 7, but within these bounds. In units of about 20 ns
#: without numba and 3 ns with it, so ten seconds to three minutes or two to thirty seconds.
_LEAST_WORK, _MOST_WORK = 5e8, 1e10
#: Primes and passes of Algorithm 7 by default.
_N_PRIMES, _N_SWEEPS = 50, 3
#: Share of the work for Algorithm 7's starts; the target search needs none of them.
_SHARE_OF_COSINES = 0.5
_SHARE_OF_COSINES_WITH_TARGET = 0.1
#: The number of climbs and target searches that the rest of the work is divided into.
_N_TASKS = 24
#: A climb ends after this many changes in a row that did not help.
_PATIENCE = 400
#: Where N^(1/d) is above this, rounding is fine enough that climbs do not improve on targets.
_FINE = 3.2


@dataclass
class Searcher(TargetSearch):
    """A worker for tasks of three kinds: "cosines", "climb" and "target".

    Its attributes are those of `TargetSearch`. A task and its result are explained in `__call__`.
    """

    @cached_property
    def _three_passes(self) -> CoordinateSearch:
        return CoordinateSearch(
            self.n_points,
            self.dim,
            n_sweeps=_N_SWEEPS,
            units_only=self.units_only,
            deadline=self.deadline,
        )

    def __call__(self, task: tuple[str, float, int, IntArray]) -> Found:  # type: ignore[override]
        """Work on one task and return the best lattice that it finds.

        Args:
            task: Kind, amount of work, seed and start vectors (k, d). The kind "cosines" runs
                coordinate search, at most three passes, from every start; amount and seed are not
                used. "climb" improves the first start by random changes. "target" samples lattices
                near the densest lattice of the dimension; its starts are not used. The amount of
                work is in units that take about 20 ns without numba and 3 ns with it.

        Returns:
            The squared minimum distance, times N², and its base vector (d,). The distance is -1 if
            a "target" finds nothing.
        """
        kind, work, seed, starts = task
        if kind == "cosines":
            return self._three_passes(starts)
        rng = np.random.default_rng(seed)
        top: Found = (-1, starts[0])
        if kind == "target":
            n_batches = max(1, int(work / self.work_per_batch))
            is_fine = self.n_points ** (1 / self.dim) > _FINE
            top = self._sample(rng, n_batches if is_fine else max(1, n_batches // 2))
            if is_fine or top[0] < 0:
                return top if top[0] < 0 else self.improve(top[1])
            work /= 2
            starts = top[1][None]
        return self._climb(rng, starts[0], max(1, int(work / self.work_per_pass)))

    def _sample(self, rng: np.random.Generator, n_batches: int) -> Found:
        top: Found = (-1, np.zeros(self.dim, dtype=np.int64))
        for _ in range(n_batches):
            for found in self.sample(rng, top[0]):
                top = found
            if self.is_late():
                break
        return top

    def _climb(self, rng: np.random.Generator, start: IntArray, n_passes: int) -> Found:
        """Improve a base vector ``start`` (d,) by random changes.

        A step changes a few components at random, runs coordinate search and keeps the result if
        it is no worse. Coordinate search takes about two passes over all components, so that
        ``n_passes`` // 2 steps are made. The climb ends earlier after `_PATIENCE` steps in a row
        without a gain. The result is the squared minimum distance, times N², and its base vector
        (d,).
        """
        squared, b = self.improve(start)
        failures = 0
        # A search from a slightly changed vector takes two passes or three.
        for _ in range(n_passes // 2):
            if failures == _PATIENCE or self.is_late():
                break
            trial = rng.permutation(b)
            most = min(self.dim, max(2, self.dim // 5))
            changed = rng.permutation(self.dim)[: rng.integers(1, most + 1)]
            trial[changed] = rng.choice(self.values, size=len(changed))
            trial_squared, trial = self.improve(trial)
            failures = 0 if trial_squared > squared else failures + 1
            if trial_squared >= squared:
                squared, b = trial_squared, trial
        return squared, b


@dataclass
class Campaign:
    """All tasks of one search, in two rounds: Algorithm 7, then climbs and targets.

    Algorithm 7 is that of Lyu, Yuan and Tsang: coordinate search from base vectors of cosines. A
    climb improves a base vector by random changes. A target samples lattices near the densest
    lattice of the dimension.

    Attributes:
        worker: Does the tasks, in this process or in copies of it in others.
        effort: Multiple of the default work; None to go on until the worker's deadline.
        seed: Seed of all random choices.
        jobs: The number of processes.
        progress: Called with the share, from 0 to 1, of the work or of the time that is done.
    """

    worker: Searcher
    effort: float | None
    seed: int
    jobs: int
    progress: Progress | None

    def run(self, starts: list[IntArray]) -> Found:
        """Return the lattice with the largest minimum distance that the tasks find.

        The first climbs begin from the base vectors in ``starts``, (d,) each. The result is the
        squared minimum distance, times N², and its base vector (d,).
        """
        worker = self.worker
        begun = time.time()
        share = _SHARE_OF_COSINES_WITH_TARGET if self._has_target else _SHARE_OF_COSINES
        found: list[Found] = [(worker.squared_length(b), b) for b in starts]
        if self.effort is None:
            self._until = begun + share * (worker.deadline - begun)
            found += self._results(self._cosine_tasks(math.inf), begun, 0.0, share)
            self._until = worker.deadline
            # Even one step beyond the deadline takes a second at N = 10^6, d = 100.
            if not worker.is_late():
                climbs = self._tasks(found, self._work / _N_TASKS)
                found += self._results(climbs, begun, share, 1.0)
        else:
            self._until = math.inf
            work = self.effort * self._work
            for_cosines = max(share, _SHARE_OF_COSINES) * work
            tasks = list(self._cosine_tasks(for_cosines))
            found += self._results(iter(tasks), begun, 0.0, share, len(tasks))
            if not worker.is_late():
                climbs = self._tasks(found, (1 - share) * work / _N_TASKS)
                found += self._results(islice(climbs, _N_TASKS), begun, share, 1.0, _N_TASKS)
        if self.progress is not None:
            self.progress(1.0)
        return max(found, key=lambda result: result[0])

    @property
    def _has_target(self) -> bool:
        return has_target(self.worker.n_points, self.worker.dim)

    @property
    def _work(self) -> float:
        """The default amount of work, in units of `work_per_pass`.

        It is twice that of Algorithm 7, but at least `_LEAST_WORK` and at most `_MOST_WORK`.
        """
        n_starts = sum(self._primes)
        of_algorithm_7 = n_starts * _N_SWEEPS * self.worker.work_per_pass
        return float(min(_MOST_WORK, max(_LEAST_WORK, 2 * of_algorithm_7)))

    @cached_property
    def _primes(self) -> list[int]:
        return primes_from(2 * self.worker.dim + 1, _N_PRIMES)

    def _cosine_tasks(self, work: float) -> Iterator[tuple[str, float, int, IntArray]]:
        """Yield tasks of the kind "cosines", which run Algorithm 7 from a block of its starts.

        A task is a tuple (kind, amount of work, seed, start vectors (k, d)); amount and seed are
        0, because this kind does not use them. The tasks end with the block at which their
        estimated work reaches ``work``, or when Algorithm 7 has no further starts.

        Args:
            work: Amount of work of all tasks together, in units that take about 20 ns without
                numba and 3 ns with it; may be infinite.
        """
        worker = self.worker
        size = min(8, block_size(worker.n_points, worker.dim))
        for _, block in cosine_vectors(
            worker.n_points,
            worker.dim,
            _N_PRIMES,
            size=size,
            ordered=True,
            units_only=worker.units_only,
        ):
            yield "cosines", 0.0, 0, block
            work -= len(block) * _N_SWEEPS * worker.work_per_pass
            if work <= 0:
                break

    def _tasks(
        self, found: list[Found], work: float
    ) -> Iterator[tuple[str, float, int, IntArray]]:
        """Yield tasks of the kinds "target" and "climb", endlessly.

        A task is a tuple (kind, amount of work, seed, start vectors (1, d)). A "target" looks for
        lattices near the densest lattice of the dimension. If N and d have no such target (see
        `has_target`), all tasks are climbs. A "climb" improves a vector by random changes. Climbs
        start from the best results of ``found`` first, then from random vectors.

        Args:
            found: The results so far, in any order: squared minimum distances, times N², and base
                vectors (d,).
            work: Amount of work of each task, in units that take about 20 ns without numba and
                3 ns with it.
        """
        N, d = self.worker.n_points, self.worker.dim
        starts = [b for _, b in sorted(found, key=lambda result: -result[0])[: 2 * _N_TASKS]]
        if is_admissible(N, d):
            starts.insert(1, np.array(subgroup(N, d).base_vector))
        seeds = np.random.SeedSequence(self.seed)
        rng = np.random.default_rng(seeds)
        # Where rounding is fine, one task in eight is a climb; where it is coarse, every second.
        period = 8 if N ** (1 / d) > _FINE else 2
        n_climbs = 0
        for k in count():
            seed = int(seeds.spawn(1)[0].generate_state(1)[0])
            if self._has_target and k % period != period - 1:
                yield "target", work, seed, np.zeros((1, d), dtype=np.int64)
                continue
            start = starts[n_climbs] if n_climbs < len(starts) else None
            n_climbs += 1
            yield (
                "climb",
                work,
                seed,
                (rng.choice(self.worker.values, size=d) if start is None else start)[None],
            )

    def _results(
        self,
        tasks: Iterator[tuple[str, float, int, IntArray]],
        begun: float,
        share: float,
        end: float,
        n_tasks: int | None = None,
    ) -> list[Found]:
        """Return the results of ``tasks``, in their order.

        Meanwhile the reported progress grows from ``share`` to ``end``: by the number of results
        if ``n_tasks`` is given, otherwise by the time since ``begun`` (seconds since the epoch).
        """
        found: list[Found] = []

        def report() -> None:
            if self.progress is not None:
                if n_tasks is None:
                    now = (time.time() - begun) / (self.worker.deadline - begun)
                else:
                    now = share + (end - share) * len(found) / n_tasks
                self.progress(min(end, max(share, now)))

        def is_over() -> bool:
            return self.worker.is_late() or time.time() > self._until

        for result in in_order(self.worker, tasks, jobs=self.jobs, tick=report, is_over=is_over):
            found.append(result)
            report()
        return found
