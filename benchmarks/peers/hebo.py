"""HEBO. It uses global random generators, so its runs are not reproducible from a seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]
import torch  # type: ignore[import-not-found,import-untyped,unused-ignore]
from hebo.design_space.design_space import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    DesignSpace,
)
from hebo.optimizers.hebo import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    HEBO,
)

from benchmarks.harness.arrays import Array
from benchmarks.harness.asktell import Optimiser, Suggestion


class Hebo(Optimiser):
    """HEBO with default options. It does not know which points are being evaluated.

    Args:
        dim: Number of parameters.
        seed: Seeds the initial points and torch.
        n_startup_trials: Number of initial points, which are scrambled Sobol' points.
    """

    def __init__(self, dim: int, seed: int = 0, n_startup_trials: int = 20) -> None:
        super().__init__()
        self._names = [f"x{i}" for i in range(dim)]
        space = DesignSpace().parse(
            [{"name": name, "type": "num", "lb": 0.0, "ub": 1.0} for name in self._names]
        )
        torch.manual_seed(seed)
        self._hebo = HEBO(space, rand_sample=n_startup_trials, scramble_seed=seed)

    def suggest(self, count: int) -> list[Suggestion]:
        """Ask HEBO for a batch."""
        frame = self._hebo.suggest(n_suggestions=count)
        return [Suggestion(point) for point in frame[self._names].to_numpy(dtype=float)]

    def tell(self, suggestions: Sequence[Suggestion], values: Array) -> None:
        """Report a batch."""
        points = np.array([suggestion.point for suggestion in suggestions])
        self._hebo.observe(pd.DataFrame(points, columns=self._names), values[:, None])
