"""What models are made of: trials in the order of their values, and how many of them count.

Everything is in the numbers of [0, 1] of a `Domain`; values are to be maximised.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._domain import Domain
from optuna_bkop._kernels import FloatArray
from optuna_bkop._warp import warp

#: The models see at most this many points.
MAX_ACTIVE = 500


@dataclass(frozen=True)
class Data:
    """What models are made of: the active set of some trials, the best first.

    Attributes:
        F: Features (a, D).
        y: Warped values (a,); while nothing is feasible, how little the constraints are violated.
        constraints: (a, k), scaled.
        feasible: Whether they are met by each of all trials (n,).
        order: All trials (n,), the best first.
        n_ties: How many others have the value of the best one.
    """

    F: FloatArray
    y: FloatArray
    constraints: FloatArray
    feasible: NDArray[np.bool_]
    order: NDArray[np.int64]
    n_ties: int

    @classmethod
    def of(
        cls,
        U: FloatArray,
        values: FloatArray,
        constraints: FloatArray,
        domain: Domain,
        warping: str,
    ) -> Data:
        """The data of trials.

        Args:
            U: Points (n, d); NaN where a parameter was not asked for.
            values: (n,), to be maximised; +-inf are allowed.
            constraints: (n, k), at most 0 where met, NaN where unknown.
            domain: The domain.
            warping: Of the values, one of `WARPINGS`.
        """
        feasible = ~np.any(constraints > 0, axis=1)
        scaled = _scaled_constraints(constraints)
        if feasible.any():
            y = warp(values, warping)
        else:
            # Nothing is feasible yet: what is looked for is a smaller violation.
            y = -np.nansum(np.maximum(scaled, 0.0), axis=1)
        order = np.lexsort((-y, ~feasible))
        F = domain.features(U)
        active = _active_set(F, order)
        best = order[0]
        n_ties = int((y[feasible == feasible[best]] == y[best]).sum()) - 1
        return cls(F[active], y[active], scaled[active], feasible, order, n_ties)


def _active_set(F: FloatArray, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows that the model sees, so that its cost stops growing with the number of trials.

    A half are the best points, a quarter the nearest to the best one, and a quarter are spread
    over the others evenly by rank. ``order`` lists all rows, the best first.
    """
    if len(order) <= MAX_ACTIVE:
        return order
    n_best, n_near = MAX_ACTIVE // 2, MAX_ACTIVE // 4
    best, others = order[:n_best], order[n_best:]
    distance = np.linalg.norm(F[others] - F[order[0]], axis=1)
    near = others[np.argsort(distance, kind="stable")[:n_near]]
    rest = others[~np.isin(others, near)]
    spread = rest[np.linspace(0, len(rest) - 1, MAX_ACTIVE - n_best - n_near).astype(np.int64)]
    return np.concatenate([best, near, np.unique(spread)])


def _scaled_constraints(constraints: FloatArray) -> FloatArray:
    """Each column over its median size, with tamed tails; signs stay."""
    scaled = np.nan_to_num(constraints, nan=np.nan, posinf=1e300, neginf=-1e300)
    for j in range(scaled.shape[1]):
        sizes = np.abs(scaled[:, j])
        sizes = sizes[sizes > 0]
        scaled[:, j] = np.arcsinh(scaled[:, j] / (np.nanmedian(sizes) if len(sizes) else 1.0))
    return scaled
