"""Inner loops that numba compiles where it is installed (the extra ``fast``).

A kernel is an ordinary function of a module in this folder. `compiled` returns numba's version of
it, or None where numba is missing or not worth its second of loading; callers then take another
way to the same result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any

#: Seconds of work without numba after which it is loaded. Importing it and reading compiled code
#: from its cache takes about a second, compiling for the first time a few.
LOAD_AFTER = 1.0

#: Set this environment variable to "0" to do without numba.
SWITCH = "LATTICE_TOOLS_NUMBA"

_seconds_without = 0.0


def compiled(kernel: Callable[..., Any], seconds: float) -> Callable[..., Any] | None:
    """Return the version of a kernel that numba has compiled, or None.

    Args:
        kernel: A function of a module in this folder.
        seconds: Estimated duration of the caller's work without numba. Estimates add up over
            calls, so that many small jobs load numba, too.

    Returns:
        The compiled function; None if numba is missing or switched off, or if all estimates
        together are below `LOAD_AFTER` seconds, so that loading it does not pay yet.
    """
    global _seconds_without
    if _seconds_without < LOAD_AFTER:
        _seconds_without += seconds
        if _seconds_without < LOAD_AFTER:
            return None
    return _compiled_module(kernel.__module__).get(kernel.__name__)


@cache
def is_available() -> bool:
    """Whether numba can be used. Imports it."""
    if os.environ.get(SWITCH) == "0":
        return False
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


@cache
def _compiled_module(name: str) -> dict[str, Callable[..., Any]]:
    """Compiled versions of the functions of a module, by name; empty without numba."""
    if not is_available():
        return {}
    import importlib

    import numba

    module = importlib.import_module(name)
    functions: Sequence[FunctionType] = [
        f for f in vars(module).values() if isinstance(f, FunctionType) and f.__module__ == name
    ]
    # Compiled functions can call each other only by names that mean compiled functions. The copies
    # stay in one file with one cache: numba does not notice changes in a called function's file.
    namespace = dict(vars(module))
    for f in functions:
        copy = FunctionType(f.__code__, namespace, f.__name__, f.__defaults__)
        try:
            namespace[f.__name__] = numba.njit(cache=True)(copy)
        except RuntimeError:  # No folder for the cache can be written.
            namespace[f.__name__] = numba.njit(copy)
    return {f.__name__: namespace[f.__name__] for f in functions}
