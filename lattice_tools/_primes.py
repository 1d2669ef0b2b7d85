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


def prime_factors(n: int) -> list[int]:
    """The distinct primes that divide ``n``, in increasing order."""
    factors = []
    for k in count(2):
        if k * k > n:
            break
        if n % k == 0:
            factors.append(k)
            while n % k == 0:
                n //= k
    return [*factors, n] if n > 1 else factors


def primitive_root(p: int) -> int:
    """The smallest generator of the multiplicative group modulo the prime ``p``."""
    order = p - 1
    factors = prime_factors(order)
    return next(g for g in range(1, p) if all(pow(g, order // q, p) != 1 for q in factors))


def divisors(n: int) -> list[int]:
    """All divisors of ``n``, in increasing order."""
    small = [k for k in range(1, math.isqrt(n) + 1) if n % k == 0]
    return sorted({*small, *(n // k for k in small)})


def nearest_prime(n: int) -> int:
    """The prime nearest to ``n``; of two equally near ones the larger."""
    return next(p for k in count() for p in (n + k, n - k) if is_prime(p))
