"""Maps search spaces to the unit cube: each parameter's value is a number of [0, 1].

A parameter with k equally likely values (int, step, categorical) divides [0, 1] into k intervals.
A value is represented by the centre of its interval, so that uniform numbers give uniform values.
Logarithmic parameters are divided on the logarithmic scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Parameter, Steps
from optuna_bkop._seeds import derived_seed

#: A parameter with more values than this is searched like a continuous one, then rounded. A grid
#: of this size still costs little to search.
_MAX_GRID = 1000


_Numerical = FloatDistribution | IntDistribution


class UnitCube:
    """A search space as a unit cube: one number of [0, 1] for each parameter.

    Args:
        search_space: Maps names to distributions. A ValueError is raised if one is neither a
            FloatDistribution, an IntDistribution nor a CategoricalDistribution.

    Attributes:
        names: Parameter names, sorted.
        distributions: Distributions of the parameters, in the order of the names.
        parameters: Descriptions of the parameters for the model, in the order of the names.
        signature: Text that is equal for equal search spaces, in every process.
        key: Digest of the signature, 16 hexadecimal digits.
    """

    def __init__(self, search_space: Mapping[str, BaseDistribution]) -> None:
        self.names = tuple(sorted(search_space))
        self.distributions = tuple(search_space[name] for name in self.names)
        self.parameters = tuple(_parameter(dist) for dist in self.distributions)
        self.signature = repr(list(zip(self.names, self.distributions, strict=True)))
        self.key = f"{derived_seed('space', self.signature):032x}"[:16]

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return len(self.names)

    def encode(
        self, params: Mapping[str, Any], distributions: Mapping[str, BaseDistribution]
    ) -> FloatArray:
        """Return the point (d,) of a trial's parameters, with numbers of [0, 1].

        It is NaN where the trial lacks the parameter or has it with another distribution.

        Args:
            params: Values by name.
            distributions: Distributions by name.
        """
        u = np.full(self.dim, np.nan)
        for j, (name, distribution) in enumerate(zip(self.names, self.distributions, strict=True)):
            if name in params and distributions.get(name) == distribution:
                u[j] = to_unit(distribution, params[name])
        return u

    def decode(self, u: FloatArray) -> dict[str, Any]:
        """Return the parameters of a point u (d,)."""
        return {
            name: from_unit(distribution, float(u_j))
            for name, distribution, u_j in zip(self.names, self.distributions, u, strict=True)
        }


def to_unit(distribution: BaseDistribution, value: Any) -> float:
    """Return the number of [0, 1] that represents a value, the nearest if it is out of range.

    Raises:
        ValueError: The value is none of the choices of a categorical parameter.
    """
    if isinstance(distribution, CategoricalDistribution):
        index = distribution.to_internal_repr(value)
        return (index + 0.5) / len(distribution.choices)
    distribution = _numerical(distribution)
    low, high = _ends(distribution)
    if high <= low:
        return 0.5
    x = _scaled(distribution, float(value))
    if math.isinf(high - low):
        low, high, x = low / 2, high / 2, x / 2
    return min(max((x - low) / (high - low), 0.0), 1.0)


def from_unit(distribution: BaseDistribution, u: float) -> Any:
    """Return the value that a number of [0, 1] represents, with the type that Optuna expects.

    If the parameter has steps or choices, that is the value whose interval contains the number.
    """
    if isinstance(distribution, CategoricalDistribution):
        n = len(distribution.choices)
        return distribution.choices[min(int(u * n), n - 1)]
    distribution = _numerical(distribution)
    low, high = _ends(distribution)
    u = min(max(u, 0.0), 1.0)
    x = low + u * (high - low) if math.isfinite(high - low) else (1.0 - u) * low + u * high
    value = math.exp(x) if distribution.log else x
    if distribution.step is not None:
        n_steps = round((value - distribution.low) / distribution.step)
        value = distribution.low + distribution.step * n_steps
        # Rounding must not give two floats for the highest value.
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
        low, high = distribution.low, distribution.high
        return Parameter(steps=Steps(low, high, step, distribution.log))
    values = [distribution.low + step * i for i in range(n)]
    return Parameter(grid=np.array([to_unit(distribution, value) for value in values]))


def _ends(distribution: _Numerical) -> tuple[float, float]:
    """Return the values at 0 and 1 of the unit interval, or their logarithms for a log scale.

    A discrete value owns half a step on each side, so the ends lie half a step outside of the
    range.
    """
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
