"""Objective values made fit for a kernel model: to be maximised, standardised, tails tamed.

Suggestions must not change when a constant is added to all values or when they are multiplied by
a positive factor. Everything here is therefore a function of differences over a scale.
"""

from __future__ import annotations

import numpy as np

from optuna_bkop._kernels import FloatArray

WARPINGS = ("half-rank", "none")

#: Warped values are rounded to this many decimals, so that the rounding errors of shifted or
#: scaled objectives do not reach the suggestions.
_DECIMALS = 10


def warp(values: FloatArray, warping: str = "half-rank") -> FloatArray:
    """Values to be maximised (n,), possibly infinite, as numbers of order one (n,).

    Args:
        values: To be maximised; +-inf are allowed, NaN are not.
        warping: "none" standardises. "half-rank" keeps the better half as it is, on the scale of
            its own root mean square distance to the median, and replaces the worse half by
            normal quantiles of its ranks: how bad a bad trial is tells little about where the
            good ones are, and one huge value would make all others look alike.
    """
    finite = np.isfinite(values)
    if not finite.any():
        return np.where(values > 0, 1.0, np.where(values < 0, -1.0, 0.0))
    # Dividing first keeps differences of huge values from overflowing.
    largest = np.abs(values[finite]).max()
    v = values / largest if largest > 1e100 else values
    lowest, highest = v[finite].min(), v[finite].max()
    if lowest == highest and finite.all():
        return np.zeros(len(v))
    v = np.clip(v, lowest, highest)
    standard = _half_rank(v) if warping == "half-rank" else _standardised(v)
    # An infinitely good or bad value is a step better or worse than any finite one.
    standard = np.where(
        finite, standard, standard + np.sign(values, where=~finite, out=np.zeros(len(v)))
    )
    return np.round(standard, _DECIMALS)


def _standardised(v: FloatArray) -> FloatArray:
    # From the lowest first: a shift of all values then hardly changes how the mean is rounded.
    t = v - v.min()
    deviation = t - t.mean()
    scale = deviation.std()
    result: FloatArray = deviation / scale if scale > 0 else np.zeros(len(v))
    return result


def _half_rank(v: FloatArray) -> FloatArray:
    from scipy.special import ndtri

    n = len(v)
    t = v - np.median(v)
    better = t >= 0
    scale = np.sqrt(np.mean(t[better] ** 2))
    if not scale > 0:
        # Half of the values are equal and best: there is no scale but that of the others.
        return _standardised(v)
    # Average ranks: equal values stay equal.
    _, inverse, counts = np.unique(v, return_inverse=True, return_counts=True)
    upper = np.cumsum(counts)
    ranks = (upper - (counts + 1) / 2)[inverse]
    quantiles: FloatArray = ndtri((ranks + 0.5) / n)
    return np.where(better, t / scale, np.minimum(quantiles, 0.0))
