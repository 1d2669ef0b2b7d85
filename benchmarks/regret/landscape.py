"""What all problems of this benchmark are: functions on the unit cube with a known minimum."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.harness.generators import generator

#: Random points from which the standard deviation of values is computed, to about 2 %.
SPREAD_POINTS = 2000


@dataclass(frozen=True)
class Landscape(ABC):
    """A function on the unit cube, observed with noise.

    Attributes:
        name: Name of the function.
        dim: Number of parameters `d`, at least 2.
        seed: Determines everything that is random about the problem.
        noise: Standard deviation of the noise of observations, in units of `spread`.
        offset: Constant added to all values.
    """

    name: str
    dim: int
    seed: int = 0
    noise: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        """Check the noise."""
        if not self.noise >= 0:
            raise ValueError(f"`noise` must not be negative, got {self.noise}.")

    def rng(self, purpose: str) -> np.random.Generator:
        """Return a random generator that is determined by the seed, the name and a purpose."""
        return generator(self.seed, self.name, purpose)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the noise-free values on 2000 uniform points of the cube."""
        return float(np.std(self.regret(self.rng("spread").random((SPREAD_POINTS, self.dim)))))

    @property
    @abstractmethod
    def minimum(self) -> float:
        """The smallest noise-free value."""

    @abstractmethod
    def regret(self, points: Array) -> Array:
        """Return the noise-free values at points `(n, d)` minus the minimum, `(n,)`."""

    def values(self, points: Array) -> Array:
        """Return the noise-free values of points `(n, d)`, `(n,)`."""
        return self.regret(points) + self.minimum

    def observe(self, points: Array, rng: np.random.Generator) -> Array:
        """Return the values of points `(n, d)` as a sampler sees them, with noise, `(n,)`."""
        values = self.values(points)
        if self.noise == 0:
            return values
        return values + self.noise * self.spread * rng.standard_normal(len(values))
