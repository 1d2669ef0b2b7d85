"""Dominance between vectors of values that are to be maximised.

One vector dominates another if no value is smaller and the vectors differ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray


def nondominated(V: FloatArray) -> NDArray[np.int64]:
    """Return the rows of V (n, m) that no other row dominates, as ascending indices.

    All values are to be maximised. Equal rows are returned once. Rows are visited in lexicographic
    order, largest first: what is left when a row's turn comes is dominated by no row before it,
    and no row after it can dominate it. Each visit removes all rows that the visited one dominates
    or equals, so that the cost is O(n m) per member of the front.
    """
    order = np.lexsort(-V.T[::-1])
    front: list[int] = []
    while len(order):
        best = order[0]
        front.append(int(best))
        order = order[~(V[order] <= V[best]).all(axis=1)]
    return np.sort(np.array(front, dtype=np.int64))


def by_layers(V: FloatArray, n_enough: int) -> tuple[NDArray[np.int64], int]:
    """Return all row indices (n,) of V (n, m), by layer, and the size of the first layer.

    All values are to be maximised. The first layer is the front: the rows that no other row
    dominates. Each further layer is the front of the rows that no earlier layer contains. A layer
    has only one of several equal rows. Once the layers have ``n_enough`` rows, the other rows
    follow, best first, in the order of their mean rank over the objectives.
    """
    rest = np.arange(len(V))
    layers: list[NDArray[np.int64]] = []
    n_ranked = 0
    while len(rest) and n_ranked < n_enough:
        layer = nondominated(V[rest])
        layers.append(rest[layer])
        rest = np.delete(rest, layer)
        n_ranked += len(layer)
    ranks = np.argsort(np.argsort(-V[rest], axis=0, kind="stable"), axis=0).sum(axis=1)
    layers.append(rest[np.argsort(ranks, kind="stable")])
    return np.concatenate(layers), len(layers[0])
