"""Separation and covering radius of point sets, on the torus or in the plain cube.

``periodic=True`` measures on the torus, where opposite faces of [0, 1]^d are glued together;
``periodic=False`` measures Euclidean distances inside the cube.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.spatial import QhullError, Voronoi, cKDTree

from lattice_tools.lattice import positive_integer

#: Up to this dimension the covering radius is exact.
EXACT_DIM = 3

#: Linear programs after which an ascent ends wherever it is: twice as many gain 0.2 % at d = 50.
_N_PROGRAMS = 20

#: Points whose nearest neighbours are searched for together.
_N_QUERIES = 64

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Radius:
    """A radius, or a ratio of radii: exact, or a lower bound.

    Attributes:
        value: The radius, or the ratio of two radii.
        is_exact: Whether the value is exact up to rounding; if not, it is a lower bound.
        n_starts: If the value is a lower bound, the number of local searches whose largest result
            it is; 0 if exact.

    Example:
        >>> print(covering_radius([[0.25], [0.75]], periodic=True))
        0.25
        >>> float(Radius(0.6, is_exact=False, n_starts=16))
        0.6
    """

    value: float
    is_exact: bool
    n_starts: int

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if self.is_exact:
            return f"{self.value:.6g}"
        return f">= {self.value:.6g} (best of {self.n_starts} starts)"


def separation(points: ArrayLike, *, periodic: bool) -> float:
    """Return the smallest distance between two of the points, which is twice the packing radius.

    It is 0 if two points coincide.

    Args:
        points: Array (n, d) in [0, 1], with n >= 2.
        periodic: Whether to measure on the torus or in the plain cube.

    Example:
        >>> round(separation([[0.05], [0.5], [0.95]], periodic=True), 12)
        0.1
    """
    X = unit_cube_points(points)
    if len(X) < 2:
        raise ValueError(f"`points` must hold at least 2 points, got {len(X)}.")
    tree = _tree(X, periodic)
    smallest = math.inf
    # Most points have their nearest neighbour beyond the smallest distance so far: a search that
    # ends there is ten times as fast in twelve dimensions.
    for start in range(0, len(X), _N_QUERIES):
        distances, _ = tree.query(
            X[start : start + _N_QUERIES], k=2, distance_upper_bound=smallest
        )
        smallest = min(smallest, float(distances[:, 1].min()))
    return smallest


def covering_radius(
    points: ArrayLike, *, periodic: bool, n_starts: int = 32, seed: int = 0
) -> Radius:
    """Return the largest distance from any place in the cube to the nearest of the points.

    It is h_X in Eq. 18 of Lyu, Yuan and Tsang. Up to three dimensions it is exact: the farthest
    place is a vertex of the Voronoi diagram of the points and their copies beyond the faces of the
    cube. In more dimensions it is the largest distance that ``n_starts`` local ascents reach, and
    so a lower bound, which the result says. An ascent moves a place away from its nearest points.

    Args:
        points: Array (n, d) in [0, 1].
        periodic: Whether to measure on the torus or in the plain cube.
        n_starts: Number of local ascents in more than three dimensions.
        seed: Seed of the random starts of the ascents.

    Example:
        >>> print(covering_radius([[0.25, 0.25], [0.75, 0.75]], periodic=True))
        0.5
    """
    X = unit_cube_points(points)
    if X.shape[1] <= EXACT_DIM:
        return Radius(_voronoi_radius(X, periodic), is_exact=True, n_starts=0)
    n_starts = positive_integer("n_starts", n_starts)
    rng = np.random.default_rng(seed)
    return Radius(_ascent_radius(X, periodic, n_starts, rng), is_exact=False, n_starts=n_starts)


def mesh_ratio(points: ArrayLike, *, periodic: bool, n_starts: int = 32, seed: int = 0) -> Radius:
    """Return the covering radius divided by the packing radius; smaller is more uniform.

    It is at least 1, and infinite if two points coincide. Like the covering radius, the result is
    exact up to three dimensions and a lower bound beyond; its ``is_exact`` says which.

    Args:
        points: Array (n, d) in [0, 1], with n >= 2.
        periodic: Whether to measure on the torus or in the plain cube.
        n_starts: Number of local ascents in more than three dimensions.
        seed: Seed of the random starts of the ascents.

    Example:
        >>> print(mesh_ratio([[0.0], [0.5]], periodic=True))
        1
    """
    covering = covering_radius(points, periodic=periodic, n_starts=n_starts, seed=seed)
    packing = separation(points, periodic=periodic) / 2
    ratio = covering.value / packing if packing > 0 else math.inf
    return Radius(ratio, covering.is_exact, covering.n_starts)


def unit_cube_points(points: ArrayLike) -> FloatArray:
    """Return ``points`` as a float array (n, d).

    A ValueError is raised unless they are a table of numbers in [0, 1] with n >= 1 and d >= 1.
    """
    X = np.asarray(points, dtype=np.float64)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"`points` must be an array (n, d) with n, d >= 1, got shape {X.shape}.")
    outside = ~((X >= 0) & (X <= 1))
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise ValueError(
            f"`points` must lie in [0, 1], got {X[row, column]} in row {row + 1}, "
            f"column {column + 1}."
        )
    return X


def _tree(X: FloatArray, periodic: bool) -> cKDTree:
    # On the torus 1 is the same as 0, and the tree accepts only the latter.
    return cKDTree(X % 1.0, boxsize=1.0) if periodic else cKDTree(X)


def _voronoi_radius(X: FloatArray, periodic: bool) -> float:
    """Return the exact covering radius of points X (n, d) in up to three dimensions.

    On the torus (``periodic``) the points are continued by translation, in the plain cube by
    reflection in its faces. A reflected point is never nearer to a place in the cube than its
    original, and the faces become boundaries of Voronoi cells. Either way each cell within the
    cube is a polytope and the distance to its point is convex, so the farthest place is a Voronoi
    vertex.
    """
    dim = X.shape[1]
    tree = _tree(X, periodic)
    reach = _covering_bound(tree, dim)
    if periodic:
        copies_1d = [X - 1, X, X + 1]
    else:
        copies_1d = [-X, X, 2 - X]
    copies = np.concatenate(
        [
            np.column_stack([copy[:, j] for j, copy in enumerate(choice)])
            for choice in product(copies_1d, repeat=dim)
        ]
    )
    # Copies farther from the cube than any place is from its nearest point are not needed.
    gap = np.maximum(np.maximum(-copies, copies - 1), 0)
    near = np.linalg.norm(gap, axis=1) <= 2 * reach
    copies = np.unique(copies[near], axis=0)
    if dim == 1:
        vertices = (copies[1:] + copies[:-1]) / 2
    else:
        vertices = _voronoi_vertices(copies)
    # Vertices on a face may lie beyond it by rounding; those far outside do no harm on it.
    places = np.clip(vertices, 0, 1)
    distances, _ = tree.query(places)
    farthest = int(np.argmax(distances))
    # Qhull loses vertices where points nearly coincide; a last ascent makes up for that.
    return _ascend(X, tree, periodic, places[farthest], float(distances[farthest]))


def _voronoi_vertices(P: FloatArray) -> FloatArray:
    try:
        vertices: FloatArray = Voronoi(P).vertices
    except QhullError:
        # Points that nearly coincide defeat Qhull's exact mode; joggled (QJ) by some 1e-10 they
        # do not, and no radius changes by more than that.
        vertices = Voronoi(P, qhull_options="Qbb Qc Qz QJ").vertices
    return vertices


def _covering_bound(tree: cKDTree, dim: int) -> float:
    """An upper bound of the covering radius, from the centres of a grid's cells."""
    n_cells = 16
    centre = (np.arange(n_cells) + 0.5) / n_cells
    grid = np.stack(np.meshgrid(*[centre] * dim), axis=-1).reshape(-1, dim)
    distances, _ = tree.query(grid)
    return float(distances.max()) + math.sqrt(dim) / (2 * n_cells)


