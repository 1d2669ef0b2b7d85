"""The first trials: points of a rank-1 lattice, found from the trial's number alone.

Workers need not talk to each other for this. A number is unique within a study, and the lattice's
shift follows from the seed or the study's name and from the parameters' names. Trial 0 is the
shift itself, so that it is on the lattice before the search space is known.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np

from lattice_tools import Rank1Lattice, build
from optuna_bkop._kernels import FloatArray

#: Primes of Algorithm 7. So small a lattice is as wide with ten as with fifty, in a fifth of the
#: time, and the first trial should not wait.
_N_PRIMES = 10
#: The largest size that is searched; a longer startup goes on with shifted copies.
_MAX_POINTS = 256


def lattice_point(root: str, names: tuple[str, ...], index: int, n_startup: int) -> FloatArray:
    """Point ``index`` (d,) of the lattice of a study.

    Args:
        root: The seed or what takes its place.
        names: The parameters' names.
        index: The trial's number; beyond the lattice's size further shifts follow.
        n_startup: The size of the lattice.
    """
    lattice = _lattice(min(max(n_startup, 2), _MAX_POINTS), len(names))
    shift = np.array([_shift(root, name) for name in names])
    point: FloatArray = lattice.sequence(index, 1, shift)[0]
    return point


def lone_point(root: str, name: str, index: int) -> float:
    """The number of [0, 1) of one parameter of a trial that does not know the others.

    Multiples of a number that depends on the name: spread for each parameter, and different
    trials differ. At index 0 it is the shift of the lattice.
    """
    stride = 0.25 + 0.5 * _hash_unit(root, "stride", name)
    return (_shift(root, name) + index * stride) % 1.0


def seed_of(root: str, *parts: str) -> int:
    """A seed that follows from the root and what it is for, the same in every process."""
    text = "\x1f".join((root, *parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")


@lru_cache(maxsize=64)
def _lattice(n_points: int, dim: int) -> Rank1Lattice:
    return build("alg7", n_points, dim, n_primes=_N_PRIMES)


def _shift(root: str, name: str) -> float:
    return _hash_unit(root, "shift", name)


def _hash_unit(*parts: str) -> float:
    return (seed_of(*parts) >> 75) / 2**53
