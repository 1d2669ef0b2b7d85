"""Primes and primitive roots of small numbers."""

from __future__ import annotations

import math
from itertools import count, islice


def is_prime(n: int) -> bool:
    """Whether ``n`` is prime, by trial division."""
    return n >= 2 and all(n % k for k in range(2, math.isqrt(n) + 1))


def primes_from(start: int, n: int) -> list[int]:
    """The ``n`` smallest primes p >= ``start``."""
    return list(islice(filter(is_prime, count(start)), n))


def primitive_root(p: int) -> int:
    """The smallest generator of the multiplicative group modulo the prime ``p``."""
    order = p - 1
    factors = [q for q in range(2, order + 1) if order % q == 0 and is_prime(q)]
    return next(g for g in range(1, p) if all(pow(g, order // q, p) != 1 for q in factors))