def _ascent_radius(
    X: FloatArray, periodic: bool, n_starts: int, rng: np.random.Generator
) -> float:
    """Return the largest distance to the nearest point that ``n_starts`` local ascents reach.

    It is a lower bound of the covering radius. Each ascent starts from the farthest of 64 random
    places.
    """
    n_random = 64
    tree = _tree(X, periodic)
    best = 0.0
    for _ in range(n_starts):
        places = rng.random((n_random, X.shape[1]))
        distances, _ = tree.query(places)
        farthest = int(np.argmax(distances))
        best = max(best, _ascend(X, tree, periodic, places[farthest], float(distances[farthest])))
    return best


def _ascend(
    X: FloatArray, tree: cKDTree, periodic: bool, place: FloatArray, distance: float
) -> float:
    """Move a place away from its nearest points until that gains nothing more.

    For a point p, |u - p|^2 = |u|^2 - 2 p.u + |p|^2, and |u|^2 >= 2 x.u - |x|^2 for the present
    place x, with equality at x. So the linear program over a place u and a number t

        max t   subject to   t <= |p|^2 - 2 p.u + 2 x.u - |x|^2   for the points p nearest to x

    has a solution u whose squared distance to each of these points is at least t, and t is at
    least the squared distance of x to the nearest one. If another point is nearer to u than that,
    the points nearest to u are added to the program; otherwise u becomes the present place. u
    stays in the cube or, on the torus, within half a period of x in each coordinate. The ascent
    ends if t is no more than the present squared distance, or after `_N_PROGRAMS` programs.

    Args:
        X: Points (n, d) in [0, 1].
        tree: The same points as a k-d tree.
        periodic: Whether to measure on the torus or in the plain cube.
        place: Place (d,) at which to start.
        distance: Distance of the place to the nearest point.

    Returns:
        The distance of the last place to its nearest point, a lower bound of the covering radius.
    """
    dim = X.shape[1]
    P = _images(X, tree, periodic, place, 10 * dim)
    for _ in range(_N_PROGRAMS):
        # On the torus no place is farther than half a period in any coordinate.
        low, high = (place - 0.5, place + 0.5) if periodic else (0.0, 1.0)
        bounds = np.column_stack(np.broadcast_arrays(low, high, place)[:2])
        program = linprog(
            c=np.append(np.zeros(dim), -1.0),
            A_ub=np.column_stack([2 * (P - place), np.ones(len(P))]),
            b_ub=(P**2).sum(axis=1) - place @ place,
            bounds=[*bounds.tolist(), (None, None)],
            method="highs",
        )
        if not program.success or -program.fun <= distance**2 * (1 + 1e-9):
            break
        moved = program.x[:dim] if periodic else np.clip(program.x[:dim], 0.0, 1.0)
        nearest = _images(X, tree, periodic, moved, dim + 1)
        moved_distance = float(np.linalg.norm(nearest - moved, axis=1).min())
        if moved_distance > distance:
            place, distance = moved, moved_distance
            P = _images(X, tree, periodic, place, 10 * dim)
        else:
            P = np.concatenate([P, nearest])
    return distance


def _images(X: FloatArray, tree: cKDTree, periodic: bool, place: FloatArray, n: int) -> FloatArray:
    """Return the ``n`` points (n, d) that are nearest to a place (d,), or all if there are fewer.

    On the torus, a point has images at whole steps; the image nearest to the place is returned.
    """
    _, nearest = tree.query(place, k=min(n, len(X)))
    P: FloatArray = X[np.atleast_1d(nearest)]
    return P - np.round(P - place) if periodic else P
