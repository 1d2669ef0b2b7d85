"""The domain of the models: parameters as numbers of [0, 1], conditions, and kernel features.

A point is a row ``u`` (d,) with one number of [0, 1] for each parameter. NaN means that the trial
does not have the parameter. The kernel measures distances between features ``F`` (D,). A numerical
parameter is its own feature. A categorical parameter with c choices has c indicator features,
scaled such that two different choices are at distance 1, as far apart as the ends of a range.

A branch is a value of a parameter on which other parameters depend. A parameter that belongs to
another branch than that of a point is inactive in it and has neutral features: 0.5, or the mean of
all choices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lattice_tools import kronecker
from optuna_bkop._arrays import FloatArray

#: Value of an indicator feature: two different choices are then at distance 1.
_INDICATOR = math.sqrt(0.5)
#: A parameter with at most this many values can be a condition for others.
_MAX_BRANCHES = 32


@dataclass(frozen=True)
class Steps:
    """A parameter with the values low, low + step, ..., high, which are too many to list.

    Numbers of [0, 1] represent the values, on a linear or on a logarithmic scale. Its ends 0 and 1
    are half a step outside of low and high, so that each value has an interval around it.

    Attributes:
        low: Lowest value.
        high: Highest value, a whole number of steps above the lowest one.
        step: Distance of neighbouring values.
        log: Whether [0, 1] is a logarithmic scale. The values are equally spaced in any case.
    """

    low: float
    high: float
    step: float
    log: bool

    @property
    def ends(self) -> tuple[float, float]:
        """The values at 0 and 1, or their logarithms: half a step outside of low and high."""
        half = self.step / 2
        low, high = self.low - half, self.high + half
        return (math.log(low), math.log(high)) if self.log else (low, high)

    def round(self, u: FloatArray) -> FloatArray:
        """Return the numbers (m,) of [0, 1] that represent the values nearest to u (m,)."""
        start, end = self.ends
        x = start + u * (end - start)
        values = np.exp(x) if self.log else x
        values = self.low + self.step * np.rint((values - self.low) / self.step)
        values = np.clip(values, self.low, self.high)
        numbers: FloatArray = ((np.log(values) if self.log else values) - start) / (end - start)
        return numbers


@dataclass(frozen=True)
class Parameter:
    """One parameter, whose values are represented by numbers of [0, 1].

    Attributes:
        grid: Numbers (c,) of [0, 1] that represent its values, ascending. None if the parameter is
            continuous or has too many values to list.
        is_categorical: Whether the order of the grid is meaningless.
        steps: The values of a parameter that has too many to list; None for all others.
    """

    grid: FloatArray | None = None
    is_categorical: bool = False
    steps: Steps | None = None

    @property
    def n_columns(self) -> int:
        """Number of features."""
        return len(self.grid) if self.is_categorical and self.grid is not None else 1


@dataclass(frozen=True)
class Condition:
    """A parameter is active only where its parent is active and has one of some values.

    Attributes:
        parent: Index of the parent parameter in the domain.
        values: Values of the parent, as numbers of its grid.
    """

    parent: int
    values: frozenset[float]


@dataclass(frozen=True)
class Domain:
    """All parameters of a search space, and the conditions under which they are active.

    A parameter is inactive in a point that takes another branch of the search space.

    Attributes:
        parameters: The parameters, in the order of the numbers of a point.
        conditions: Maps the index of a conditional parameter to its condition. The condition of a
            parent comes before those of its children. All other parameters are always active.
    """

    parameters: tuple[Parameter, ...]
    conditions: dict[int, Condition] = field(default_factory=dict)

    @property
    def dim(self) -> int:
        """Number of parameters d."""
        return len(self.parameters)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """Index of the parameter that each feature belongs to (D,)."""
        columns = [parameter.n_columns for parameter in self.parameters]
        return np.repeat(np.arange(self.dim), columns)

    @cached_property
    def numerical(self) -> NDArray[np.int64]:
        """Indices of the parameters that are not categorical, ascending."""
        return np.array(
            [j for j, p in enumerate(self.parameters) if not p.is_categorical], dtype=np.int64
        )

    @cached_property
    def discrete(self) -> NDArray[np.int64]:
        """Indices of the parameters that have a grid, that is, a list of values; ascending."""
        return np.array(
            [j for j, p in enumerate(self.parameters) if p.grid is not None], dtype=np.int64
        )

    @cached_property
    def is_discrete(self) -> NDArray[np.bool_]:
        """Which parameters (d,) have a grid."""
        return np.isin(np.arange(self.dim), self.discrete)

    @cached_property
    def n_points(self) -> float:
        """Number of combinations of values, active or not; infinity if a parameter has no grid."""
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
        """Index, feature columns and grid of each categorical parameter."""
        return [
            (j, slice(first, first + parameter.n_columns), parameter.grid)
            for j, (first, parameter) in enumerate(
                zip(self._first_column, self.parameters, strict=True)
            )
            if parameter.is_categorical and parameter.grid is not None
        ]

    def snap(self, U: FloatArray) -> FloatArray:
        """Return U (m, d) with each number moved to the nearest one that represents a value.

        Numbers outside of [0, 1] are clipped. U must not contain NaN.
        """
        snapped = np.clip(U, 0.0, 1.0)
        for j, parameter in enumerate(self.parameters):
            if parameter.grid is not None:
                middles = (parameter.grid[1:] + parameter.grid[:-1]) / 2
                snapped[:, j] = parameter.grid[np.searchsorted(middles, snapped[:, j])]
            elif parameter.steps is not None:
                snapped[:, j] = parameter.steps.round(snapped[:, j])
        return snapped

    def active(self, U: FloatArray) -> NDArray[np.bool_]:
        """Return for each number of U (m, d) whether its parameter is active (m, d)."""
        active = ~np.isnan(U)
        for j, condition in self.conditions.items():
            parent = condition.parent
            active[:, j] &= active[:, parent] & np.isin(U[:, parent], list(condition.values))
        return active

    def completed(self, u: FloatArray) -> FloatArray | None:
        """Return u (d,) with 0.5 in place of NaN; None if an active parameter is NaN."""
        filled = np.where(np.isnan(u), 0.5, u)
        is_missing = np.isnan(u) & self.active(filled[None])[0]
        return None if is_missing.any() else filled

    def features(self, U: FloatArray) -> FloatArray:
        """Return the features (m, D) of points U (m, d)."""
        active = self.active(U)
        F = np.where(active, U, 0.5)[:, self.groups]
        for j, columns, grid in self._indicators:
            chosen = np.isclose(U[:, j, None], grid)
            F[:, columns] = _INDICATOR * np.where(active[:, j, None], chosen, 1.0 / len(grid))
        return F

    def gradient(self, U: FloatArray, d_features: FloatArray) -> FloatArray:
        """Return the gradient (m, d) of a function with respect to points U (m, d).

        ``d_features`` (m, D) is its gradient with respect to the features. The result is 0 for
        categorical parameters, and where a parameter is inactive.
        """
        gradient = np.zeros_like(U)
        gradient[:, self.numerical] = d_features[:, self._numerical_columns]
        return np.where(self.active(U), gradient, 0.0)

    def keys(self, U: FloatArray) -> list[bytes]:
        """Return a key per point of U (m, d): its active numbers, rounded to nine decimals."""
        numbers = np.where(self.active(U), np.round(np.nan_to_num(U) * 1e9), -1.0)
        return [row.tobytes() for row in numbers.astype(np.int64)]

    def all_points(self) -> FloatArray:
        """Return all combinations (m, d) of values; all parameters must have a grid."""
        grids = [p.grid for p in self.parameters if p.grid is not None]
        return np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, self.dim)

    def sequence(self, start: int, n: int) -> FloatArray:
        """Return points (n, d) of a fixed space-filling sequence, from index ``start`` on."""
        return self.snap(kronecker(start, n, self.dim))

    def neighbours(self, u: FloatArray, n_most: int = 12) -> FloatArray:
        """Return points (m, d) that differ from ``u`` (d,) in one parameter that has a grid.

        A categorical parameter takes all other choices. An ordered one takes at most ``n_most``
        values, at distances of 1, 2, 4, ... grid steps in both directions.
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
    """Find conditions that explain which numbers of the observed points U (n, d) are NaN.

    A parameter that some trials lack depends on a parent if it is present exactly where the parent
    has some of its values. A parent has at most `_MAX_BRANCHES` values and is present more often
    than its children. It may depend on another parameter in turn. A parameter that no parent
    explains counts as always active.

    Args:
        U: Points; NaN where a trial does not have the parameter.
        parameters: The d parameters.

    Returns:
        The conditions by the index of the parameter that has them; conditions of parents come
        first.
    """
    present = ~np.isnan(U)
    counts = present.sum(axis=0)
    few = [
        j for j, p in enumerate(parameters) if p.grid is not None and len(p.grid) <= _MAX_BRANCHES
    ]
    conditions: dict[int, Condition] = {}
    for j in sorted(range(U.shape[1]), key=lambda j: -counts[j]):
        if not 0 < counts[j] < len(U):
            continue
        # Prefer the parent that is present most often.
        for parent in sorted(few, key=lambda parent: -counts[parent]):
            if counts[parent] <= counts[j]:
                break
            values_with = set(U[present[:, j], parent].tolist())
            values_without = set(U[~present[:, j] & present[:, parent], parent].tolist())
            if present[present[:, j], parent].all() and values_with.isdisjoint(values_without):
                conditions[j] = Condition(parent, frozenset(values_with))
                break
    return conditions
