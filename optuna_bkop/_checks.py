"""Checks of arguments: errors that carry the value and the choices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution


def check_integer(name: str, value: object, minimum: int) -> None:
    """Raise a ValueError unless ``value`` is an integer of at least ``minimum``."""
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_integer or value < minimum:  # type: ignore[operator]
        kind = "a positive integer" if minimum == 1 else f"an integer of at least {minimum}"
        raise ValueError(f"`{name}` must be {kind}, got {value!r}.")


def check_number(name: str, value: object, *, positive: bool = False) -> None:
    """Raise a ValueError unless ``value`` is a finite number, not negative."""
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < 0 or (positive and value == 0):  # type: ignore[arg-type, operator]
        kind = "positive" if positive else "non-negative"
        raise ValueError(f"`{name}` must be a {kind} finite number, got {value!r}.")


def check_choice(name: str, value: object, choices: Sequence[str] | Mapping[str, Any]) -> None:
    """Raise a ValueError unless ``value`` is one of the choices."""
    if value not in choices:
        raise ValueError(f"`{name}` must be one of {', '.join(choices)}, got {value!r}.")


def checked_space(search_space: Mapping[str, BaseDistribution]) -> dict[str, BaseDistribution]:
    """The parameters that have more than one value, by name; a ValueError for anything else."""
    for name, distribution in search_space.items():
        if not isinstance(distribution, BaseDistribution):
            raise ValueError(
                f"`search_space` must map names to Optuna distributions, got {distribution!r} "
                f"for {name!r}."
            )
    return {
        name: search_space[name]
        for name in sorted(search_space)
        if not search_space[name].single()
    }
