"""Theorems 7 and 8: the adversarial regret of a point set with the same history."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._checks import check_integer, check_number
from optuna_bkop._theory.branch_and_bound import Maximum
from optuna_bkop._theory.optimism import certified_maximum, search_maximum
from optuna_bkop._theory.posterior import Posterior
from optuna_bkop._theory.region import Region
from optuna_bkop._theory.stationary_kernel import StationaryKernel

#: Noise variance, relative to κ, that replaces 0. Deviations grow with it, so that bounds hold.
_ZERO = 1e-12


@dataclass(frozen=True)
class SameHistoryBound:
    """Bounds on the simple adversarial regret of Algorithm 5 of Lyu, Yuan and Tsang.

    Adversarial regret is the largest regret over all functions of norm at most B that agree with
    the values seen. The bounds come from the proofs of Theorems 7 and 8. σ is the posterior
    deviation after the queries, and x_T the next point.

    Attributes:
        at_next: 2 B σ(x_T), if x_T was given; otherwise None. It holds if x_T maximises m + B σ,
            with the posterior mean m.
        anywhere: 2 B max_x σ(x), which holds for whatever values were seen.
        largest_std: The maximum of σ: its bounds, where it is, and whether it is certified.

    Example:
        >>> X = np.array([[0.2], [0.7]])
        >>> kernel = StationaryKernel("se", 0.5)
        >>> bound = same_history_bound(X, kernel, 1.0, next_point=np.array([0.45]))
        >>> bound.at_next < bound.anywhere
        True
    """

    at_next: float | None
    anywhere: float
    largest_std: Maximum


def same_history_bound(
    X: FloatArray,
    kernel: StationaryKernel,
    rkhs_norm: float,
    *,
    next_point: FloatArray | None = None,
    region: Region | None = None,
    tolerance: float = 0.01,
    max_boxes: int = 20_000,
) -> SameHistoryBound:
    """Bound the adversarial regret after querying the points X (T - 1, D), whatever their values.

    The opponent may choose any f of norm at most B that agrees with the values seen. With
    posterior mean m and deviation σ, the point x_T = argmax m + B σ has

        f(x*) - f(x_T) <= 2 B σ(x_T) <= 2 B max_x σ(x).

    This is a line of the proofs of Lyu, Yuan and Tsang. Their Theorem 7 bounds it by B C
    h^(s - d/2) and Theorem 8 by B exp(c log h / (2 sqrt(h))), with constants that they do not
    give.

    The maximum of σ is found by branch and bound, with a proved upper bound that ``anywhere``
    uses.

    Args:
        X: Queried points, for example a lattice or the startup of a study.
        kernel: The kernel.
        rkhs_norm: The norm B.
        next_point: The point x_T (D,), if known.
        region: Region over which f is maximised. If None, the unit cube.
        tolerance: Relative accuracy of the maximum of σ.
        max_boxes: Maximum number of boxes of the branch and bound. If they do not suffice, the
            bound is valid, but less accurate.

    Example:
        >>> X = np.array([[0.2], [0.7]])
        >>> bound = same_history_bound(X, StationaryKernel("se", 0.5), 1.0)
        >>> bound.largest_std.at.round(3).tolist(), round(bound.largest_std.lower, 4)
        ([1.0], 0.4687)
    """
    check_number("rkhs_norm", rkhs_norm)
    check_number("tolerance", tolerance, positive=True)
    check_integer("max_boxes", max_boxes, 1)
    posterior = Posterior.of(X, np.zeros(len(X)), kernel, _ZERO * kernel.signal_var)
    region = Region.cube(X.shape[1]) if region is None else region
    found = search_maximum(posterior, 1.0, region)
    found = certified_maximum(
        posterior,
        1.0,
        region,
        found=found,
        tolerance=tolerance * found.lower,
        max_boxes=max_boxes,
    )
    at_next = None
    if next_point is not None:
        std = posterior.mean_and_std(np.asarray(next_point, dtype=float)[None])[1]
        at_next = 2.0 * rkhs_norm * float(std[0])
    return SameHistoryBound(at_next, 2.0 * rkhs_norm * found.upper, found)
