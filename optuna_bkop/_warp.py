"""Objective values made fit for a kernel model: to be maximised, standardised, tails tamed.

Suggestions must not change when a constant is added to all values or when they are multiplied by
a positive factor. Everything here is therefore a function of differences over a scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from optuna_bkop._kernels import FloatArray

WARPINGS = ("log", "half-rank", "none")

#: Warped values are rounded to this many decimals, so that the rounding errors of shifted or
#: scaled objectives do not reach the suggestions.
_DECIMALS = 10


def warp(values: FloatArray, warping: str = "log") -> FloatArray:
    """Values to be maximised (n,), possibly infinite, as numbers of order one (n,).

    Args:
        values: To be maximised; +-inf are allowed, NaN are not.
        warping: "none" standardises. "half-rank" keeps the better half as it is, on the scale of
            its own root mean square distance to the median, and replaces the worse half by
            normal quantiles of its ranks: how bad a bad trial is tells little about where the
            good ones are, and one huge value would make all others look alike. "log" begins
            with the same; how much to `stretch` is then fitted together with the model.
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
    standard = _standardised(v) if warping == "none" else _half_rank(v)
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


@dataclass(frozen=True)
class Stretched:
    """Values after a `stretch` with offset c, and what a fit of log c needs.

    Attributes:
        values: The new values w (n,).
        slopes: dw / d log c (n,).
        log_jacobian: Σ log dw/dy over the values that were stretched.
        log_jacobian_slope: Its derivative in log c.
    """

    values: FloatArray
    slopes: FloatArray
    log_jacobian: float
    log_jacobian_slope: float


def stretch(y: FloatArray, offset: float) -> Stretched:
    """Warped values y (n,) with the better half seen on a logarithmic scale towards the best.

    With m the best value and r = m - y, a value y >= 0 becomes proportional to
    log((m + c m) / (r + c m)), c the offset, such that the root mean square of these stays the
    same. A large offset changes nothing. A small one tells good values apart that are close to
    the best, as a logarithm does for a function whose minimum is 0; but the minimum is not
    asked for, and a constant added to all values cancels.
    """
    better = y >= 0
    m = float(y.max(initial=0.0))
    if not m > 0:
        return Stretched(y, np.zeros(len(y)), 0.0, 0.0)
    c, u = offset, y[better] / m
    gap = 1.0 - u + c
    g = np.log((1.0 + c) / gap)
    dg = c / (1.0 + c) - c / gap
    # w = y's root mean square times g / scale.
    scale = math.sqrt(np.mean(g * g))
    d_log_scale = float(np.mean(g * dg)) / scale**2
    rms = math.sqrt(np.mean(u * u)) * m
    values, slopes = y.copy(), np.zeros(len(y))
    values[better] = rms * g / scale
    slopes[better] = rms * (dg - g * d_log_scale) / scale
    n = len(u)
    return Stretched(
        values,
        slopes,
        n * math.log(rms / (m * scale)) - float(np.log(gap).sum()),
        -n * d_log_scale - float((c / gap).sum()),
    )
