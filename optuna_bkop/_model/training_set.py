"""Selects and prepares the trials that the kernel models are trained on.

Points are in the unit cube of a `Domain`; values are to be maximised. The active set is the trials
that the models are trained on, at most `MAX_ACTIVE` of them. "Best first" means: feasible trials
by value, then the infeasible ones. While no trial is feasible, trials with a small total
constraint violation come first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain
from optuna_bkop._model.warping import warp

#: Maximum number of points that a model is conditioned on. It bounds the cost of an ask: one with
#: 10,000 trials costs no more than one with 1,000 (`benchmarks/README.md` has the seconds).
MAX_ACTIVE = 500
#: Number of feasible values whose quartiles tell how much values differ.
_ENOUGH = 8
#: Sums and ratios of values up to this size cannot overflow.
_HUGE = 1e100


@dataclass(frozen=True)
class ActiveSet:
    """The trials that models are trained on, best trial first.

    Attributes:
        F: Features (a, D) of the trials that models are trained on.
        constraints: Scaled constraint values (a, k) of the trials that models are trained on; met
            if at most 0, NaN if unknown.
        feasible: For each of all n trials, whether it meets its constraints (n,).
        order: Indices of all trials (n,), best first.
    """

    F: FloatArray
    constraints: FloatArray
    feasible: NDArray[np.bool_]
    order: NDArray[np.int64]


@dataclass(frozen=True)
class TrainingSet(ActiveSet):
    """The trials with one objective that models are trained on, best trial first.

    Attributes:
        y: Transformed values (a,), to be maximised; while no trial is feasible, the negative total
            constraint violation.
        n_ties: Number of trials, besides the best one, that share its value.
    """

    y: FloatArray
    n_ties: int

    @classmethod
    def of(
        cls,
        U: FloatArray,
        values: FloatArray,
        constraints: FloatArray,
        domain: Domain,
        warping: str,
    ) -> TrainingSet:
        """Return the training set of n trials.

        At most `MAX_ACTIVE` of them are part of it (see `active_set`).

        Args:
            U: Points (n, d); NaN where a trial does not have the parameter.
            values: Values (n,), to be maximised; may be infinite.
            constraints: Constraint values (n, k); feasible if at most 0, NaN if unknown.
            domain: The domain of the points.
            warping: How values are transformed: "log", "half-rank" or "none" (see `warp`).
        """
        feasible = is_feasible(constraints)
        scaled = scaled_constraints(constraints)
        if feasible.any():
            y = warp(limited(values, feasible), warping)
        else:
            # No trial is feasible yet, so the search is for a smaller violation.
            y = -np.nansum(np.maximum(scaled, 0.0), axis=1)
        order = np.lexsort((-y, ~feasible))
        F = domain.features(U)
        active = active_set(F, order)
        best = order[0]
        n_ties = int((y[feasible == feasible[best]] == y[best]).sum()) - 1
        return cls(F[active], scaled[active], feasible, order, y[active], n_ties)


def limited(values: FloatArray, feasible: NDArray[np.bool_]) -> FloatArray:
    """Return values (n,), those of infeasible trials at most a little better than feasible ones.

    The limit is the best finite feasible value plus the interquartile range of the finite feasible
    values; of all finite values while fewer than `_ENOUGH` are feasible, or the feasible ones have
    no such range. An infeasible value of another order of magnitude would set the scale, and all
    feasible values would look alike. How much better an infeasible point is does not matter: it
    cannot be used.

    Args:
        values: Values (n,), to be maximised; may be infinite.
        feasible: Which trials (n,) are feasible.
    """
    finite = np.isfinite(values)
    usable = values[finite & feasible]
    if feasible.all() or not len(usable):
        return values
    # Divide first: the difference of huge values could overflow.
    unit = max(1.0, float(np.abs(values[finite]).max()) / _HUGE)
    spread = _quartile_range(usable / unit) if len(usable) >= _ENOUGH else 0.0
    spread = spread or _quartile_range(values[finite] / unit)
    with np.errstate(over="ignore"):
        limit = (usable.max() / unit + spread) * unit
    return np.where(feasible, values, np.minimum(values, limit))


def _quartile_range(values: FloatArray) -> float:
    lower, upper = np.quantile(values, [0.25, 0.75])
    return float(upper - lower)


def is_feasible(constraints: FloatArray) -> NDArray[np.bool_]:
    """Return which trials (n,) violate none of their constraints (n, k).

    A constraint is violated if its value is positive, as in Optuna. NaN is no violation.
    """
    feasible: NDArray[np.bool_] = ~np.any(constraints > 0, axis=1)
    return feasible


def active_set(F: FloatArray, order: NDArray[np.int64], n_centres: int = 1) -> NDArray[np.int64]:
    """Return the indices (a,) of at most `MAX_ACTIVE` trials to train on.

    If n is at most `MAX_ACTIVE`, all trials are returned. Otherwise half of the result are the
    best trials, a quarter are those nearest to one of the ``n_centres`` best trials, and a quarter
    are spread evenly by rank over the remaining trials.

    Args:
        F: Features (n, D) of all trials.
        order: Indices of all trials (n,), best first.
        n_centres: Number of best trials whose neighbours are wanted.
    """
    if len(order) <= MAX_ACTIVE:
        return order
    n_best, n_near = MAX_ACTIVE // 2, MAX_ACTIVE // 4
    best, others = order[:n_best], order[n_best:]
    distance = np.min(
        [np.linalg.norm(F[others] - F[centre], axis=1) for centre in order[:n_centres]], axis=0
    )
    near = others[np.argsort(distance, kind="stable")[:n_near]]
    rest = others[~np.isin(others, near)]
    spread = rest[np.linspace(0, len(rest) - 1, MAX_ACTIVE - n_best - n_near).astype(np.int64)]
    return np.concatenate([best, near, np.unique(spread)])


def scaled_constraints(constraints: FloatArray) -> FloatArray:
    """Return the constraints (n, k), scaled: arcsinh of each column divided by its typical size.

    The typical size is the median of the column's non-zero absolute values, or 1 if all are 0.
    Signs are kept, so feasibility does not change; the arcsinh shortens heavy tails. NaN stays
    NaN.
    """
    scaled = np.nan_to_num(constraints, nan=np.nan, posinf=1e300, neginf=-1e300)
    for j in range(scaled.shape[1]):
        sizes = np.abs(scaled[:, j])
        sizes = sizes[sizes > 0]
        with np.errstate(over="ignore"):
            ratio = scaled[:, j] / (np.nanmedian(sizes) if len(sizes) else 1.0)
        scaled[:, j] = np.arcsinh(np.clip(ratio, -1e300, 1e300))
    return scaled
