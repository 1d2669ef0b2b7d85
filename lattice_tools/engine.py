"""A lattice as a quasi-Monte Carlo engine of SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from lattice_tools.build import build
from lattice_tools.lattice import Rank1Lattice, positive_integer


class LatticeEngine(qmc.QMCEngine):
    """Points of a rank-1 lattice wherever SciPy takes a `scipy.stats.qmc.QMCEngine`.

    The first N points are the lattice. Further points are copies of it, each with a shift of its
    own, so that no two points coincide.

    Args:
        d: The dimension.
        n_points: The number of points N of the lattice. If None, the number of points of
            ``lattice``, or 1,000 if no lattice is given.
        lattice: A lattice to use instead of building one. A ValueError is raised if its size
            differs from ``d`` and ``n_points``.
        method: Which construction builds the lattice (see `build`). "alg6" takes well under a
            second; "alg7" gives a larger minimum distance and takes from seconds to minutes.
        scramble: Shift the points by a random vector, so that each is uniformly distributed.
            Without it the first point is the origin.
        rng: Seed or generator of the shift; None for a shift that differs from run to run.
        optimization: As in SciPy's engines: None, "random-cd" or "lloyd".

    Example:
        >>> engine = LatticeEngine(2, n_points=8, scramble=False)
        >>> engine.random(3).tolist()
        [[0.0, 0.0], [0.125, 0.625], [0.25, 0.25]]
    """

    def __init__(
        self,
        d: int,
        *,
        n_points: int | None = None,
        lattice: Rank1Lattice | None = None,
        method: str = "alg6",
        scramble: bool = True,
        rng: int | np.random.Generator | None = None,
        optimization: str | None = None,
    ) -> None:
        dim = positive_integer("d", d)
        if lattice is None:
            lattice = build(method, 1000 if n_points is None else n_points, dim)
        if lattice.dim != dim or n_points not in (None, lattice.n_points):
            raise ValueError(
                f"`lattice` has {lattice.n_points} points in {lattice.dim} dimensions, but "
                f"n_points={n_points} and d={dim} were asked for."
            )
        self.lattice = lattice
        self.scramble = scramble
        generator = np.random.default_rng(rng)
        # The keyword was renamed from `seed` to `rng` in SciPy 1.15, and a call by position is
        # not offered.
        super().__init__(d=dim, optimization=optimization, **{RNG_KEYWORD: generator})
        self._shift = self.rng.random(dim) if scramble else None

    def _random(self, n: int = 1, *, workers: int = 1) -> NDArray[np.float64]:
        return self.lattice.sequence(self.num_generated, n, self._shift)

    def reset(self) -> LatticeEngine:
        """Go back to the first point; the shift stays as it was drawn."""
        super().reset()
        return self

    def fast_forward(self, n: int) -> LatticeEngine:
        """Skip ``n`` points, at no cost, and return the engine.

        The next points are those that follow n drawn ones. With the optimization "random-cd" they
        differ, because the random numbers of skipped points are not drawn.
        """
        self.num_generated += positive_integer("n", n, minimum=0)
        return self


def _rng_keyword() -> str:
    try:
        qmc.Halton(1, rng=0)
    except TypeError:
        return "seed"
    return "rng"


#: What SciPy's engines call their seed or generator.
RNG_KEYWORD: Any = _rng_keyword()
