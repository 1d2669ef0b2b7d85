"""Checks arguments. Errors name the argument, the value and the choices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np


def check_integer(name: str, value: object, minimum: int) -> None:
    """Raise a ValueError unless ``value`` is an integer of at least ``minimum``."""
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_integer or value < minimum:  # type: ignore[operator]
        kind = "a positive integer" if minimum == 1 else f"an integer of at least {minimum}"
        raise ValueError(f"`{name}` must be {kind}, got {value!r}.")


def check_finite(name: str, value: object, kind: str = "finite") -> float:
    """Return ``value`` as a float; raise a ValueError unless it is a finite number.

    ``kind`` is the word for the expected number in the message. Booleans are not accepted.
    """
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):  # type: ignore[arg-type]
        raise ValueError(f"`{name}` must be a {kind} number, got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def check_number(name: str, value: object, *, positive: bool = False) -> None:
    """Raise a ValueError unless ``value`` is a finite number of at least 0.

    If ``positive`` is True, 0 is an error, too.
    """
    kind = "positive finite" if positive else "non-negative finite"
    x = check_finite(name, value, kind)
    if x < 0 or (positive and x == 0):
        raise ValueError(f"`{name}` must be a {kind} number, got {value!r}.")


def check_numbers(name: str, values: object) -> tuple[float, ...]:
    """Return ``values`` as floats.

    Raises:
        ValueError: ``values`` is no sequence or empty, or one is not positive and finite.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ValueError(f"`{name}` must be a sequence of positive numbers, got {values!r}.")
    numbers = tuple(values)
    if not numbers:
        raise ValueError(f"`{name}` must hold at least one positive number, got none.")
    for number in numbers:
        check_number(name, number, positive=True)
    return tuple(float(number) for number in numbers)


def check_boolean(name: str, value: object) -> None:
    """Raise a ValueError unless ``value`` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"`{name}` must be True or False, got {value!r}.")


def check_choice(name: str, value: object, choices: Sequence[str] | Mapping[str, Any]) -> None:
    """Raise a ValueError unless ``value`` is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"`{name}` must be one of {', '.join(choices)}, got {value!r}.")
