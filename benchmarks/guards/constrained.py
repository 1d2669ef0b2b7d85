"""Problems with constraints: those of pymoo, and thin feasible regions at random places.

Functions take points `(n, d)` of their own domain. A constraint is satisfied if not positive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from optuna.trial import BaseTrial

from benchmarks.harness.arrays import Array
from benchmarks.harness.generators import generator
from benchmarks.harness.studies import Outcome, Problem

#: Problems of pymoo and their least feasible values: of the G problems the published ones, of the
#: others the best of 200 searches with SLSQP from random points. Of the two objectives of the
#: welded beam only the first counts, its cost. Parameters that are discrete are continuous here.
MINIMA = {
    "g1": -15.0,
    "g2": -0.80361910,
    "g4": -30665.53867,
    "g6": -6961.813876,
    "g7": 24.30620907,
    "g8": -0.09582504,
    "g9": 680.6300574,
    "g10": 7049.248021,
    "g24": -5.508013272,
    "welded-beam": 2.380956485,
    "pressure-vessel": 5885.332774,
    "cantilevered-beam": 92.76930826,
}


@dataclass(frozen=True)
class Region:
    """An objective and its constraints on a box.

    Attributes:
        evaluate: Returns values `(n,)` and constraints `(n, c)` of points `(n, d)`.
        lower: Lower bounds `(d,)`.
        upper: Upper bounds `(d,)`.
        minimum: The least feasible value; None if unknown.
    """

    evaluate: Callable[[Array], tuple[Array, Array]]
    lower: Array
    upper: Array
    minimum: float | None = None


def of_pymoo(name: str) -> Region:
    """Return a problem of pymoo."""
    from pymoo.problems import get_problem  # an optional dependency

    found = get_problem(name.replace("-", "_"))

    def evaluate(z: Array) -> tuple[Array, Array]:
        out = found.evaluate(z, return_values_of=["F", "G"])
        return out[0][:, 0], out[1]

    return Region(evaluate, found.xl, found.xu, MINIMA[name])


def crescent(dim: int, thickness: float, seed: int) -> Region:
    """Return a crescent between two spheres, of a thickness given as a share of the range.

    The objective is linear, and the two constraints differ in scale by a factor of a thousand.
    """
    rng = generator(seed, "crescent", str(dim))
    centre, slope, direction = rng.uniform(0.3, 0.7, dim), *rng.standard_normal((2, dim))
    radius = rng.uniform(0.2, 0.5)
    # The thickness is greatest where the outer sphere is moved away from the inner one.
    outer = centre + thickness / 2 * direction / np.linalg.norm(direction)

    def evaluate(z: Array) -> tuple[Array, Array]:
        inside = radius**2 - np.sum((z - centre) ** 2, axis=1)
        outside = np.sum((z - outer) ** 2, axis=1) - (radius + thickness / 2) ** 2
        return np.asarray(z @ slope), np.column_stack([1e4 * inside, 10 * outside])

    return Region(evaluate, np.zeros(dim), np.ones(dim))


def band(dim: int, tolerance: float, seed: int) -> Region:
    """Return a curved surface as an equation that must hold with a tolerance."""
    rng = generator(seed, "band", str(dim))
    slope, waves, phase = rng.standard_normal((3, dim))
    inside, best = rng.random((2, dim))

    def height(z: Array) -> Array:
        return np.asarray(z @ slope + np.sin(3 * z @ waves + phase[0]))

    def evaluate(z: Array) -> tuple[Array, Array]:
        h = height(z) - height(inside)
        return np.sum((z - best) ** 2, axis=1), np.column_stack([h - tolerance, -h - tolerance])

    return Region(evaluate, np.zeros(dim), np.ones(dim))


#: Thin regions, whose place depends on the seed.
THIN: dict[str, Callable[[int], Region]] = {
    "crescent-d2": partial(crescent, 2, 0.0005),
    "crescent-d4": partial(crescent, 4, 0.01),
    "band-d2": partial(band, 2, 0.0005),
    "band-d6": partial(band, 6, 0.005),
}


@dataclass(frozen=True)
class ConstrainedProblem(Problem):
    """A problem with constraints; its parameters have the bounds of the function.

    Attributes:
        name: A key of `MINIMA` or `THIN`.
        seed: Determines the place of a thin region; without effect on others.
    """

    name: str
    seed: int

    @cached_property
    def region(self) -> Region:
        """The objective and the constraints."""
        return THIN[self.name](self.seed) if self.name in THIN else of_pymoo(self.name)

    def suggest(self, trial: BaseTrial) -> None:
        """Suggest `x0`, `x1`, ..."""
        bounds = zip(self.region.lower.tolist(), self.region.upper.tolist(), strict=True)
        for j, (lower, upper) in enumerate(bounds):
            trial.suggest_float(f"x{j}", lower, upper)

    def evaluate(self, params: Mapping[str, Any]) -> Outcome:
        """Return the value and the constraints."""
        z = np.array([[params[f"x{j}"] for j in range(len(self.region.lower))]])
        values, constraints = self.region.evaluate(z)
        return Outcome(values, constraints[0])
