"""The maximum of m + R σ over a region, certified or by search.

m and σ are mean and deviation of a `Posterior`, R >= 0 is the weight of the deviation.
"""

from __future__ import annotations

import math

import numpy as np

from lattice_tools import kronecker
from optuna_bkop._arrays import FloatArray
from optuna_bkop._theory.branch_and_bound import Maximum, maximize_on_boxes
from optuna_bkop._theory.posterior import Posterior
from optuna_bkop._theory.region import Region
from optuna_bkop._theory.stationary_kernel import StationaryKernel

#: Number of space-filling points, and of climbs from the best of them, of a search. Climbs from
#: the best queried points are made as well, because m + R σ often has its maximum beside them.
_N_SAMPLES, _N_CLIMBS = 512, 4
#: A climb starts this far from a queried point, in length scales: σ has a kink at the point.
_STEP = 0.05


def search_maximum(posterior: Posterior, weight: float, region: Region) -> Maximum:
    """Search the maximum of m + R σ: space-filling points, then climbs from the best.

    The result is a lower bound of the maximum and certifies nothing. Climbs need a
    `StationaryKernel`; with other kernels the result is the best of the space-filling points.

    Args:
        posterior: The posterior, with mean m and deviation σ.
        weight: The weight R of the deviation.
        region: Where to maximise.
    """
    n_boxes, dim = region.lower.shape
    unit = kronecker(0, max(_N_SAMPLES, 2 * n_boxes), dim)
    box = np.arange(len(unit)) % n_boxes
    Z = region.lower[box] + unit * (region.upper - region.lower)[box]
    mean, std = posterior.mean_and_std(Z)
    values = mean + weight * std
    top = int(np.argmax(values))
    found, at = float(values[top]), Z[top]
    if isinstance(posterior.kernel, StationaryKernel) and (region.upper > region.lower).any():
        for start in _starts(posterior, Z, values):
            # The box whose pinned features are nearest: a climb stays in one box.
            outside = np.maximum(region.lower - start, 0) + np.maximum(start - region.upper, 0)
            j = int(np.argmin((outside**2).sum(axis=1)))
            value, z = _climb(posterior, weight, start, region.lower[j], region.upper[j])
            if value > found:
                found, at = value, z
    return Maximum(found, found, at, is_certified=False, n_boxes=0)


def certified_maximum(
    posterior: Posterior,
    weight: float,
    region: Region,
    *,
    found: Maximum | None = None,
    tolerance: float = 0.0,
    floor: float = -math.inf,
    enough: float = math.inf,
    max_boxes: int = 20_000,
) -> Maximum:
    """Return the maximum of m + R σ with a proved upper bound.

    The kernel must be a `StationaryKernel`. With any other, the result is that of a search, and
    its ``is_certified`` is False.

    Args:
        posterior: The posterior, with mean m and deviation σ.
        weight: The weight R of the deviation.
        region: Where to maximise.
        found: The result of `search_maximum`, if known.
        tolerance: The search ends when upper and lower value differ by at most this.
        floor: Values up to this do not matter: the upper bound need not be smaller.
        enough: The search ends when a value above this was found.
        max_boxes: Maximum number of boxes of the branch and bound.
    """
    first = search_maximum(posterior, weight, region) if found is None else found
    kernel = posterior.kernel
    if not isinstance(kernel, StationaryKernel):
        return first
    dim = region.lower.shape[1]
    return maximize_on_boxes(
        lambda centres, halves: posterior.bound_boxes(weight, centres, halves),
        region.lower,
        region.upper,
        scales=np.broadcast_to(np.asarray(kernel.length_scales, dtype=float), (dim,)),
        start=(first.lower, first.at),
        tolerance=tolerance,
        floor=floor,
        enough=enough,
        max_boxes=max_boxes,
    )


def _starts(posterior: Posterior, Z: FloatArray, values: FloatArray) -> FloatArray:
    """Return starting points (s, D) of climbs.

    They are the points of Z (m, D) with the largest ``values`` (m,) of m + R σ, and points beside
    the queries with the largest posterior means.
    """
    best = Z[np.argsort(-values)[:_N_CLIMBS]]
    mean = posterior.mean_and_std(posterior.X)[0]
    queried = posterior.X[np.argsort(-mean)[:_N_CLIMBS]]
    kernel = posterior.kernel
    ell = kernel.length_scales if isinstance(kernel, StationaryKernel) else 1.0
    signs = np.where(kronecker(1, len(queried), Z.shape[1]) < 0.5, -1.0, 1.0)
    return np.vstack([best, queried + _STEP * np.asarray(ell) * signs])


def _climb(
    posterior: Posterior, weight: float, start: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[float, FloatArray]:
    """Maximise m + weight σ from a start point, within a box; return the value and the point."""
    from scipy.optimize import minimize

    def negative(z: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = posterior.value_and_gradient(weight, z)
        return -value, -gradient

    result = minimize(
        negative,
        np.clip(start, lower, upper),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(lower, upper, strict=True)),
        options={"maxiter": 60},
    )
    z = np.clip(result.x, lower, upper)
    return float(posterior.value_and_gradient(weight, z)[0]), z
