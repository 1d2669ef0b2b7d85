"""Random generators that are determined by a seed and by names."""

from __future__ import annotations

import zlib

import numpy as np


def generator(seed: int, *names: str) -> np.random.Generator:
    """Return a random generator that is determined by a seed and by names, such as a purpose."""
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])
