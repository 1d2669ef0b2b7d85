"""The domain of the model: parameters as numbers of [0, 1], and the features the kernel sees.

A point is a row ``u`` (d,), one number for each parameter; NaN says that the parameter was not
asked for. Features ``F`` (D,) are what distances are taken of: a numerical parameter is itself; a
categorical one with c choices is c indicator columns, scaled so that two different choices are at
distance 1, as far apart as the two ends of a range. A parameter that plays no part in a point
(a branch not taken) has a neutral value: the middle, or all choices alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lattice_tools import kronecker
from optuna_bkop._kernels import FloatArray

_INDICATOR = math.sqrt(0.5)


@dataclass(frozen=True)
class Parameter:
    """One parameter.

    Attributes:
        grid: The numbers of [0, 1] that stand for its values, ascending; None: all numbers do, or
            too many to list.
        is_categorical: Whether the grid's order means nothing.
        rounding: Without a grid: moves numbers (m,) of [0, 1] to the nearest that stand for a
            value; None: all do.
    """

    grid: FloatArray | None = None
    is_categorical: bool = False
    rounding: Callable[[FloatArray], FloatArray] | None = None

    @property
    def n_columns(self) -> int:
        """How many features it has."""
        return len(self.grid) if self.is_categorical and self.grid is not None else 1


@dataclass(frozen=True)
class Condition:
    """A parameter plays a part only where another one, ``parent``, does and has some values.

    Attributes:
        parent: Its index.
        values: Numbers of its grid.
    """

    parent: int
    values: frozenset[float]


@dataclass(frozen=True)
class Domain:
    """All parameters, and on which others each depends.

    Attributes:
        parameters: In the order of a point's numbers.
        conditions: Index of a parameter -> when it plays a part; others always do. A parent's
            own condition comes before those that depend on it.
    """

    parameters: tuple[Parameter, ...]
    conditions: dict[int, Condition] = field(default_factory=dict)

    @property
    def dim(self) -> int:
        """The number of parameters d."""
        return len(self.parameters)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The parameter of each feature (D,)."""
        columns = [parameter.n_columns for parameter in self.parameters]
        return np.repeat(np.arange(self.dim), columns)

    @cached_property
    def numerical(self) -> NDArray[np.int64]:
        """Indices of the parameters whose order means something."""
        return np.array(
            [j for j, p in enumerate(self.parameters) if not p.is_categorical], dtype=np.int64
        )

    @cached_property
    def discrete(self) -> NDArray[np.int64]:
        """Indices of the parameters that have a grid."""
        return np.array(
            [j for j, p in enumerate(self.parameters) if p.grid is not None], dtype=np.int64
        )

    @cached_property
    def is_discrete(self) -> NDArray[np.bool_]:
        """Which parameters (d,) have a grid."""
        return np.isin(np.arange(self.dim), self.discrete)

    @cached_property
    def n_points(self) -> float:
        """How many different points there are; infinity if any parameter has no grid."""
        if len(self.discrete) < self.dim:
            return math.inf
        return math.prod(len(p.grid) for p in self.parameters if p.grid is not None)

    @cached_property
    def _first_column(self) -> NDArray[np.int64]:
        return np.searchsorted(self.groups, np.arange(self.dim))

    @cached_property
    def _numerical_columns(self) -> NDArray[np.int64]:
        return self._first_column[self.numerical]

    @cached_property
    def _indicators(self) -> list[tuple[int, slice, FloatArray]]:
        """The index, the columns and the grid of each categorical parameter."""
        return [
            (j, slice(first, first + parameter.n_columns), parameter.grid)
            for j, (first, parameter) in enumerate(
                zip(self._first_column, self.parameters, strict=True)
            )
            if parameter.is_categorical and parameter.grid is not None
        ]

    def snap(self, U: FloatArray) -> FloatArray:
        """Each number of U (m, d) moved to the nearest that stands for a value."""
        snapped = np.clip(U, 0.0, 1.0)
        for j, parameter in enumerate(self.parameters):
            if parameter.grid is not None:
                middles = (parameter.grid[1:] + parameter.grid[:-1]) / 2
                snapped[:, j] = parameter.grid[np.searchsorted(middles, snapped[:, j])]
            elif parameter.rounding is not None:
                snapped[:, j] = parameter.rounding(snapped[:, j])
        return snapped

    def active(self, U: FloatArray) -> NDArray[np.bool_]:
        """Which numbers of U (m, d) play a part."""
        active = ~np.isnan(U)
        for j, condition in self.conditions.items():
            parent = condition.parent
            active[:, j] &= active[:, parent] & np.isin(U[:, parent], list(condition.values))
        return active

    def features(self, U: FloatArray) -> FloatArray:
        """The features (m, D) of points U (m, d)."""
        active = self.active(U)
        F = np.where(active, U, 0.5)[:, self.groups]
        for j, columns, grid in self._indicators:
            chosen = np.isclose(U[:, j, None], grid)
            F[:, columns] = _INDICATOR * np.where(active[:, j, None], chosen, 1.0 / len(grid))
        return F

    def gradient(self, U: FloatArray, d_features: FloatArray) -> FloatArray:
        """The gradient (m, d) in U of what has the gradient ``d_features`` (m, D)."""
        gradient = np.zeros_like(U)
        gradient[:, self.numerical] = d_features[:, self._numerical_columns]
        return np.where(self.active(U), gradient, 0.0)

    def keys(self, U: FloatArray) -> list[bytes]:
        """For each point of U (m, d) a key; points that mean the same have the same key."""
        numbers = np.where(self.active(U), np.round(np.nan_to_num(U) * 1e9), -1.0)
        return [row.tobytes() for row in numbers.astype(np.int64)]

    def all_points(self) -> FloatArray:
        """All points (m, d) of a domain whose parameters all have a grid."""
        grids = [p.grid for p in self.parameters if p.grid is not None]
        return np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, self.dim)

    def sequence(self, start: int, n: int) -> FloatArray:
        """Points (n, d) of one space-filling sequence, from index ``start`` on."""
        return self.snap(kronecker(start, n, self.dim))

    def neighbours(self, u: FloatArray, n_most: int = 12) -> FloatArray:
        """Points (m, d) that differ from ``u`` (d,) in one discrete parameter.

        All choices of a categorical parameter, and of an ordered one the values nearby and, in
        growing strides, farther off; at most about ``n_most`` of each.
        """
        rows = []
        for j in self.discrete:
            grid = self.parameters[j].grid
            if grid is None:
                continue
            at = int(np.argmin(np.abs(grid - u[j])))
            if self.parameters[j].is_categorical:
                others = np.arange(len(grid))
            else:
                strides = 2 ** np.arange(n_most // 2)
                others = np.concatenate([at - strides, at + strides])
                others = others[(others >= 0) & (others < len(grid))]
            for other in others[others != at]:
                row = u.copy()
                row[j] = grid[other]
                rows.append(row)
        return np.array(rows).reshape(-1, self.dim)


def find_conditions(U: FloatArray, parameters: tuple[Parameter, ...]) -> dict[int, Condition]:
    """Conditions that explain which numbers of the observed points U (n, d) are NaN.

    A parameter that was sometimes asked for depends on a parent with few values, asked for more
    often, if it was asked for just where the parent had some of its values. The parent may depend
    on another one in turn; conditions are listed with those of parents first. Where no parent
    explains a parameter it is taken to play a part always.
    """
    present = ~np.isnan(U)
    counts = present.sum(axis=0)
    few = [j for j, p in enumerate(parameters) if p.grid is not None and len(p.grid) <= 32]
    conditions: dict[int, Condition] = {}
    for j in sorted(range(U.shape[1]), key=lambda j: -counts[j]):
        if not 0 < counts[j] < len(U):
            continue
        # Of several, the one asked for most often.
        for parent in sorted(few, key=lambda parent: -counts[parent]):
            if counts[parent] <= counts[j]:
                break
            values_with = set(U[present[:, j], parent].tolist())
            values_without = set(U[~present[:, j] & present[:, parent], parent].tolist())
            if present[present[:, j], parent].all() and values_with.isdisjoint(values_without):
                conditions[j] = Condition(parent, frozenset(values_with))
                break
    return conditions
