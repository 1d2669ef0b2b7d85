"""The 24 functions of the suite BBOB, by the package `ioh`.

Hansen, Finck, Ros, Auger (2009): Real-parameter black-box optimization benchmarking 2009,
noiseless functions definitions. An instance moves and rotates a function and adds a constant to
its values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.regret.landscape import Landscape

SUITE = "bbob"
#: Names of the functions: "bbob-f1" to "bbob-f24".
NAMES = tuple(f"{SUITE}-f{number}" for number in range(1, 25))
#: The five groups of functions, as the suite defines them.
GROUPS = {
    "separable, f1-f5": NAMES[:5],
    "moderate condition, f6-f9": NAMES[5:9],
    "high condition, f10-f14": NAMES[9:14],
    "many basins with structure, f15-f19": NAMES[14:19],
    "many basins, weak structure, f20-f24": NAMES[19:],
}


@dataclass(frozen=True)
class BbobProblem(Landscape):
    """An instance of a function of BBOB, whose domain [-5, 5]^d is scaled to the unit cube.

    The seed is the number of the instance. Values have the constant of the instance, so that the
    minimum differs from 0; `offset` is added to it.
    """

    def __post_init__(self) -> None:
        """Check the name, the dimension and the noise."""
        if self.name not in NAMES:
            raise ValueError(f"`name` must be one of {', '.join(NAMES)}, got {self.name!r}.")
        if self.dim < 2:
            raise ValueError(f"`dim` must be at least 2, got {self.dim}.")
        super().__post_init__()

    @cached_property
    def _problem(self) -> Any:
        import ioh  # an optional dependency

        number = NAMES.index(self.name) + 1
        return ioh.get_problem(number, self.seed, self.dim, ioh.ProblemClass.BBOB)

    @property
    def minimum(self) -> float:
        """The smallest noise-free value: the constant of the instance plus `offset`."""
        return float(self._problem.optimum.y) + self.offset

    @property
    def optimum(self) -> Array:
        """The minimiser in the unit cube, `(d,)`."""
        return (np.asarray(self._problem.optimum.x) + 5.0) / 10.0

    def regret(self, points: Array) -> Array:
        """Return the noise-free values at points `(n, d)` minus the minimum, `(n,)`."""
        values = np.array([self._problem(x) for x in (10.0 * points - 5.0).tolist()])
        return np.asarray(np.maximum(values - self._problem.optimum.y, 0.0))
