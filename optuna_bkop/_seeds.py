"""Derives all randomness from one root text, equally in every process.

The root is the sampler's seed as a text, or a text that replaces it. The parts of a call name what
its result is used for: different parts give independent results.
"""

from __future__ import annotations

import hashlib

import numpy as np


def derived_seed(root: str, *parts: str) -> int:
    """Return a 128-bit seed that depends on the root and the parts."""
    text = "\x1f".join((root, *parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")


def derived_rng(root: str, *parts: str) -> np.random.Generator:
    """Return a generator whose seed depends on the root and the parts."""
    return np.random.default_rng(derived_seed(root, *parts))


def derived_uniform(root: str, *parts: str) -> float:
    """Return a number of [0, 1) that depends on the root and the parts."""
    return (derived_seed(root, *parts) >> 75) / 2**53
