"""Charts: systems of local coordinates around the best trials, for studies with many trials.

A chart is a system of local coordinates around the best trials, in which these trials spread
equally in all directions. Length scales that belong to parameters cannot describe a narrow valley
that runs across them. With enough trials, the best ones show where such a valley runs: in the
coordinates of their principal axes, divided by the spread along each, it is as wide as it is long.
A model of the nearby trials in these coordinates needs no other kernel and no other fit.

Glossary: ``U`` points of the unit cube, ``W`` the same points in the chart; c of the d parameters
are covered by the chart, the others have the same numbers in both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain
from optuna_bkop._model.training_set import is_feasible, scaled_constraints

#: Shortest and longest edge of a chart. Points of the unit cube that are closer than 1e-9 count as
#: one; a longer edge would leave the cube on both sides.
_SHORTEST, _LONGEST = 1e-6, 0.6
#: Smallest ratio of two edges: the square root of the smallest ratio of curvatures.
_NARROWEST = 1e-4


@dataclass(frozen=True)
class Chart:
    """Affine coordinates w of some parameters: u = origin + axes (w - 1/2).

    Attributes:
        columns: Indices (c,) of the parameters that the chart covers.
        origin: Numbers (c,) of the covered parameters, in the unit cube, at the centre w = 1/2.
        axes: Matrix (c, c) whose columns are the edges of the chart, that is, of the part of the
            unit cube in which all w are in [0, 1].
    """

    columns: NDArray[np.int64]
    origin: FloatArray
    axes: FloatArray

    @cached_property
    def inverse(self) -> FloatArray:
        """The inverse (c, c) of the axes."""
        return np.asarray(np.linalg.inv(self.axes))

    def inward(self, U: FloatArray) -> FloatArray:
        """Return points U (m, d) of the unit cube in chart coordinates; NaN counts as origin."""
        W = U.copy()
        offset = np.nan_to_num(U[:, self.columns] - self.origin, nan=0.0)
        W[:, self.columns] = 0.5 + offset @ self.inverse.T
        return W

    def outward(self, W: FloatArray) -> FloatArray:
        """Return the points (m, d) of the unit cube that are nearest to W (m, d)."""
        U = W.copy()
        U[:, self.columns] = np.clip(self.unbounded(W), 0.0, 1.0)
        return U

    def unbounded(self, W: FloatArray) -> FloatArray:
        """Return the covered numbers (m, c) of W (m, d), which may lie outside of [0, 1]."""
        u: FloatArray = self.origin + (W[:, self.columns] - 0.5) @ self.axes.T
        return u


@dataclass(frozen=True)
class ChartedDomain(Domain):
    """A domain whose points are given in the coordinates of a chart.

    The chart may reach beyond the unit cube. A point outside of the cube has the features of the
    nearest point of the cube. Conditions do not occur, because `local_chart` makes no chart if
    there are any.

    Attributes:
        chart: The chart, that is, the system of local coordinates around the best trials.
    """

    chart: Chart = field(kw_only=True)

    @cached_property
    def _charted_columns(self) -> NDArray[np.int64]:
        return self._first_column[self.chart.columns]

    def features(self, W: FloatArray) -> FloatArray:
        """Return the features (m, D) of points W (m, d) of the chart.

        Those of covered parameters are chart coordinates of the nearest point of the unit cube.
        """
        U = self.chart.outward(W)
        F = super().features(U)
        F[:, self._charted_columns] = self.chart.inward(U)[:, self.chart.columns]
        return F

    def gradient(self, W: FloatArray, d_features: FloatArray) -> FloatArray:
        """Return the gradient (m, d) of a function with respect to points W (m, d) of the chart.

        ``d_features`` (m, D) is its gradient with respect to the features. A point w of the chart
        is the point u = origin + A (w - 1/2) of the unit cube, with A (c, c) the axes of the
        chart. Numbers of u outside of [0, 1] are clipped, and the clipped u is mapped back to the
        chart. This gives the features of the c parameters that the chart covers. So these features
        change by A⁻¹ S A dw, where S is the diagonal matrix with 0 for clipped numbers and 1
        otherwise. Other numerical parameters are their own features. Categorical parameters have
        the gradient 0.
        """
        gradient = super().gradient(W, d_features)
        u = self.chart.unbounded(W)
        inside = (u >= 0.0) & (u <= 1.0)
        d_u = (d_features[:, self._charted_columns] @ self.chart.inverse) * inside
        gradient[:, self.chart.columns] = d_u @ self.chart.axes
        return gradient


def best_first(values: FloatArray, constraints: FloatArray) -> NDArray[np.int64]:
    """Return the indices (n,) of all trials, best first.

    Feasible trials come first, by value, and then the others, by value as well. If no trial is
    feasible, trials are ordered by their total violation of scaled constraints alone, smallest
    first.

    Args:
        values: Values (n,), to be maximised.
        constraints: Constraint values (n, k); feasible if at most 0, NaN if unknown, which is no
            violation.
    """
    feasible = is_feasible(constraints)
    if feasible.any():
        return np.lexsort((-values, ~feasible))
    violation = np.nansum(np.maximum(scaled_constraints(constraints), 0.0), axis=1)
    return np.argsort(violation, kind="stable")


def local_chart(U_best: FloatArray, domain: Domain, length: float) -> Chart | None:
    """Return a chart around the best point: coordinates in which the best points spread evenly.

    Its axes are the principal axes of the points' covariance, and each edge is ``length`` standard
    deviations long, within limits. Better points weigh more: with weights proportional to
    log(m + 1) - log(rank), as CMA-ES weighs them. The chart covers the continuous parameters.

    Args:
        U_best: The best points (m, d), best first. The first is the centre of the chart.
        domain: The domain of the points.
        length: Length of the edges, in standard deviations.

    Returns:
        The chart. None if fewer than two parameters are continuous, if a point lacks a continuous
        parameter, if some parameters depend on others, or if all points coincide.
    """
    columns = np.array(
        [j for j, p in enumerate(domain.parameters) if p.grid is None and p.steps is None],
        dtype=np.int64,
    )
    if len(columns) < 2 or domain.conditions or np.isnan(U_best[:, columns]).any():
        return None
    X, m = U_best[:, columns], len(U_best)
    weights = np.log(m + 1.0) - np.log(np.arange(1.0, m + 1.0))
    weights /= weights.sum()
    deviations = X - weights @ X
    variances, directions = np.linalg.eigh((deviations * weights[:, None]).T @ deviations)
    spreads = np.sqrt(np.maximum(variances, 0.0))
    if not spreads[-1] > 0:
        return None
    edges = length * np.maximum(spreads, _NARROWEST * spreads[-1])
    return Chart(columns, X[0], directions * np.clip(edges, _SHORTEST, _LONGEST))
