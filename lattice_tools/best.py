"""Beyond Algorithm 7: iterated local search from the starts of all other constructions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count, islice

import numpy as np

from lattice_tools._folded import IntArray, fold
from lattice_tools._search import Found, Progress, check_budget, in_order, search_size
from lattice_tools.hua_wang import cosine_vectors
from lattice_tools.korobov import korobov
from lattice_tools.lattice import Rank1Lattice, positive_integer
from lattice_tools.scs import CoordinateSearch
from lattice_tools.subgroup import is_admissible, subgroup

#: Cosine vectors of Algorithm 6 that are refined, the widest first; then starts are random.
_N_COSINE = 40
#: Primes of these cosine vectors (the paper's M).
_N_PRIMES = 50
#: The share of the budget that measuring cosine vectors may take, and Korobov's search as well.
_SHARE_OF_STARTS = 0.1
#: Seconds, unless the caller says otherwise.
_BUDGET = 10.0
#: Passes of one coordinate search: in practice, until it converges.
_N_SWEEPS = 150
#: A climb ends after this many changes in a row that did not help.
_PATIENCE = 400


def best(
    n_points: int,
    dim: int,
    *,
    budget: float | None = None,
    n_restarts: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """The widest lattice that local search finds within ``budget`` seconds.

    Starts are the Korobov lattice, the subgroup lattice where there is one, the best cosine
    vectors of Algorithm 6, and random vectors. From each a climb repeats: change a few
    components at random, search all coordinates again, keep what is no worse. Unlike in
    Algorithm 7 the first component may change too, which is what gains most.

    Args:
        n_points: N.
        dim: d.
        budget: Seconds; 10 if ``n_restarts`` is not given either. The more, the wider, but what
            is found then depends on the speed of the machine.
        n_restarts: The number of climbs. Without a budget the result is reproducible, and the
            same for any number of jobs.
        seed: Of the random changes.
        jobs: The number of processes, each of which works on a climb of its own.
        progress: Told the share of the budget that has passed, or of the climbs that are done.

    Example:
        >>> best(1000, 10, n_restarts=2).min_distance > 0.62738  # the paper's Algorithm 7
        True
    """
    N, d = search_size(n_points, dim)
    if budget is None and n_restarts is None:
        budget = _BUDGET
    check_budget(budget)
    if n_restarts is not None:
        positive_integer("n_restarts", n_restarts)
    begun = time.time()
    n_done = 0

    def report() -> None:
        if progress is not None:
            by_time = 0.0 if budget is None else (time.time() - begun) / budget
            by_climbs = 0.0 if n_restarts is None else n_done / n_restarts
            progress(min(1.0, max(by_time, by_climbs)))

    worker = Climb(
        N,
        d,
        n_sweeps=_N_SWEEPS,
        first_free=0,
        deadline=math.inf if budget is None else begun + budget,
        tick=report if jobs == 1 else None,
    )
    tasks = islice(_tasks(worker, seed, budget), n_restarts)
    top: Found | None = None
    for found in in_order(worker, tasks, jobs=jobs, tick=report):
        if top is None or found[0] > top[0]:
            top = found
        n_done += 1
        report()
        if worker.is_late():
            break
    if top is None:
        raise RuntimeError("The search had no start.")
    if progress is not None:
        progress(1.0)
    return Rank1Lattice(N, tuple(top[1]))


@dataclass
class Climb(CoordinateSearch):
    """A worker that improves one start until nothing helps or the time is over.

    Attributes:
        tick: Called after every change; None where the worker is sent to another process.
    """

    tick: Callable[[], None] | None = field(default=None, kw_only=True)

    def __call__(self, task: tuple[int, IntArray]) -> Found:  # type: ignore[override]
        """Climb from a start vector (d,) with a random generator of the given seed."""
        seed, start = task
        rng = np.random.default_rng(seed)
        squared, b = self.improve(start)
        failures = 0
        while failures < _PATIENCE and not self.is_late():
            trial = rng.permutation(b)
            most = min(self.dim, max(2, self.dim // 5))
            changed = rng.permutation(self.dim)[: rng.integers(1, most + 1)]
            trial[changed] = rng.choice(self.values, size=len(changed))
            trial_squared, trial = self.improve(trial)
            failures = 0 if trial_squared > squared else failures + 1
            if trial_squared >= squared:
                squared, b = trial_squared, trial
            if self.tick is not None:
                self.tick()
        return squared, b


def _tasks(
    worker: CoordinateSearch, seed: int, budget: float | None
) -> Iterator[tuple[int, IntArray]]:
    """Start vectors without end, each with the seed of its climb: the promising ones first."""
    N, d = worker.n_points, worker.dim
    share = None if budget is None else _SHARE_OF_STARTS * budget
    starts = _widest_cosines(worker, share)
    starts.insert(1, np.array(korobov(N, d, budget=share).base_vector))
    if is_admissible(N, d):
        starts.insert(0, np.array(subgroup(N, d).base_vector))
    seeds = np.random.SeedSequence(seed)
    rng = np.random.default_rng(seeds)
    for k in count():
        start = starts[k] if k < len(starts) else rng.choice(worker.values, size=d)
        yield int(seeds.spawn(1)[0].generate_state(1)[0]), start


def _widest_cosines(worker: CoordinateSearch, budget: float | None) -> list[IntArray]:
    """The widest of Algorithm 6's base vectors, as many as were measured within ``budget``."""
    N, d = worker.n_points, worker.dim
    deadline = math.inf if budget is None else time.time() + budget
    measured: list[Found] = []
    for _, block in cosine_vectors(N, d, _N_PRIMES, size=8, ordered=False):
        measured += [(int(worker.squares.lengths(b).min()), b) for b in fold(block, N)]
        if time.time() > deadline:
            break
    measured.sort(key=lambda found: -found[0])
    return [b for _, b in measured[:_N_COSINE]]
