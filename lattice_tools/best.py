"""Beyond Algorithm 7: iterated local search from the starts of all other constructions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from lattice_tools._folded import IntArray, fold
from lattice_tools._search import Found, Progress, check_budget, in_order
from lattice_tools.hua_wang import cosine_vectors
from lattice_tools.korobov import korobov
from lattice_tools.lattice import Rank1Lattice, positive_integer
from lattice_tools.scs import CoordinateSearch
from lattice_tools.subgroup import is_admissible, subgroup

#: Cosine vectors of Algorithm 6 that are refined, the widest first; then starts are random.
_N_COSINE = 40
#: Passes of one coordinate search: in practice, until it converges.
_N_SWEEPS = 150
#: A climb ends after this many changes in a row that did not help.
_PATIENCE = 400


def best(
    n_points: int,
    dim: int,
    *,
    budget: float = 10.0,
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
        budget: Seconds. The more, the wider; what is found does depend on the machine's speed.
        seed: Of the random changes.
        jobs: The number of processes, each of which works on a climb of its own.
        progress: Told the share of the budget that has passed.

    Example:
        >>> best(1000, 10, budget=1.0).min_distance > 0.62738  # the paper's Algorithm 7
        True
    """
    check_budget(budget)
    positive_integer("n_points", n_points, minimum=2)
    begun = time.time()
    worker = Climb(
        n_points,
        positive_integer("dim", dim),
        n_sweeps=_N_SWEEPS,
        first_free=0,
        deadline=begun + budget,
    )
    tasks = _tasks(worker, seed)
    top: Found | None = None
    for found in in_order(worker, tasks, jobs=jobs):
        if top is None or found[0] > top[0]:
            top = found
        elapsed = time.time() - begun
        if progress is not None:
            progress(min(1.0, elapsed / budget))
        if elapsed >= budget:
            break
    if top is None:
        raise AssertionError("the stream of starts has no end")
    if progress is not None:
        progress(1.0)
    return Rank1Lattice(n_points, tuple(top[1]))


@dataclass
class Climb(CoordinateSearch):
    """A worker that improves one start until nothing helps or the time is over."""

    deadline: float = float("inf")

    def __call__(self, task: tuple[int, IntArray]) -> Found:  # type: ignore[override]
        """Climb from a start vector (d,) with a random generator of the given seed."""
        seed, start = task
        rng = np.random.default_rng(seed)
        squared, b = self.improve(start)
        failures = 0
        while failures < _PATIENCE and time.time() < self.deadline:
            trial = rng.permutation(b)
            most = min(self.dim, max(2, self.dim // 5))
            changed = rng.permutation(self.dim)[: rng.integers(1, most + 1)]
            trial[changed] = rng.choice(self.values, size=len(changed))
            trial_squared, trial = self.improve(trial)
            failures = 0 if trial_squared > squared else failures + 1
            if trial_squared >= squared:
                squared, b = trial_squared, trial
        return squared, b


def _tasks(worker: CoordinateSearch, seed: int) -> Iterator[tuple[int, IntArray]]:
    """Start vectors without end, each with the seed of its climb: the promising ones first."""
    N, d = worker.n_points, worker.dim
    cosines = np.unique(np.sort(fold(cosine_vectors(N, d, 50), N), axis=1), axis=0)
    squared = [int(worker.squares.lengths(b).min()) for b in cosines]
    starts = list(cosines[np.argsort(squared)[::-1][:_N_COSINE]])
    starts.insert(1, np.array(korobov(N, d).base_vector))
    if is_admissible(N, d):
        starts.insert(0, np.array(subgroup(N, d).base_vector))
    seeds = np.random.SeedSequence(seed)
    rng = np.random.default_rng(seeds)
    for k in count():
        start = starts[k] if k < len(starts) else rng.choice(worker.values, size=d)
        yield int(seeds.spawn(1)[0].generate_state(1)[0]), start
