"""Test functions on the unit cube: shifted, rotated, with noise and with an offset.

Glossary: `n` points, `d` parameters, `x` a point of the unit cube, `z` a point of a function's own
domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.regret.functions import FUNCTIONS
from benchmarks.regret.landscape import Landscape

#: Distance of a shifted optimum from the faces of the cube, so that no sampler finds it by
#: clipping coordinates to their bounds.
SHIFT_MARGIN = 0.15


@dataclass(frozen=True)
class Problem(Landscape):
    """A function on the unit cube whose minimum is `offset`.

    Values are `f(z) - min f + offset` with `z = z_opt + R (x - x_opt)`, where `x - x_opt` is
    scaled to the domain's side. `x_opt` corresponds to `z_opt` or, with `shift`, is a random
    point. `R` is the identity or, with `rotate`, a random orthogonal matrix. All randomness is
    determined by `seed` and `name`.

    Attributes:
        name: A key of `FUNCTIONS`.
        dim: Number of parameters `d`, at least 2; 6 for hartmann6 and 2 for branin.
        seed: Determines the shift, the rotation and the noise.
        shift: Whether the optimum is a uniform random point of [0.15, 0.85]^d instead of the
            function's own.
        rotate: Whether the function is rotated about its optimum.
        noise: Standard deviation of the noise of observations, in units of `spread`.
        offset: Constant added to all values.

    Example:
        >>> problem = Problem("ackley", dim=6, seed=1, offset=-5.0)
        >>> problem.values(problem.optimum[None]).round(9)
        array([-5.])
    """

    shift: bool = True
    rotate: bool = False

    def __post_init__(self) -> None:
        """Check the name, the dimension and the noise."""
        if self.name not in FUNCTIONS:
            raise ValueError(f"`name` must be one of {sorted(FUNCTIONS)}, got {self.name!r}.")
        fixed = FUNCTIONS[self.name].dim
        if self.dim < 2 or (fixed is not None and self.dim != fixed):
            allowed = "at least 2" if fixed is None else f"{fixed} for {self.name}"
            raise ValueError(f"`dim` must be {allowed}, got {self.dim}.")
        super().__post_init__()

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        function = FUNCTIONS[self.name]
        lower = np.broadcast_to(np.asarray(function.lower, dtype=float), self.dim)
        upper = np.broadcast_to(np.asarray(function.upper, dtype=float), self.dim)
        return lower, upper - lower

    @cached_property
    def _own_optimum(self) -> Array:
        return FUNCTIONS[self.name].optimum(self.dim)

    @cached_property
    def _own_minimum(self) -> float:
        return float(FUNCTIONS[self.name].formula(self._own_optimum[None])[0])

    @cached_property
    def _rotation(self) -> Array:
        if not self.rotate:
            return np.eye(self.dim)
        q, r = np.linalg.qr(self.rng("rotate").standard_normal((self.dim, self.dim)))
        return np.asarray(q * np.sign(np.diag(r)))  # uniform thanks to the signs (Mezzadri 2007)

    @cached_property
    def optimum(self) -> Array:
        """A minimiser in the unit cube, `(d,)`."""
        if self.shift:
            return self.rng("shift").uniform(SHIFT_MARGIN, 1 - SHIFT_MARGIN, self.dim)
        lower, side = self._box
        return np.asarray((self._own_optimum - lower) / side)

    @property
    def minimum(self) -> float:
        """The smallest noise-free value: `offset`."""
        return self.offset

    def regret(self, points: Array) -> Array:
        """Return the noise-free values at points `(n, d)` minus the minimum, `(n,)`."""
        _, side = self._box
        z = self._own_optimum + ((points - self.optimum) * side) @ self._rotation.T
        return np.asarray(np.maximum(FUNCTIONS[self.name].formula(z) - self._own_minimum, 0.0))
