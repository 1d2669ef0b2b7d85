"""Integrals over the unit cube with an error estimate, by random shifts of one lattice."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lattice_tools.lattice import Rank1Lattice, positive_integer

FloatArray = NDArray[np.float64]
#: Points evaluated at once.
_CHUNK = 1 << 14


@dataclass(frozen=True)
class Estimate:
    """An estimated integral.

    Attributes:
        value: The mean over all random shifts of the lattice; unbiased.
        standard_error: The estimated standard deviation of ``value``.
        n_evaluations: The number of function values used.

    Example:
        >>> print(Estimate(0.125, 2e-6, 16384))
        0.125 ± 2e-06 (16384 evaluations)
    """

    value: float
    standard_error: float
    n_evaluations: int

    def __str__(self) -> str:
        return f"{self.value:.10g} ± {self.standard_error:.2g} ({self.n_evaluations} evaluations)"


def integrate(
    function: Callable[[FloatArray], ArrayLike],
    lattice: Rank1Lattice,
    *,
    n_shifts: int = 16,
    tent: bool = True,
    rng: int | np.random.Generator | None = None,
) -> Estimate:
    """Estimate the integral of a function over the unit cube, with its standard error.

    Each random shift of the lattice gives an independent, unbiased estimate. The result is their
    mean; its error is their standard deviation divided by sqrt(n_shifts).

    Args:
        function: Maps points (n, d) to values (n,).
        lattice: A lattice for integration, such as from `cbc`.
        n_shifts: The number of random shifts, at least 2.
        tent: Whether to apply the tent transform 1 - |2 x - 1| to each coordinate. It reduces the
            error for smooth functions that are not periodic.
        rng: Seed or generator of the shifts; None for shifts that differ from run to run.

    Returns:
        The value, its standard error and the number of function evaluations.

    Example:
        >>> from lattice_tools.integration import cbc
        >>> result = integrate(lambda X: X.prod(axis=1), cbc(1021, 3), rng=0)
        >>> abs(result.value - 1 / 8) < 1e-5, result.n_evaluations
        (True, 16336)
    """
    n_shifts = positive_integer("n_shifts", n_shifts, minimum=2)
    generator = np.random.default_rng(rng)
    means = []
    for _ in range(n_shifts):
        shift = generator.random(lattice.dim)
        total = 0.0
        for start in range(0, lattice.n_points, _CHUNK):
            n = min(_CHUNK, lattice.n_points - start)
            X = lattice.sequence(start, n, shift)
            values = np.asarray(function(_tent(X) if tent else X), dtype=np.float64)
            if values.shape != (n,):
                raise ValueError(
                    f"`function` must map points ({n}, {lattice.dim}) to values ({n},), got shape "
                    f"{values.shape}."
                )
            total += float(values.sum())
        means.append(total / lattice.n_points)
    error = float(np.std(means, ddof=1)) / math.sqrt(n_shifts)
    return Estimate(float(np.mean(means)), error, n_shifts * lattice.n_points)


def tent(points: ArrayLike) -> FloatArray:
    """Apply the tent (baker's) transform 1 - |2 x - 1| to each coordinate.

    Uniformly distributed points stay uniform.

    Args:
        points: Numbers in [0, 1], in an array of any shape.

    Returns:
        The transformed numbers in [0, 1], in an array of the same shape.

    Example:
        >>> tent([[0.25, 0.75]]).tolist()
        [[0.5, 0.5]]
    """
    return 1.0 - np.abs(2.0 * np.asarray(points, dtype=np.float64) - 1.0)


#: `integrate` has an argument of the same name.
_tent = tent
