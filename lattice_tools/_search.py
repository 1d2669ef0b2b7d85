"""Running a search over many start vectors: in order, in processes, within a time budget.

A worker is a picklable callable that takes an array (k, d) of start vectors and returns the best
squared minimum distance that it reached with the vector that has it. Of equal results the first
start's counts, so the outcome does not depend on the number of processes.
"""

from __future__ import annotations

import dataclasses
import math
import multiprocessing
import os
import signal
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
from lattice_tools.lattice import checked_size, positive_integer

#: Told the share that is done, from 0 to 1.
Progress = Callable[[float], None]
#: A squared minimum distance, and a base vector (d,) that has it.
Found = tuple[int, IntArray]
#: Start vectors (k, d), and the share of all starts that is done with them.
Block = tuple[float, IntArray]

#: The largest N of a search, which keeps a few arrays of N / 2 numbers: about 1 GiB at this N.
MAX_POINTS = 2**24
#: Seconds between two calls of `tick` while processes are waited for.
_TICK = 0.2

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass
class Measure:
    """A worker that takes the start vectors as they are.

    Attributes:
        n_points: N.
        dim: d.
        deadline: The time (as of `time.time`, which all processes share) after which what is
            best so far is returned.
    """

    n_points: int
    dim: int
    deadline: float = field(default=math.inf, kw_only=True)

    @cached_property
    def squares(self) -> FoldedSquares:
        """The lengths modulo N; built in the process that needs them."""
        return FoldedSquares(self.n_points, self.dim)

    def __getstate__(self) -> dict[str, Any]:
        # Without what is cached: a table is built faster than it is sent.
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def __call__(self, starts: IntArray) -> Found:
        """The best of ``starts`` (k, d)."""
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
        """What becomes of one start vector (d,): here, itself."""
        return int(self.squares.lengths(fold(start, self.n_points)).min()), start

    def is_late(self) -> bool:
        """Whether the deadline has passed."""
        return time.time() > self.deadline


def search_size(n_points: object, dim: object) -> tuple[int, int]:
    """N and d as ints, if a search can have this size; else a ValueError that names them."""
    N, d = checked_size(n_points, dim)
    if N > MAX_POINTS:
        raise ValueError(f"A search takes at most {MAX_POINTS} points (`n_points`), got {N}.")
    return N, d


def blocks_of(starts: IntArray, size: int) -> Iterator[Block]:
    """``starts`` (n, d) in blocks of ``size``."""
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
    """The best that ``worker`` finds from the start vectors in ``blocks``.

    With a ``budget`` in seconds it is the best that was found by then, from at least one start.
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
    for found in in_order(worker, tasks(), jobs=jobs):
        share = shares.popleft()
        if best is None or found[0] > best[0]:
            best = found
        if progress is not None:
            progress(share)
        if worker.is_late():
            break
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
) -> Iterator[Result]:
    """``map(function, tasks)`` in ``jobs`` processes, a few tasks ahead of what is consumed.

    ``tick`` is called now and then while processes are waited for.
    """
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
                while wait([running[0]], timeout=_TICK).not_done:
                    if tick is not None:
                        tick()
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
    # Ctrl-C reaches every process of a terminal: this one ends without a traceback of its own,
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # and it does not search on for nobody when the process that started it was killed.
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
