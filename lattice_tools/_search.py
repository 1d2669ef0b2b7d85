"""Running a search over many start vectors: in order, in processes, within a time budget.

A worker is a picklable callable that takes an array (k, d) of start vectors and returns the
largest squared minimum distance that it reached, with the vector that has it: the best result.
Among equal results the first one is kept, so the outcome does not depend on the number of
processes.
"""

from __future__ import annotations

import dataclasses
import math
import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

from lattice_tools._folded import FoldedSquares, IntArray, fold
from lattice_tools._interrupt import is_interrupted, use_flag
from lattice_tools._shortest import is_faster, squared_lengths
from lattice_tools.lattice import Rank1Lattice, checked_size, positive_integer

#: Called with the share of the work that is done, from 0 to 1.
Progress = Callable[[float], None]
#: A squared minimum distance times N², and a base vector (d,) that has it.
Found = tuple[int, IntArray]
#: The share of all starts that is done after these, and start vectors (k, d).
Block = tuple[float, IntArray]

#: The largest N of a search, which keeps a few arrays of N / 2 numbers: 1 GiB at this N.
MAX_POINTS = 2**24
#: Seconds between two looks at the clock and at Ctrl-C while other processes work.
_TICK = 0.2

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass
class Measure:
    """A worker that measures the start vectors as they are.

    A worker is a picklable callable that maps start vectors (k, d) to the best result from them:
    the largest squared minimum distance, and its vector.

    Attributes:
        n_points: The number of points N.
        dim: The dimension d.
        deadline: Time in seconds since the epoch (`time.time`, which all processes share) after
            which the best result so far is returned; infinite for none.
    """

    n_points: int
    dim: int
    deadline: float = field(default=math.inf, kw_only=True)

    @cached_property
    def squares(self) -> FoldedSquares:
        """Table of squared lengths on the torus; built in the process that needs it.

        Its entries are c[i, v] = min(i v mod N, N - i v mod N)² for i, v = 0, ..., N // 2.
        """
        return FoldedSquares(self.n_points, self.dim)

    def __getstate__(self) -> dict[str, Any]:
        # Cached properties stay behind: a table is built faster than it is sent.
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def __call__(self, starts: IntArray) -> Found:
        """Improve each of the base vectors ``starts`` (k, d) and return the best result.

        After the deadline or Ctrl-C the remaining starts are skipped. The first start is never
        skipped.

        Returns:
            The squared minimum distance, times N², and its base vector (d,).

        Raises:
            ValueError: There are no starts.
        """
        best: Found | None = None
        for start in starts:
            found = self.improve(start)
            if best is None or found[0] > best[0]:
                best = found
            if self.is_late():
                break
        if best is None:
            raise ValueError("A search needs at least one start vector.")
        return best

    def improve(self, start: IntArray) -> Found:
        """Return the squared minimum distance, times N², of ``start`` (d,), and ``start`` itself.

        Subclasses return a better vector that they find from it.
        """
        return self.squared_length(start), start

    def squared_length(self, vector: IntArray) -> int:
        """The squared minimum distance, times N², of a base vector (d,)."""
        if is_faster(self.n_points, self.dim):
            (squared,) = squared_lengths(self.n_points, vector[None] % self.n_points)
            if squared >= 0:
                return int(squared)
        return int(self.squares.lengths(fold(vector, self.n_points)).min())

    def is_late(self) -> bool:
        """Whether the deadline has passed or Ctrl-C was pressed."""
        return time.time() > self.deadline or is_interrupted()


def search_size(n_points: object, dim: object) -> tuple[int, int]:
    """Return N and d as ints.

    A ValueError that names the bad number is raised unless N is an integer from 2 to `MAX_POINTS`,
    and d an integer of at least 1.
    """
    N, d = checked_size(n_points, dim)
    if N > MAX_POINTS:
        raise ValueError(f"A search takes at most {MAX_POINTS} points (`n_points`), got {N}.")
    return N, d


def found_lattice(n_points: int, found: Found, *, is_optimal: bool = False) -> Rank1Lattice:
    """Return the lattice of a search's result, with its known minimum distance stored.

    Args:
        n_points: The number of points N.
        found: Squared minimum distance, times N², and base vector (d,).
        is_optimal: Whether the search has proved that no lattice of this size (N, d) has a larger
            minimum distance.
    """
    squared, b = found
    lattice = Rank1Lattice(n_points, tuple(b), is_optimal=is_optimal)
    vars(lattice)["squared_min_distance"] = squared
    return lattice


