"""Search space <-> unit cube: each parameter's values as numbers of [0, 1].

A parameter with k equally likely values (int, step, categorical) divides [0, 1] into k cells and
a value is its cell's centre, so that uniform numbers give uniform values. Logarithmic parameters
are divided on the logarithmic scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from optuna_bkop._domain import Parameter
from optuna_bkop._kernels import FloatArray

#: A parameter with more values than this is searched like a continuous one, then rounded.
_MAX_GRID = 1000


_Numerical = FloatDistribution | IntDistribution


class UnitCube:
    """The numbers of [0, 1] that stand for the values of a search space.

    Args:
        search_space: Name -> distribution.
    """

    def __init__(self, search_space: Mapping[str, BaseDistribution]) -> None:
        self.names = tuple(sorted(search_space))
        self.distributions = tuple(search_space[name] for name in self.names)
        self.parameters = tuple(_parameter(dist) for dist in self.distributions)
        #: The same for equal spaces, in every process.
        self.signature = repr(list(zip(self.names, self.distributions, strict=True)))

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return len(self.names)

    def encode(
        self, params: Mapping[str, Any], distributions: Mapping[str, BaseDistribution]
    ) -> FloatArray:
        """The numbers (d,) of a trial's values.

        NaN where the trial has no value, or has one of another distribution.
        """
        u = np.full(self.dim, np.nan)
        for j, (name, distribution) in enumerate(zip(self.names, self.distributions, strict=True)):
            if name in params and distributions.get(name) == distribution:
                u[j] = to_unit(distribution, params[name])
        return u

    def decode(self, u: FloatArray) -> dict[str, Any]:
        """The values that the numbers u (d,) of [0, 1] stand for."""
        return {
            name: from_unit(distribution, float(u_j))
            for name, distribution, u_j in zip(self.names, self.distributions, u, strict=True)
        }


def to_unit(distribution: BaseDistribution, value: Any) -> float:
    """The number of [0, 1] that stands for a value."""
    if isinstance(distribution, CategoricalDistribution):
        index = distribution.to_internal_repr(value)
        return (index + 0.5) / len(distribution.choices)
    distribution = _numerical(distribution)
    low, high = _ends(distribution)
    if high <= low:
        return 0.5
    u = (_scaled(distribution, float(value)) - low) / (high - low)
    return min(max(u, 0.0), 1.0)


def from_unit(distribution: BaseDistribution, u: float) -> Any:
    """The value that a number of [0, 1] stands for, of the type that Optuna expects."""
    if isinstance(distribution, CategoricalDistribution):
        n = len(distribution.choices)
        return distribution.choices[min(int(u * n), n - 1)]
    distribution = _numerical(distribution)
    low, high = _ends(distribution)
    x = low + min(max(u, 0.0), 1.0) * (high - low)
    value = math.exp(x) if distribution.log else x
    if distribution.step is not None:
        n_steps = round((value - distribution.low) / distribution.step)
        value = distribution.low + distribution.step * n_steps
        # The highest value has one float, whichever way it is reached.
        if value > distribution.high - distribution.step / 2:
            value = distribution.high
    value = min(max(value, distribution.low), distribution.high)
    return int(value) if isinstance(distribution, IntDistribution) else float(value)


def _parameter(distribution: BaseDistribution) -> Parameter:
    if isinstance(distribution, CategoricalDistribution):
        n = len(distribution.choices)
        return Parameter(grid=(np.arange(n) + 0.5) / n, is_categorical=True)
    distribution = _numerical(distribution)
    step = distribution.step
    if step is None:
        return Parameter()
    n = math.floor((distribution.high - distribution.low) / step + 1e-9) + 1
    if n > _MAX_GRID:
        return Parameter(rounding=partial(_rounded, distribution))
    values = [distribution.low + step * i for i in range(n)]
    return Parameter(grid=np.array([to_unit(distribution, value) for value in values]))


def _rounded(distribution: _Numerical, u: FloatArray) -> FloatArray:
    """The numbers (m,) of [0, 1] that stand for the values that ``u`` (m,) are rounded to."""
    low, high = _ends(distribution)
    step = distribution.step or 0.0
    x = low + u * (high - low)
    values = np.exp(x) if distribution.log else x
    values = distribution.low + step * np.rint((values - distribution.low) / step)
    values = np.clip(values, distribution.low, distribution.high)
    numbers: FloatArray = ((np.log(values) if distribution.log else values) - low) / (high - low)
    return numbers


def _ends(distribution: _Numerical) -> tuple[float, float]:
    """The ends of [0, 1] on the distribution's scale; a discrete value owns half a step more."""
    half = (distribution.step or 0.0) / 2
    return (
        _scaled(distribution, distribution.low - half),
        _scaled(distribution, distribution.high + half),
    )


def _scaled(distribution: _Numerical, value: float) -> float:
    return math.log(value) if distribution.log else value


def _numerical(distribution: BaseDistribution) -> _Numerical:
    if isinstance(distribution, (FloatDistribution, IntDistribution)):
        return distribution
    raise ValueError(
        "A distribution must be a FloatDistribution, IntDistribution or "
        f"CategoricalDistribution, got {distribution!r}."
    )
