"""Subgroup lattices: a base vector in closed form, without a search.

They exist for admissible sizes: N must be a prime such that 2 d divides N - 1.

Lyu, Yuan and Tsang (2020), "Subgroup-based rank-1 lattice quasi-Monte Carlo".
"""

from __future__ import annotations

from itertools import count

from lattice_tools._primes import is_prime, primitive_root
from lattice_tools.lattice import Rank1Lattice, checked_size


def subgroup(n_points: int, dim: int, *, units_only: bool = True) -> Rank1Lattice:
    """Return the lattice with b_j = g^(j (N-1) / (2d)) mod N, j = 0, ..., d-1, g a primitive root.

    The components and their negatives form a subgroup of the units modulo N, so that the distances
    take few values.

    Args:
        n_points: The number of points N, a prime such that 2 d divides N - 1.
        dim: The dimension d.
        units_only: Has no effect, because all components are units modulo N. Every construction
            has this argument.

    Raises:
        ValueError: N is not such a prime; the message names the nearest ones.

    Example:
        >>> subgroup(61, 3).base_vector
        (1, 48, 47)
    """
    N, dim = checked_size(n_points, dim)
    if not is_admissible(N, dim):
        below, above = admissible_neighbours(N, dim)
        nearest = f"{above}" if below is None else f"{below} and {above}"
        raise ValueError(
            f"A subgroup lattice in {dim} dimensions needs a prime `n_points` that leaves the "
            f"remainder 1 when divided by {2 * dim}, got {N}; nearest: {nearest}."
        )
    step = pow(primitive_root(N), (N - 1) // (2 * dim), N)
    return Rank1Lattice(N, tuple(pow(step, j, N) for j in range(dim)))


def is_admissible(n_points: int, dim: int) -> bool:
    """Whether a subgroup lattice exists: N must be a prime such that 2 d divides N - 1."""
    return (n_points - 1) % (2 * dim) == 0 and is_prime(n_points)


def admissible_neighbours(n_points: int, dim: int) -> tuple[int | None, int]:
    """Return the largest admissible size up to ``n_points``, and the smallest one above it.

    A size is admissible if it is a prime N such that 2 d divides N - 1. The first result is None
    if there is no such prime.
    """
    k = (n_points - 1) // (2 * dim)
    above = next(N for i in count(k + 1) if is_prime(N := 2 * dim * i + 1))
    below = next((N for i in range(k, 0, -1) if is_prime(N := 2 * dim * i + 1)), None)
    return below, above
