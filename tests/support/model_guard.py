"""Detects that the sampler's model failed.

When its model fails, `BKOPSampler` warns and suggests a lattice point, so that a user's study goes
on. A test or a benchmark must not go on: it would measure the lattice and report it as the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import optuna

from optuna_bkop import _suggest


class ModelFailedError(Exception):
    """The sampler's model failed, and the sampler fell back to a lattice point."""


@contextmanager
def model_failures(*, raise_at_once: bool = False) -> Iterator[list[Exception]]:
    """Collect the exceptions of the sampler's model within the block, at any verbosity.

    Args:
        raise_at_once: Whether to end the ask by a `ModelFailedError`. Otherwise the sampler falls
            back to the lattice as usual.
    """
    errors: list[Exception] = []
    warn_fallback = _suggest._warn_fallback

    def remember(ask: Any, memory: Any, error: Exception) -> None:
        errors.append(error)
        warn_fallback(ask, memory, error)
        if raise_at_once:
            raise _failed(error)

    _suggest._warn_fallback = remember
    try:
        yield errors
    finally:
        _suggest._warn_fallback = warn_fallback


@contextmanager
def model_must_not_fail() -> Iterator[None]:
    """Raise an error if the sampler's model fails within the block.

    Optuna's verbosity is `WARNING` within the block: benchmarks run thousands of trials, and each
    would log a line.

    Raises:
        ModelFailedError: At the failure, or at the end of the block if something else caught it.
    """
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        with model_failures(raise_at_once=True) as errors:
            yield
    finally:
        optuna.logging.set_verbosity(verbosity)
    if errors:
        raise _failed(errors[0])


def _failed(error: Exception) -> ModelFailedError:
    return ModelFailedError(f"The model failed: {type(error).__name__}: {error}")
