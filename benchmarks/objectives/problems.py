"""Problems as a study sees them: parameters to suggest, and values to report.

The optimum of a test function is moved inside its domain at random, so that no sampler profits
from an optimum in the centre or on the boundary. A move maps the unit cube onto itself: all
samplers and seeds face the same set of attainable values, and one reference front serves them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from optuna.trial import BaseTrial

from benchmarks.harness.arrays import Array
from benchmarks.harness.generators import generator
from benchmarks.harness.studies import Outcome, Problem
from benchmarks.objectives.functions import Function, function

#: Distance of a moved optimum from the faces of the cube.
MARGIN = 0.15


@dataclass(frozen=True)
class FunctionProblem(Problem):
    """A test function on the unit cube.

    Attributes:
        name: One of `functions.FUNCTIONS`.
        seed: Determines where the optimum is moved to.
        stretch: What a sampler is told in place of the values `(m,)`: an increasing function of
            each objective; None for the values themselves. Hypervolumes are those of the values.
    """

    name: str
    seed: int = 0
    stretch: Callable[[Array], Array] | None = None

    @cached_property
    def function(self) -> Function:
        """The test function of this name, before its optimum is moved."""
        return function(self.name)

    @cached_property
    def optimum(self) -> Array:
        """Where the Pareto set is moved to, `(d,)`; NaN where it has no single value."""
        best = np.array(self.function.optimum or (None,) * self.function.dim, dtype=float)
        moved = generator(self.seed, self.name, "move").uniform(MARGIN, 1 - MARGIN, len(best))
        return np.where(np.isnan(best), np.nan, moved)

    def suggest(self, trial: BaseTrial) -> None:
        """Suggest `x0`, `x1`, ..., each between 0 and 1."""
        for j in range(self.function.dim):
            trial.suggest_float(f"x{j}", 0.0, 1.0)

    def evaluate(self, params: Mapping[str, Any]) -> Outcome:
        """Return the values and the constraints."""
        return self.outcome(np.array([params[f"x{j}"] for j in range(self.function.dim)]))

    def outcome(self, point: Array) -> Outcome:
        """Return the values and constraints of a point `(d,)` of the unit cube."""
        z = self.function.at(self._unmoved(point)[None])
        constraints = self.function.constraints
        return Outcome(
            self.function.formula(z)[0], np.empty(0) if constraints is None else constraints(z)[0]
        )

    def shown(self, values: Array) -> Array:
        """Return the stretched values; the values themselves without a `stretch`."""
        return values if self.stretch is None else self.stretch(values)

    def _unmoved(self, point: Array) -> Array:
        """Return the point `(d,)` of the function's own cube that the moved one shows at `point`.

        Let s be a parameter's value in the moved optimum. If its best value in the function's own
        cube is 0, the parameter x is folded, |x - s| / max(s, 1 - s). If the best value is b in
        (0, 1), x is stretched on either side, so that 0, s and 1 become 0, b and 1.
        """
        z = point.copy()
        for j, (best, s) in enumerate(zip(self.function.optimum, self.optimum, strict=False)):
            if best == 0.0:
                z[j] = abs(point[j] - s) / max(s, 1 - s)
            elif best is not None:
                z[j] = np.interp(point[j], [0.0, s, 1.0], [0.0, best, 1.0])
        return z


def scaled(values: Array) -> Array:
    """Return values `(m,)` times 1000 (the first) to 0.001 (the last), minus 1000."""
    return np.asarray(values * np.logspace(3, -3, len(values)) - 1000.0)


def heavy_tailed(values: Array) -> Array:
    """Return exponentials of values `(m,)`: a bad value is worse by orders of magnitude."""
    return np.asarray(np.exp(2.0 * values))
