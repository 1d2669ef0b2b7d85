"""Splits the part of objective space that a front does not dominate into disjoint boxes.

All objectives are to be maximised. The part in question lies above a reference point. It is a
union of boxes [lower, upper), some of whose upper ends are infinite. A new point p takes away the
part below p from every box. What remains of a box is split into at most m boxes: box k contains
what is above p in objective k, and not above p in the objectives after k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray


@dataclass(frozen=True)
class Boxes:
    """Disjoint boxes [lower, upper) that cover what a front does not dominate.

    Attributes:
        lower: Lower corners (b, m).
        upper: Upper corners (b, m); may be infinite.
    """

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def above(cls, reference: FloatArray, front: FloatArray) -> Boxes:
        """Return the boxes above a reference point (m,) that a front (n, m) does not dominate.

        All m objectives are to be maximised. The points are added in descending order of the last
        objective. Then most boxes are never split again, because they lie above all later points.
        """
        boxes = cls(reference[None].copy(), np.full((1, len(reference)), np.inf))
        for point in front[np.argsort(-front[:, -1], kind="stable")]:
            boxes = boxes.below(point)
        return boxes

    def below(self, point: FloatArray) -> Boxes:
        """Return the boxes without the part that a point (m,) dominates."""
        is_hit = (self.lower < point).all(axis=1)
        if not is_hit.any():
            return self
        lower, upper = self.lower[is_hit], self.upper[is_hit].copy()
        lowers, uppers = [self.lower[~is_hit]], [self.upper[~is_hit]]
        for k in reversed(range(len(point))):
            has_part = upper[:, k] > point[k]
            above = lower[has_part].copy()
            above[:, k] = point[k]
            lowers.append(above)
            uppers.append(upper[has_part].copy())
            # What follows is not above the point in objective k.
            upper[:, k] = np.minimum(upper[:, k], point[k])
        return Boxes(np.vstack(lowers), np.vstack(uppers))

    def volume(self, ideal: FloatArray) -> float:
        """Return the volume of the boxes below an ideal point (m,)."""
        sides = np.maximum(np.minimum(self.upper, ideal) - self.lower, 0.0)
        return float(sides.prod(axis=1).sum())


def hypervolume(front: FloatArray, reference: FloatArray) -> float:
    """Return the volume that the points of ``front`` (n, m) dominate above a reference (m,).

    All m objectives are to be maximised. Points that are not above the reference in every
    objective count for nothing; without others the volume is 0.
    """
    front = front[(front > reference).all(axis=1)]
    if not len(front):
        return 0.0
    ideal = front.max(axis=0)
    return float((ideal - reference).prod()) - Boxes.above(reference, front).volume(ideal)


def thinned(front: FloatArray, scale: FloatArray, n_most: int) -> FloatArray:
    """Return at most ``n_most`` points of a front (n, m) such that the others are close to them.

    All m objectives are to be maximised. A point is left out if a point that is kept, and comes
    before it, is worse than it by at most ε ``scale`` in every objective. ε starts at 0.01 and
    doubles until few enough are kept.

    Args:
        front: Non-dominated points (n, m).
        scale: Positive scale (m,) of each objective.
        n_most: Maximum number of points.
    """
    epsilon = 0.01
    kept = front
    while len(kept) > n_most:
        kept, rest = front[:0], front
        while len(rest):
            kept = np.vstack([kept, rest[:1]])
            rest = rest[~(rest <= rest[0] + epsilon * scale).all(axis=1)]
        epsilon *= 2.0
    return kept
