"""What a run queried, batch by batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._theory.region import Region


@dataclass(frozen=True)
class Queries:
    """The points and values of a run, in the order of its batches.

    Attributes:
        X: Points (T, D).
        y: Values (T,), to be maximised.
        batch: Number of each point's batch (T,), ascending. A sequential run has arange(T).
        numbers: Trial numbers (T,), if the run is a study.
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
        if (np.diff(self.batch) < 0).any():
            raise ValueError(f"`batch` must be ascending, got {self.batch.tolist()}.")

    @property
    def sizes(self) -> list[int]:
        """Batch sizes q_n of the N batches."""
        sizes: list[int] = np.unique(self.batch, return_counts=True)[1].tolist()
        return sizes
