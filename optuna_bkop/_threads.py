"""One core for the model: the objective's cores are not ours to take.

BLAS would spread even small products over all cores, which slows them down and takes cores from
objectives that run in other threads. threadpoolctl is the one portable way to say so for a while.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS calls within use one thread; what was set before is restored."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    # SciPy may bring a BLAS of its own, which can be limited only once it is loaded.
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()
