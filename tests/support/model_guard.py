"""Turns the sampler's fallback into an error.

When its model fails, `BKOPSampler` warns and suggests a lattice point, so that a user's study goes
on. A benchmark must not go on: it would measure the lattice and report it as the model.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import optuna

#: The names of the sampler's loggers have this prefix, and the warning of its fallback, which
#: changes after some failures in a row, has one of these texts.
LOGGERS = "optuna.optuna_bkop"
FALLBACK_TEXTS = ("the model failed", "The model has failed")


class ModelFailedError(Exception):
    """The sampler's model failed, and the sampler fell back to a lattice point."""


class _RaiseOnFallback(logging.Handler):
    """Raises at the sampler's fallback warning, and remembers its text."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        is_fallback = any(text in message for text in FALLBACK_TEXTS)
        if record.name.startswith(LOGGERS) and is_fallback:
            self.messages.append(message)
            raise ModelFailedError(message)


@contextmanager
def model_must_not_fail() -> Iterator[None]:
    """Raise an error if the sampler's model fails within the block.

    Optuna's verbosity is `WARNING` within the block, because messages below the verbosity do not
    reach any handler.

    Raises:
        ModelFailedError: At the failure, or at the end of the block if something else caught it.
    """
    logger = logging.getLogger("optuna")
    handler = _RaiseOnFallback()
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        optuna.logging.set_verbosity(verbosity)
    if handler.messages:
        raise ModelFailedError(handler.messages[0])
