"""The widest lattice that can be found: a catalogue, an exhaustive search, or three searches.

A lattice is wider than another of the same size (N, d) if its minimum distance on the torus is
larger.
"""

from __future__ import annotations

import math
import time

import numpy as np

from lattice_tools._campaign import Campaign, Searcher
from lattice_tools._interrupt import keeps_best
from lattice_tools._search import Progress, check_budget, found_lattice, search_size
from lattice_tools.exact import MAX_POINTS as EXACT_POINTS
from lattice_tools.exact import Exhaustive, estimated_work
from lattice_tools.lattice import Rank1Lattice, positive_integer
from lattice_tools.limit import reaches_limit
from lattice_tools.records import record

#: Sizes of up to this work (about a second, six without numba) are searched exhaustively.
_EXACT_WORK = 5e7


@keeps_best
def best(
    n_points: int,
    dim: int,
    *,
    effort: float | None = None,
    budget: float | None = None,
    units_only: bool = False,
    seed: int = 0,
    jobs: int = 1,
    use_records: bool = True,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """Find the widest lattice that the given effort allows.

    The widest lattice is the one with the largest minimum distance of two points on the torus. If
    the catalogue (see `lattice_tools.records`) contains the size (N, d), its lattice is returned
    at once; if an effort or a budget is given, the search starts from it instead. Small sizes are
    searched exhaustively. For larger sizes three searches are combined: Algorithm 7 of Lyu, Yuan
    and Tsang (`alg7`); integer bases close to a rotation of the densest lattice of the dimension,
    up to d = 16 and where N^(1/d) is at least 2; and climbs, which change a few components at
    random and search all coordinates again.

    Without a budget the result depends on the arguments alone: not on the number of jobs, on the
    speed of the machine, or on whether numba is installed. A search begins with Algorithm 7, which
    the default effort runs to its end unless that takes more than two minutes, so that the result
    is never narrower than that of `alg7` with the same work.

    Args:
        n_points: The number of points N.
        dim: The dimension d.
        effort: Multiple of the default amount of work, which takes from ten seconds to three
            minutes on one core, or a sixth of that with the extra ``fast``. If None, a size in the
            catalogue is not searched, and any other size gets the default amount.
        budget: Seconds after which the best lattice so far is returned. It replaces the effort,
            and the result depends on the speed of the machine.
        units_only: Restrict components to units modulo N, that is, to numbers without a common
            factor with N, so that every coordinate takes N different values.
        seed: Seed of all random choices.
        jobs: The number of processes.
        use_records: Whether to look into the catalogue.
        progress: Called with the share, from 0 to 1, of the work that is done.

    Returns:
        The lattice. Its ``is_optimal`` is True if it is proved to be the widest of all.

    Example:
        >>> lattice = best(1000, 10)
        >>> lattice.min_distance > 0.63048  # Algorithm 7
        True
    """
    N, d = search_size(n_points, dim)
    jobs = positive_integer("jobs", jobs)
    check_budget(budget)
    if effort is not None and not 0 < effort < math.inf:
        raise ValueError(f"`effort` must be a positive number, got {effort!r}.")
    known = record(N, d) if use_records else None
    if known is not None and units_only and min(known.values_per_coordinate) < N:
        known = None
    if known is not None and (known.is_optimal or (effort is None and budget is None)):
        return known
    return search(N, d, known, effort, budget, units_only, seed, jobs, progress)


def search(
    N: int,
    d: int,
    known: Rank1Lattice | None,
    effort: float | None,
    budget: float | None,
    units_only: bool = False,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Rank1Lattice:
    """Search for the widest lattice, as `best` does, without looking into the catalogue.

    Args:
        N: The number of points.
        d: The dimension.
        known: A lattice from which the search starts; None for none.
        effort: Multiple of the default amount of work; None for 1. Ignored if a budget is given.
        budget: Seconds after which the best lattice so far is returned; None for no limit.
        units_only: Restrict components to units modulo N (numbers without a common factor with N).
        seed: Seed of all random choices.
        jobs: The number of processes.
        progress: Called with the share, from 0 to 1, of the work that is done.

    Returns:
        The lattice with the largest minimum distance that was found. Its ``is_optimal`` is True if
        it is proved to be the widest of all, which is not tried with ``units_only``.
    """
    begun = time.time()
    deadline = math.inf if budget is None else begun + budget
    starts = [] if known is None else [np.array(known.base_vector)]
    if N <= EXACT_POINTS and estimated_work(N, d) <= _EXACT_WORK:
        # Half of a budget: if that does not suffice for a proof, the searches need the rest.
        half = math.inf if budget is None else begun + budget / 2
        proof = Exhaustive(N, d, units_only=units_only, deadline=half)
        found, is_proved = proof.run(progress if budget is None else None)
        if is_proved:
            return found_lattice(N, found, is_optimal=not units_only)
        starts.append(found[1])
    worker = Searcher(N, d, n_sweeps=150, units_only=units_only, deadline=deadline)
    campaign = Campaign(
        worker, None if budget is not None else effort or 1.0, seed, jobs, progress
    )
    top = campaign.run(starts)
    lattice = found_lattice(N, top)
    return found_lattice(N, top, is_optimal=not units_only and reaches_limit(lattice))