def blocks_of(starts: IntArray, size: int) -> Iterator[Block]:
    """Yield ``starts`` (n, d) in blocks of at most ``size`` rows.

    Each block is a pair: the share of all starts that is done after it, and the starts (k, d).
    """
    for k in range(0, len(starts), size):
        block = starts[k : k + size]
        yield (k + len(block)) / len(starts), block


def best_of(
    worker: Measure,
    blocks: Iterable[Block],
    *,
    jobs: int,
    budget: float | None,
    progress: Progress | None,
) -> Found:
    """Return the lattice with the largest minimum distance that ``worker`` finds.

    After ``budget`` seconds, or Ctrl-C, the best so far is returned, from at least one start.

    Args:
        worker: Maps start vectors (k, d) to the best result from them.
        blocks: Pairs of the share of all starts that is done after a block, and its starts (k, d).
        jobs: The number of processes.
        budget: Seconds, or None for no limit.
        progress: Called with the share, from 0 to 1, of the work that is done.

    Returns:
        The squared minimum distance, times N², and its base vector (d,). The first of equal
        results is returned.

    Raises:
        ValueError: There are no start vectors, or the budget is not positive.
    """
    check_budget(budget)
    if budget is not None:
        worker = dataclasses.replace(worker, deadline=time.time() + budget)
    shares: deque[float] = deque()

    def tasks() -> Iterator[IntArray]:
        for share, block in blocks:
            shares.append(share)
            yield block

    best: Found | None = None
    for found in in_order(worker, tasks(), jobs=jobs, is_over=worker.is_late):
        share = shares.popleft()
        if best is None or found[0] > best[0]:
            best = found
        if progress is not None:
            progress(share)
    if best is None:
        raise ValueError("A search needs at least one start vector.")
    if progress is not None:
        progress(1.0)
    return best


def in_order(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    jobs: int,
    tick: Callable[[], None] | None = None,
    is_over: Callable[[], bool] = is_interrupted,
) -> Iterator[Result]:
    """Yield ``function(task)`` for each task, in the order of the tasks, from ``jobs`` processes.

    The processes work a few tasks ahead of what is consumed.

    Args:
        function: Called with each task. Picklable if ``jobs`` is above 1.
        tasks: The tasks; may be endless.
        jobs: The number of processes; 1 stays in this one.
        tick: Called several times per second while processes are waited for.
        is_over: Called after each result. Once it returns True, no further task is started, and
            the results of those that were started still follow.
    """
    jobs = positive_integer("jobs", jobs)
    if jobs == 1:
        for task in tasks:
            yield function(task)
            if is_over():
                return
        return
    # "spawn" behaves alike on every platform and does not fork a process that has BLAS threads.
    context = multiprocessing.get_context("spawn")
    stop = context.RawValue("b", 0)
    with ProcessPoolExecutor(
        max_workers=jobs, mp_context=context, initializer=_start_worker, initargs=(function, stop)
    ) as pool:
        waiting = iter(tasks)
        running = deque(pool.submit(_call_worker, task) for task in islice(waiting, 2 * jobs))
        try:
            while running:
                while wait([running[0]], timeout=_TICK).not_done:
                    stop.value = is_interrupted()
                    if tick is not None:
                        tick()
                result = running.popleft().result()
                yield result
                if is_over():
                    while running and running[-1].cancel():
                        running.pop()
                else:
                    running.extend(pool.submit(_call_worker, task) for task in islice(waiting, 1))
        finally:
            stop.value = 1
            pool.shutdown(wait=True, cancel_futures=True)


def check_budget(budget: float | None) -> None:
    """Raise a ValueError unless ``budget`` is None or a positive number of seconds."""
    if budget is not None and not budget > 0:
        raise ValueError(f"`budget` must be a positive number of seconds or None, got {budget!r}.")


_worker: Callable[[Any], Any] | None = None


def _start_worker(function: Callable[[Any], Any], stop: Any) -> None:
    """Prepare a new process of the pool for its tasks.

    ``function``, which is called with each task, is kept in a global variable: the table of
    lengths that it builds is then built once per process and not once per task. ``stop`` is an
    integer in shared memory; once it is 1, searches in this process end. The process also ends if
    the one that started it is killed.
    """
    global _worker
    _worker = function
    use_flag(stop)
    # Do not search on when the process that started this one was killed.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call_worker(task: Any) -> Any:
    if _worker is None:
        raise RuntimeError("The worker process was not initialised.")
    return _worker(task)
