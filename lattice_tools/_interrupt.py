"""Ctrl-C during a search: the first one makes it return what it has, the second one raises.

Python turns SIGINT into `KeyboardInterrupt` wherever the program happens to be, which loses what a
search has found. Within `keep_best_on_interrupt` the first SIGINT only sets a flag that searches
look at between their steps. In the processes of a search the flag is shared memory.
"""

from __future__ import annotations

import functools
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

Search = TypeVar("Search", bound=Callable[..., Any])


class SearchInterrupted(UserWarning):
    """Warning that Ctrl-C ended a search, which returns the best lattice that it had found.

    A second Ctrl-C raises `KeyboardInterrupt`.

    Example:
        >>> import warnings
        >>> from lattice_tools import best
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error", SearchInterrupted)  # Ctrl-C shall be an error
        ...     lattice = best(100, 2)
    """


@dataclass
class Flag:
    """Says whether a search should stop.

    Attributes:
        value: 1 if it should stop, else 0. An integer in shared memory
            (`multiprocessing.RawValue`) has the same attribute and can take the place of this
            class.
    """

    value: int = 0


_flag: Any = Flag()
_is_watching = False


def is_interrupted() -> bool:
    """Return whether the running search should stop and return its best lattice so far."""
    return bool(_flag.value)


def use_flag(flag: Any) -> None:
    """Make the searches of this process look at ``flag``, and let the process ignore Ctrl-C.

    The flag is in memory that this process shares with the one that started it.
    """
    global _flag
    _flag = flag
    # A terminal sends Ctrl-C to every process: the starting one decides what comes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def keep_best_on_interrupt(*, warn: bool = True) -> Iterator[Flag]:
    """While the body runs, let the first Ctrl-C set a flag and the second one raise.

    The second raises `KeyboardInterrupt`. Searches look at the flag between their steps and return
    their best lattice once it is set. If this is not the main thread, if another such body
    encloses this one, or if the application has its own handler of SIGINT, Ctrl-C does what it did
    before.

    Args:
        warn: Whether to issue a `SearchInterrupted` warning at the end of an interrupted body.

    Yields:
        The flag; its ``value`` is 1 after Ctrl-C and 0 before.
    """
    global _flag, _is_watching
    may_watch = (
        not _is_watching
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not may_watch:
        yield _flag
        return
    flag = _flag = Flag()

    def stop(signum: int, frame: object) -> None:
        flag.value = 1
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, stop)
    _is_watching = True
    try:
        yield flag
    finally:
        _is_watching = False
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _flag = Flag()
    if flag.value and warn:
        warnings.warn(
            "Interrupted: the result is the best found so far.", SearchInterrupted, stacklevel=4
        )


def keeps_best(search: Search) -> Search:
    """Decorate a function that searches: its whole body is a `keep_best_on_interrupt`."""

    @functools.wraps(search)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with keep_best_on_interrupt():
            return search(*args, **kwargs)

    return wrapped  # type: ignore[return-value]
