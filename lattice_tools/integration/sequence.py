"""An extensible lattice as a quasi-Monte Carlo engine of SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from lattice_tools.engine import RNG_KEYWORD
from lattice_tools.integration.estimate import tent as tent_transform
from lattice_tools.lattice import Rank1Lattice, integer, positive_integer

#: The vector in ``embedded.txt`` is good modulo 2^6, ..., 2^20.
_LOG2_POINTS = 20


class LatticeSequence(qmc.QMCEngine):
    """Points of an embedded lattice, in an order in which every beginning is evenly spread.

    Point k is the multiple of the base vector by the bit-reversed k, so that the first 2^m points
    are a lattice for every m. Use any number of points; powers of two integrate best. After
    2^``log2_points`` points the sequence goes on with shifted copies.

    Args:
        d: The dimension; at most 100 with the vector that the package brings.
        vector: Another base vector, of at least d odd integers below 2^``log2_points``, such as
            from `embedded_cbc`. If None, the vector that the package brings.
        log2_points: The logarithm, to base 2, of the number of points of the whole lattice; 20 by
            default, and at most 20 without a ``vector``.
        tent: Fold each coordinate x to 1 - |2 x - 1|, which makes errors decrease faster for
            smooth functions that are not periodic.
        scramble: Shift the points by a random vector, so that means are unbiased.
        rng: Seed or generator of the shift; None for a shift that differs from run to run.
        optimization: As in SciPy's engines: None, "random-cd" or "lloyd".

    Example:
        >>> LatticeSequence(2, scramble=False).random(4).tolist()
        [[0.0, 0.0], [0.5, 0.5], [0.25, 0.75], [0.75, 0.25]]
    """

    def __init__(
        self,
        d: int,
        *,
        vector: Sequence[int] | None = None,
        log2_points: int = _LOG2_POINTS,
        tent: bool = False,
        scramble: bool = True,
        rng: int | np.random.Generator | None = None,
        optimization: str | None = None,
    ) -> None:
        dim = positive_integer("d", d)
        M = positive_integer("log2_points", log2_points)
        if vector is None:
            vector = shipped_vector()
            if M > _LOG2_POINTS:
                raise ValueError(f"`log2_points` above {_LOG2_POINTS} needs a `vector`, got {M}.")
        if len(vector) < dim:
            raise ValueError(f"`vector` must hold at least d={dim} integers, got {len(vector)}.")
        components = tuple(integer("vector", b) for b in vector[:dim])
        if any(b % 2 == 0 for b in components):
            raise ValueError(f"`vector` must hold odd integers only, got {components}.")
        self.lattice = Rank1Lattice(1 << M, components)
        self.tent = tent
        self.scramble = scramble
        self._log2_points = M
        generator = np.random.default_rng(rng)
        super().__init__(d=dim, optimization=optimization, **{RNG_KEYWORD: generator})
        self._shift = self.rng.random(dim) if scramble else None

    def _random(self, n: int = 1, *, workers: int = 1) -> NDArray[np.float64]:
        X = self.lattice.sequence(self.num_generated, n, self._shift, index=self._index)
        return tent_transform(X) if self.tent else X

    def _index(self, k: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bits of k (n,) in reverse order."""
        reversed_bits = np.zeros_like(k)
        for bit in range(self._log2_points):
            reversed_bits |= (k >> bit & 1) << (self._log2_points - 1 - bit)
        return reversed_bits

    def reset(self) -> LatticeSequence:
        """Go back to the first point; the shift stays as it was drawn."""
        super().reset()
        return self

    def fast_forward(self, n: int) -> LatticeSequence:
        """Skip ``n`` points, at no cost."""
        self.num_generated += positive_integer("n", n, minimum=0)
        return self


@cache
def shipped_vector() -> tuple[int, ...]:
    """The base vector modulo 2^20 in 100 dimensions, from `embedded_cbc` with weights 1 / j²."""
    text = resources.files("lattice_tools.integration").joinpath("embedded.txt").read_text("utf-8")
    return tuple(map(int, text.split(",")))
