"""How wide a lattice can be: upper bounds of the minimum distance on the torus.

A lattice is wider than another of the same size (N, d) if its minimum distance on the torus is
larger.

Every rank-1 lattice of N points in d dimensions has covolume 1/N, so its minimum distance
is at most sqrt(gamma_d) N^(-1/d) with Hermite's constant gamma_d, as long as that is below 1. With
few points in many dimensions distances are above 1, and the mean square distance of the points
limits them.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from lattice_tools._primes import divisors
from lattice_tools.lattice import Rank1Lattice, checked_size

#: Hermite's constant, to the power d, where it is known: d = 1, ..., 8 and 24.
_HERMITE_POWERS = {
    1: 1.0,
    2: 4 / 3,
    3: 2.0,
    4: 4.0,
    5: 8.0,
    6: 64 / 3,
    7: 64.0,
    8: 256.0,
    24: 4.0**24,
}

#: Upper bounds for d = 9, ..., 23: Cohn and Elkies (2003), "New upper bounds on sphere packings".
_HERMITE_BOUNDS = {
    9: 2.1327, 10: 2.2637, 11: 2.3934, 12: 2.5218, 13: 2.6494, 14: 2.7759, 15: 2.9015, 16: 3.0264,
    17: 3.1507, 18: 3.2744, 19: 3.3975, 20: 3.5201, 21: 3.6423, 22: 3.7641, 23: 3.8855,
}  # fmt: skip


def hermite_constant(dim: int) -> float:
    """Return Hermite's constant gamma_d, or an upper bound of it (d = 9 to 23 and above 24).

    It is the largest squared minimum distance of a lattice with covolume 1 in d dimensions.

    Example:
        >>> hermite_constant(8), round(hermite_constant(50), 3)
        (2.0, 7.381)
    """
    if dim in _HERMITE_POWERS:
        return math.exp(math.log(_HERMITE_POWERS[dim]) / dim)
    if dim in _HERMITE_BOUNDS:
        return _HERMITE_BOUNDS[dim]
    # Blichfeldt (1929).
    return 2 / math.pi * math.exp(2 / dim * math.lgamma(2 + dim / 2))


def distance_limit(n_points: int, dim: int) -> float:
    """Return an upper bound of the minimum distance on the torus of a rank-1 lattice of this size.

    Args:
        n_points: The number of points N.
        dim: The dimension d.

    Example:
        >>> round(distance_limit(1009, 8), 5)
        0.5957
    """
    N, d = checked_size(n_points, dim)
    packing = math.sqrt(hermite_constant(d)) * N ** (-1 / d)
    # Translations by whole periods have length 1: beyond, distances are not bounded by packings.
    return packing if packing < 1 else math.sqrt(d * _mean_square(N))


def fraction_of_limit(lattice: Rank1Lattice) -> float:
    """Return the minimum distance of a lattice divided by its upper bound `distance_limit`.

    The result is between 0 and 1.

    Example:
        >>> round(fraction_of_limit(Rank1Lattice(1009, (1, 10, 116, 469))), 4)
        0.9523
    """
    return lattice.min_distance / distance_limit(lattice.n_points, lattice.dim)


def reaches_limit(lattice: Rank1Lattice) -> bool:
    """Return whether the upper bound `distance_limit` proves that no lattice of the size is wider.

    Squared minimum distances, times N², of all lattices of this size are integers. So the proof
    holds if the integer after that of the lattice is above the bound.

    Example:
        >>> reaches_limit(Rank1Lattice(2, (1, 1, 1, 1, 1)))
        True
    """
    largest = (lattice.n_points * distance_limit(lattice.n_points, lattice.dim)) ** 2
    return lattice.squared_min_distance + 1 > largest * (1 + 1e-9)


@cache
def _mean_square(N: int) -> float:
    """Return m such that no lattice of N points in d dimensions has a squared distance above d m.

    The squared minimum distance is at most any weighted mean over the non-zero points. With
    weights that depend only on gcd(i, N), the mean of squared coordinate j depends only on
    gcd(b_j, N). The weights that make the largest of these means the smallest solve a linear
    program; m is that largest mean. For a prime N all means are equal.
    """
    factors = [g for g in divisors(N) if g < N]
    squares = {g: _class_mean(N, g) for g in factors} | {N: 0.0}
    means = np.array([[squares[math.gcd(i * g, N)] for i in factors] for g in factors])
    if len(factors) == 1:
        return float(means[0, 0])
    # SciPy takes long to import, and few sizes need it.
    from scipy.optimize import linprog

    n = len(factors)
    program = linprog(
        c=np.append(np.zeros(n), 1.0),
        A_ub=np.column_stack([means, -np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        method="highs",
    )
    weights = np.maximum(program.x[:n], 0.0)
    return float((means @ weights).max() / weights.sum())


def _class_mean(N: int, g: int) -> float:
    """The mean of min(r/N, 1 - r/N)² over all r in (0, N) with gcd(r, N) = g."""
    n = N // g
    r = np.arange(1, n)
    r = r[np.gcd(r, n) == 1] if n > 1 else r
    return float(np.mean((np.minimum(r, n - r) / n) ** 2))
