"""The region over which a bound is maximised: a union of boxes in feature space.

Features are numbers of [0, 1] for numerical parameters, and indicators of choices (see `Domain`).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain

#: Largest number of boxes: of points of a finite domain, or of combinations of choices. With more,
#: one box contains all of them, so that the bound is still valid, but looser.
_MAX_BOXES = 1024


@dataclass(frozen=True)
class Region:
    """Boxes whose union contains every feature vector of a search space.

    A bound on the union is a bound on the search space, even if the union is larger.

    Attributes:
        lower: Lower corners (m, D) of the m boxes. A box whose corners are equal is a point.
        upper: Upper corners (m, D).
        doubt: Text that says why bounds on the region may not hold for the study; empty if they
            do.

    Example:
        >>> square = Region.cube(2)
        >>> square.contains(np.array([[0.5, 1.0]])), square.contains(np.array([[0.5, 1.1]]))
        (True, False)
    """

    lower: FloatArray
    upper: FloatArray
    doubt: str = ""

    @classmethod
    def cube(cls, dim: int) -> Region:
        """Return the unit cube of D = ``dim`` features."""
        return cls(np.zeros((1, dim)), np.ones((1, dim)))

    @classmethod
    def points(cls, X: FloatArray) -> Region:
        """Return the finite set of points X (m, D)."""
        return cls(X, X)

    @classmethod
    def of_domain(cls, domain: Domain, doubt: str = "") -> Region:
        """Return boxes that contain all features of a domain.

        If the domain has at most 1024 points and no conditions, the boxes are these points.
        Otherwise numerical parameters fill their range, those with steps, too, and each
        combination of choices has a box. Where a categorical parameter is conditional, its neutral
        features (those of an inactive parameter) are one more choice; the neutral feature of a
        numerical one lies in its range. So the boxes contain the features of all points, whichever
        conditions hold. With more than 1024 combinations, one box contains all of them.

        Args:
            domain: The domain.
            doubt: Why bounds on the region may not hold for the study; empty if they do.
        """
        if not domain.conditions and domain.n_points <= _MAX_BOXES:
            X = domain.features(domain.all_points())
            return cls(X, X, doubt)
        sides = [_sides(domain, j) for j in range(domain.dim)]
        if np.prod([float(len(side)) for side in sides]) > _MAX_BOXES:
            sides = [[_hull(side)] for side in sides]
        boxes = [np.concatenate(combination, axis=1) for combination in itertools.product(*sides)]
        corners = np.stack(boxes)
        return cls(corners[:, 0], corners[:, 1], doubt)

    def contains(self, X: FloatArray) -> bool:
        """Return whether each point of X (n, D) lies in one of the boxes, up to rounding."""
        above = X[:, None] >= self.lower - 1e-9
        below = X[:, None] <= self.upper + 1e-9
        inside = np.asarray((above & below).all(axis=2))  # (n, m)
        return bool(np.asarray(inside.any(axis=1)).all())


def _sides(domain: Domain, j: int) -> list[FloatArray]:
    """Return intervals that the features of parameter j can lie in: ends (2, columns) of each."""
    parameter = domain.parameters[j]
    grid = parameter.grid
    if not parameter.is_categorical or grid is None:
        # The features of an inactive parameter are 0.5, which may lie outside of a short grid.
        ends = [0.0, 1.0] if grid is None or j in domain.conditions else [grid[0], grid[-1]]
        return [np.array(ends)[:, None]]
    U = np.full((len(grid) + 1, domain.dim), np.nan)
    U[:-1, j] = grid
    # Each parameter alone: no condition can make its choices inactive.
    features = Domain(domain.parameters).features(U)[:, domain.groups == j]
    choices = features if j in domain.conditions else features[:-1]
    return [np.stack([choice, choice]) for choice in choices]


def _hull(side: list[FloatArray]) -> FloatArray:
    """Return the ends (2, columns) of the smallest interval that contains all intervals given."""
    return np.stack([np.min([s[0] for s in side], axis=0), np.max([s[1] for s in side], axis=0)])
