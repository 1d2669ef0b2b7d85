"""What a run queried, batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._theory.region import Region

#: An estimate uses this share of the queries, and at least this many, if there are as many.
_BEST_SHARE, _LEAST_BEST = 1 / 3, 20


def best_part(y: FloatArray, feasible: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Return the ascending indices of the largest third of values y (n,), but at least 20 indices.

    All indices are returned if n is at most 20. The values are to be maximised. If ``feasible``
    (n,) is given, the largest feasible value is included. A model whose length scales must explain
    poor values, too, explains the good ones less well. `benchmarks/README.md` compares other
    shares.
    """
    order = np.argsort(-y, kind="stable")
    chosen = order[: max(_LEAST_BEST, round(_BEST_SHARE * len(y)))]
    if feasible is not None and feasible.any():
        chosen = np.append(chosen, order[np.argmax(feasible[order])])
    return np.unique(chosen)


@dataclass(frozen=True)
class Queries:
    """The points and values of a run, in the order of its batches.

    Attributes:
        X: Points (T, D), finite.
        y: Values (T,), to be maximised; finite.
        batch: Number of each point's batch (T,), ascending. A sequential run has arange(T).
        numbers: Trial numbers (T,), if the run is a study; otherwise None.
        groups: Group of each feature (D,). Features of one group share a length scale when a
            kernel is fitted. If None, each feature has its own.
        feasible: Which points meet all constraints (T,). If None, all.
        region: Region in which f is to be maximised. If None, the unit cube.

    Example:
        >>> X, y = np.array([[0.1], [0.9], [0.5]]), np.array([0.0, 0.3, 1.0])
        >>> Queries(X, y, batch=np.array([0, 0, 1])).sizes
        [2, 1]
    """

    X: FloatArray
    y: FloatArray
    batch: NDArray[np.int64]
    numbers: NDArray[np.int64] | None = None
    groups: NDArray[np.int64] | None = None
    feasible: NDArray[np.bool_] | None = None
    region: Region | None = None

    def __post_init__(self) -> None:
        shapes = self.X.shape, self.y.shape, self.batch.shape
        if self.X.ndim != 2 or not len(self.X) or shapes[1:] != ((len(self.X),),) * 2:
            raise ValueError(
                "`X`, `y` and `batch` must have shapes (T, D), (T,) and (T,) with T >= 1, "
                f"got {shapes[0]}, {shapes[1]} and {shapes[2]}."
            )
        for name, values in (("X", self.X), ("y", self.y)):
            if not np.isfinite(values).all():
                bad = values[~np.isfinite(values)][0]
                raise ValueError(f"`{name}` must have finite entries, got {float(bad)}.")
        for name in ("numbers", "feasible"):
            entries = getattr(self, name)
            if entries is not None and entries.shape != self.y.shape:
                raise ValueError(f"`{name}` must have shape {self.y.shape}, got {entries.shape}.")
        if (np.diff(self.batch) < 0).any():
            raise ValueError(f"`batch` must be ascending, got {self.batch.tolist()}.")

    def part(self, chosen: NDArray[np.int64]) -> Queries:
        """Return the queries with the indices ``chosen`` (m,), which must be ascending."""
        return replace(
            self,
            X=self.X[chosen],
            y=self.y[chosen],
            batch=self.batch[chosen],
            numbers=None if self.numbers is None else self.numbers[chosen],
            feasible=None if self.feasible is None else self.feasible[chosen],
        )

    @property
    def sizes(self) -> list[int]:
        """Batch sizes q_n of the N batches."""
        sizes: list[int] = np.unique(self.batch, return_counts=True)[1].tolist()
        return sizes
