"""The first trials: points of a rank-1 lattice, computed from the trial number alone.

Workers need not communicate for this. A trial number is unique within a study. The shift of the
lattice follows from the root (the seed, or what replaces it) and the parameter names. Trial 0 is
the shift itself, so it is on the lattice even before the search space is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lattice_tools import Rank1Lattice, build
from optuna_bkop._arrays import FloatArray
from optuna_bkop._seeds import derived_uniform

#: Number of primes for Algorithm 7. For lattices of a few dozen points, ten primes give the same
#: minimum distance as the paper's fifty in a fifth of the time, and the first trial waits for it.
#: The catalogue of records is not used: with 20 points its lattices are wider in 3 and 49
#: dimensions only, and in 3 the parameters would take 10, 4 and 10 values instead of 20, 5 and 20.
_N_PRIMES = 10
#: Largest partial quotient of a stride, and how many are drawn. With four, separation and largest
#: gap of the first 4 to 32 points in 1 to 4 dimensions are better than those of random points, in
#: the median and in the worst twentieth of 150 studies.
_MAX_QUOTIENT, _N_QUOTIENTS = 4, 24
_GOLDEN = (5**0.5 - 1) / 2
#: Largest lattice that is searched. A longer startup continues with shifted copies of it.
_MAX_POINTS = 256


@dataclass(frozen=True)
class StartupLattice:
    """The lattice of the first trials, and the order in which they walk it.

    Attributes:
        lattice: The lattice, with N points.
        order: Permutation (N,) of 0, ..., N-1. Each point is far from all before it, so that a
            startup that is cut short covers the space and the range of each parameter, too.
    """

    lattice: Rank1Lattice
    order: NDArray[np.int64]

    @classmethod
    def build(cls, n_startup: int, dim: int) -> StartupLattice:
        """Return the lattice for ``n_startup`` trials with ``dim`` parameters (Algorithm 7)."""
        n_points = min(max(n_startup, 2), _MAX_POINTS)
        lattice = build("alg7", n_points, dim, n_primes=_N_PRIMES)
        return cls(lattice, _farthest_first(lattice))

    def point(self, root: str, names: tuple[str, ...], index: int) -> FloatArray:
        """Return point ``index`` (d,) of the shifted lattice of a study, in [0, 1).

        Args:
            root: Text from which all randomness follows.
            names: Names of the d parameters; each has its own shift.
            index: Trial number. Beyond the size of the lattice, further shifted copies of it
                follow.
        """
        shift = np.array([_shift(root, name) for name in names])
        copy, i = divmod(index, self.lattice.n_points)
        place = copy * self.lattice.n_points + int(self.order[i])
        point: FloatArray = self.lattice.sequence(place, 1, shift)[0]
        return point


def lone_point(root: str, name: str, index: int) -> float:
    """Return a number in [0, 1) for one parameter, whatever the other parameters are.

    The numbers of a parameter are multiples of a stride that depends on its name: they spread over
    [0, 1), and different trials get different numbers. At index 0 the number is the shift of the
    startup lattice in this parameter.

    The multiples of a stride near a simple fraction would take few values. The strides here are
    continued fractions 1 / (a1 + 1 / (a2 + ...)) with all a_k at most `_MAX_QUOTIENT`: no fraction
    approximates them well.

    Args:
        root: Text from which all randomness follows.
        name: Name of the parameter.
        index: Trial number.
    """
    stride = _GOLDEN
    for k in range(_N_QUOTIENTS):
        stride = 1.0 / (stride + 1 + int(derived_uniform(root, "a", name, str(k)) * _MAX_QUOTIENT))
    return (_shift(root, name) + index * stride) % 1.0


def _farthest_first(lattice: Rank1Lattice) -> NDArray[np.int64]:
    """Return an order of a lattice's points in which each is far from those before it.

    The result (N,) holds the indices of the points, beginning with 0. The next point is the one
    with the largest score: its distance on the torus to the nearest earlier point, divided by the
    largest distance, plus the mean over parameters of the distance to the nearest earlier value,
    divided by 1/2.
    """
    n = lattice.n_points
    # Distances of points i and j depend on i - j alone.
    apart = lattice.sequence(0, n)
    apart = np.minimum(apart, 1.0 - apart)
    lengths = np.linalg.norm(apart, axis=1) / np.linalg.norm(apart, axis=1).max()
    order, nearest, nearest_values = [0], lengths.copy(), apart.copy()
    while len(order) < n:
        scores = nearest + nearest_values.mean(axis=1) / 0.5
        scores[order] = -1.0
        # Rounded, so that ties are ties on every machine.
        order.append(int(np.argmax(np.round(scores, 9))))
        steps = (np.arange(n) - order[-1]) % n
        nearest = np.minimum(nearest, lengths[steps])
        nearest_values = np.minimum(nearest_values, apart[steps])
    return np.array(order, dtype=np.int64)


def _shift(root: str, name: str) -> float:
    return derived_uniform(root, "shift", name)
