"""Running a search over many start vectors: in order, in processes, within a time budget.

A worker is a picklable callable that takes an array (k, d) of start vectors and returns the best
squared minimum distance that it reached with the vector that has it. Of equal results the first
start's counts, so the outcome does not depend on the number of processes.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from lattice_tools._folded import FoldedSquares, IntArray, fold
from lattice_tools.lattice import positive_integer

#: Told the share that is done, from 0 to 1.
Progress = Callable[[float], None]
#: A squared minimum distance, and a base vector (d,) that has it.
Found = tuple[int, IntArray]

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass
class Measure:
    """A worker that takes the start vectors as they are."""

    n_points: int
    dim: int

    @cached_property
    def squares(self) -> FoldedSquares:
        """The lengths modulo N; built in the process that needs them."""
        return FoldedSquares(self.n_points, self.dim)

    def __call__(self, starts: IntArray) -> Found:
        """The best of ``starts`` (k, d)."""
        squared = [int(self.squares.lengths(fold(b, self.n_points)).min()) for b in starts]
        best = int(np.argmax(squared))
        return squared[best], starts[best]


def best_of(
    worker: Callable[[IntArray], Found],
    starts: IntArray,
    *,
    chunk: int,
    jobs: int,
    budget: float | None,
    progress: Progress | None,
) -> Found:
    """The best that ``worker`` finds from ``starts`` (n, d), handed out ``chunk`` at a time.

    With a ``budget`` in seconds the search stops at the first chunk that ends beyond it.
    """
    check_budget(budget)
    tasks = [starts[k : k + chunk] for k in range(0, len(starts), chunk)]
    deadline = None if budget is None else time.monotonic() + budget
    best: Found | None = None
    for done, found in enumerate(in_order(worker, tasks, jobs=jobs), start=1):
        if best is None or found[0] > best[0]:
            best = found
        if progress is not None:
            progress(done / len(tasks))
        if deadline is not None and time.monotonic() > deadline:
            break
    if best is None:
        raise ValueError("A search needs at least one start vector.")
    if progress is not None:
        progress(1.0)
    return best


def in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, jobs: int
) -> Iterator[Result]:
    """``map(function, tasks)`` in ``jobs`` processes, a few tasks ahead of what is consumed."""
    jobs = positive_integer("jobs", jobs)
    if jobs == 1:
        yield from map(function, tasks)
        return
    # "spawn" behaves alike on every platform and does not fork a process that has BLAS threads.
    with ProcessPoolExecutor(
        max_workers=jobs,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(function,),
    ) as pool:
        waiting = iter(tasks)
        running = deque(pool.submit(_call_worker, task) for task in islice(waiting, 4 * jobs))
        try:
            while running:
                yield running.popleft().result()
                running.extend(pool.submit(_call_worker, task) for task in islice(waiting, 1))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def check_budget(budget: float | None) -> None:
    """Raise a ValueError unless ``budget`` is None or a positive number of seconds."""
    if budget is not None and not budget > 0:
        raise ValueError(f"`budget` must be a positive number of seconds or None, got {budget!r}.")


_worker: Callable[[Any], Any] | None = None


def _start_worker(function: Callable[[Any], Any]) -> None:
    """Keep the worker in its process, so that its table is built once and not per task."""
    global _worker
    _worker = function


def _call_worker(task: Any) -> Any:
    if _worker is None:
        raise RuntimeError("The worker process was not initialised.")
    return _worker(task)
