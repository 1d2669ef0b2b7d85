"""A rank-1 lattice: the multiples of one integer vector, modulo the number of points.

A lattice is wider than another of the same size (N, d) if its minimum distance on the torus is
larger. On the torus, opposite faces of the unit cube are glued together.

Glossary: ``N`` number of points, ``d`` dimension, ``b`` base vector (d,), ``X`` points (N, d).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lattice_tools._shortest import is_faster, squared_lengths

#: Rows handled at once where a computation over all points would not fit in memory.
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Rank1Lattice:
    """The N points ``(i * b mod N) / N``, i = 0, ..., N-1, of the unit cube.

    This is Eq. 21 of Lyu, Yuan and Tsang. Immutable, hashable, comparable. Components of the base
    vector are kept modulo N, because vectors that agree modulo N generate the same points.

    Args:
        n_points: The number of points N, at least 2.
        base_vector: The d integers that generate the lattice.
        is_optimal: Whether it is proved, by an exhaustive search or an upper bound, that no rank-1
            lattice of this size has a larger minimum distance. Comparisons ignore it.

    Example:
        >>> lattice = Rank1Lattice(5, (1, 2))
        >>> lattice.points().tolist()
        [[0.0, 0.0], [0.2, 0.4], [0.4, 0.8], [0.6, 0.2], [0.8, 0.6]]
        >>> round(lattice.min_distance, 6)
        0.447214
    """

    n_points: int
    base_vector: tuple[int, ...]
    is_optimal: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        n_points = positive_integer("n_points", self.n_points, minimum=2)
        components = self.base_vector
        if isinstance(components, (str, bytes, Mapping)) or not isinstance(components, Iterable):
            raise ValueError(f"`base_vector` must be a sequence of integers, got {components!r}.")
        base_vector = tuple(integer("base_vector", b) % n_points for b in components)
        if not base_vector:
            raise ValueError("`base_vector` must have at least one component, got none.")
        checked_size(n_points, len(base_vector))
        object.__setattr__(self, "n_points", n_points)
        object.__setattr__(self, "base_vector", base_vector)

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.base_vector)

    @property
    def min_distance(self) -> float:
        """Smallest distance of two points on the torus (2 ρ_X of Lyu, Yuan and Tsang).

        It is 0 if two of the N points coincide.
        """
        return math.sqrt(self.squared_min_distance) / self.n_points

    @property
    def packing_radius(self) -> float:
        """Half the smallest distance of two points on the torus (Lyu, Yuan and Tsang, Eq. 23)."""
        return self.min_distance / 2

    @property
    def values_per_coordinate(self) -> tuple[int, ...]:
        """Number of different values that each coordinate takes: N / gcd(b_j, N).

        Fewer than N if a component shares a factor with N, which cannot happen for a prime N
        unless the component is 0.

        Example:
            >>> Rank1Lattice(10, (1, 4, 5)).values_per_coordinate
            (10, 5, 2)
        """
        return tuple(self.n_points // math.gcd(b, self.n_points) for b in self.base_vector)

    @cached_property
    def squared_min_distance(self) -> int:
        """``(N * min_distance)**2``, an exact integer.

        A lattice is a group, so its smallest distance is the length of its shortest non-zero
        element. This element is found as the shortest vector of an integer lattice, in a time that
        hardly depends on N, or by a scan of the points where that is faster or the distance is at
        least 1.
        """
        if is_faster(self.n_points, self.dim):
            (squared,) = squared_lengths(self.n_points, np.array([self.base_vector]))
            if squared >= 0:
                return int(squared)
        return self._scanned_min_distance()

    def _scanned_min_distance(self) -> int:
        """Return ``(N * min_distance)**2``, an exact integer, by a scan of the points in O(N d).

        Points i b and (N - i) b modulo N are equally long on the torus, so half of the points
        suffice.
        """
        last = self.n_points // 2
        return min(
            self._shortest(np.arange(i, min(i + _CHUNK, last + 1), dtype=np.int64))
            for i in range(1, last + 1, _CHUNK)
        )

    def _shortest(self, index: NDArray[np.int64]) -> int:
        """``N**2`` times the smallest squared torus length of the points i (k,) in ``index``."""
        N = self.n_points
        total = np.zeros(len(index), dtype=np.int64)
        for b_j in self.base_vector:
            r = index * b_j % N
            total += np.minimum(r, N - r) ** 2
        return int(total.min())

    def points(self, shift: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return all points i = 0, ..., N-1, in this order.

        Args:
            shift: A vector (d,) added modulo 1 to every point; None for no shift.

        Returns:
            Array (N, d) with entries in [0, 1). Without a shift each entry is the float nearest to
            ``(i * b_j mod N) / N``.
        """
        return self.sequence(0, self.n_points, shift)

    def sequence(
        self,
        start: int,
        n: int,
        shift: ArrayLike | None = None,
        *,
        index: Callable[[NDArray[np.int64]], NDArray[np.int64]] | None = None,
    ) -> NDArray[np.float64]:
        """Return ``n`` points from index ``start`` on, of an endless sequence.

        Index ``k * N + i`` is point i of the k-th copy of the lattice. Copies differ by the
        multiples of one irrational vector, so that no two of them share a point.

        Args:
            start: The first index, at least 0.
            n: The number of points.
            shift: A vector (d,) added modulo 1 to every point; None for no shift.
            index: Permutation of 0, ..., N-1, as a function of arrays (n,): index(i) is the point
                that stands at place i of each copy. If None, the points stand in their own order.

        Returns:
            Array (n, d) with entries in [0, 1).
        """
        start = positive_integer("start", start, minimum=0)
        n = positive_integer("n", n, minimum=0)
        N = self.n_points
        k = np.arange(start, start + n, dtype=np.int64)
        i, copy = k % N, k // N
        if index is not None:
            i = index(i)
        exact = i[:, None] * np.array(self.base_vector, dtype=np.int64) % N / N
        offset = np.outer(copy, _irrational_direction(self.dim))
        if shift is not None:
            vector = np.asarray(shift, dtype=np.float64)
            if vector.shape != (self.dim,) or not np.all(np.isfinite(vector)):
                raise ValueError(
                    f"`shift` must hold {self.dim} finite numbers, got {np.shape(shift)}: "
                    f"{shift!r}."
                )
            offset = offset + vector
        moved: NDArray[np.float64] = np.mod(exact + offset, 1.0)
        # The remainder of a tiny negative number rounds to 1, which is the same point as 0.
        moved[moved >= 1.0] = 0.0
        return moved

    def to_dict(self) -> dict[str, Any]:
        """Return the number of points and the base vector as a dictionary, ready for JSON."""
        return {"n_points": self.n_points, "base_vector": list(self.base_vector)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rank1Lattice:
        """Return the lattice of a dictionary from `to_dict`; further keys are ignored.

        A ValueError that names the key is raised if one is missing.
        """
        missing = [key for key in ("n_points", "base_vector") if key not in data]
        if missing:
            raise ValueError(f"A lattice needs {missing[0]!r}, got only {sorted(data)}.")
        return cls(data["n_points"], data["base_vector"])


def checked_size(n_points: object, dim: object) -> tuple[int, int]:
    """Return N and d as ints.

    A ValueError that names the bad number is raised unless N is an integer of at least 2, d one of
    at least 1, and squared distances of such a lattice, times N², fit into 64 bits.
    """
    N = positive_integer("n_points", n_points, minimum=2)
    d = positive_integer("dim", dim)
    # Sums of d + 1 squares of up to N // 2, and products of two numbers below N, must fit.
    if max(d + 1, 4) * (N // 2) ** 2 >= 2**63:
        largest = 2 * math.isqrt((2**63 - 1) // max(d + 1, 4)) + 1
        raise ValueError(
            f"In {d} dimensions `n_points` must be at most {largest}, so that squared distances "
            f"fit into 64 bits, got {N}."
        )
    return N, d


def integer(name: str, value: object) -> int:
    """Return ``value`` as an int.

    A ValueError that names ``name`` is raised unless it is an integer of Python or numpy. Booleans
    are not accepted.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"`{name}` must be made of integers, got {value!r}.")
    return int(value)


def positive_integer(name: str, value: object, minimum: int = 1) -> int:
    """Return ``value`` as an int.

    A ValueError that names ``name`` is raised unless it is an integer of at least ``minimum``.
    Booleans are not accepted.
    """
    if (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, (int, np.integer))
        or value < minimum
    ):
        raise ValueError(f"`{name}` must be an integer of at least {minimum}, got {value!r}.")
    return int(value)


def kronecker(start: int, n: int, dim: int) -> NDArray[np.float64]:
    """Return points (n, d) in [0, 1): multiples, modulo 1, of one irrational vector (d,).

    The points are evenly spread for every n, and no lattice must be searched for.

    Args:
        start: The first multiple, at least 0.
        n: The number of points.
        dim: The dimension d.

    Example:
        >>> kronecker(1, 2, 1).round(6).tolist()
        [[0.618034], [0.236068]]
    """
    index = np.arange(start, start + n, dtype=np.float64)
    return np.mod(np.outer(index, _irrational_direction(dim)), 1.0)


def _irrational_direction(dim: int) -> NDArray[np.float64]:
    """Return powers (d,) of the generalised golden ratio, independent over the rationals.

    φ is the root above 1 of x^(d+1) = x + 1, and component j is φ^-j.
    """
    phi = 2.0
    for _ in range(64):
        phi = (1.0 + phi) ** (1.0 / (dim + 1))
    return phi ** -np.arange(1.0, dim + 1)
