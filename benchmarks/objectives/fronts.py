"""Non-dominated points and their hypervolume. All objectives are minimised.

Glossary: `n` points, `m` objectives, `values` `(n, m)`.
"""

from __future__ import annotations

from collections.abc import Sequence

import moocore
import numpy as np

from benchmarks.harness.arrays import Array


def front_of(values: Array) -> Array:
    """Return the distinct non-dominated rows of values `(n, m)`."""
    return np.asarray(values[moocore.is_nondominated(values)])


def hypervolume(values: Array, reference_point: Sequence[float]) -> float:
    """Return the volume that values `(n, m)` dominate below a reference point `(m,)`.

    Only values that are below it in every objective count; without any the volume is 0.
    """
    inside = values[(values < np.asarray(reference_point)).all(axis=1)]
    return float(moocore.hypervolume(inside, ref=reference_point)) if len(inside) else 0.0


def entrants(values: Array) -> list[int]:
    """Return the indices of the entrants: rows that no earlier row dominates or equals.

    The values are `(n, m)`; the indices ascend. An entrant is on the front when it is added, so
    that the front of the first k rows consists of entrants only, for every k.
    """
    kept: list[int] = []
    for k, row in enumerate(values):
        if not (values[kept] <= row).all(axis=1).any():
            kept.append(k)
    return kept
