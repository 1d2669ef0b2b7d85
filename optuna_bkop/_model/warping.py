"""Transforms objective values for a kernel model: standardises them and shortens heavy tails.

`warp` shortens the tail of poor values. `stretch` then puts the better half of the values on a
logarithmic scale towards the best one; its offset c > 0 says how little it stretches.

Suggestions must not change when a constant is added to all values or when all values are
multiplied by a positive factor. Every function here therefore depends on differences of values
divided by their scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray

WARPINGS = ("log", "half-rank", "none")

#: Transformed values are rounded to this many decimals. Rounding errors of shifted or scaled
#: objectives then do not change suggestions.
_DECIMALS = 10


def warp(values: FloatArray, warping: str = "log") -> FloatArray:
    """Return values (n,) transformed to finite numbers of order one (n,).

    Args:
        values: Values to be maximised; may be infinite, but not NaN.
        warping: "none" standardises. "half-rank" divides the better half by its root mean square
            distance to the median, and replaces the worse half by normal quantiles of its ranks:
            how bad a bad trial is says little about where good ones are, and one huge value would
            make all others look alike. "log" does the same here; the model's fit then decides
            how strongly to `stretch` the better half.
    """
    finite = np.isfinite(values)
    if not finite.any():
        return np.where(values > 0, 1.0, np.where(values < 0, -1.0, 0.0))
    # Divide first: differences of huge values could overflow.
    largest = np.abs(values[finite]).max()
    v = values / largest if largest > 1e100 else values
    lowest, highest = v[finite].min(), v[finite].max()
    if lowest == highest and finite.all():
        return np.zeros(len(v))
    v = np.clip(v, lowest, highest)
    standard = _standardised(v) if warping == "none" else _half_rank(v)
    # An infinite value counts as one unit better or worse than the best or worst finite one.
    standard = np.where(
        finite, standard, standard + np.sign(values, where=~finite, out=np.zeros(len(v)))
    )
    return np.round(standard, _DECIMALS)


def _standardised(v: FloatArray) -> FloatArray:
    # Subtract the lowest first: a shift of all values then hardly changes how the mean is rounded.
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
        # At least half of the values equal the best one: only the others have a scale.
        return _standardised(v)
    # Use average ranks, so that equal values stay equal.
    _, inverse, counts = np.unique(v, return_inverse=True, return_counts=True)
    upper = np.cumsum(counts)
    ranks = (upper - (counts + 1) / 2)[inverse]
    quantiles: FloatArray = ndtri((ranks + 0.5) / n)
    return np.where(better, t / scale, np.minimum(quantiles, 0.0))


@dataclass(frozen=True)
class Stretched:
    """The result of `stretch`, with the derivatives that a fit of the offset c needs.

    Attributes:
        values: Stretched values w (n,) of the values y (n,): proportional to
            log((m + c m) / (m - y + c m)) for y >= 0, with m the best value; equal to y for y < 0.
        slopes: dw / d log c (n,).
        log_jacobian: Σ log dw/dy over the better half of the values, y >= 0.
        log_jacobian_slope: d log_jacobian / d log c.
    """

    values: FloatArray
    slopes: FloatArray
    log_jacobian: float
    log_jacobian_slope: float


def stretch(y: FloatArray, offset: float) -> Stretched:
    """Return values y (n,) with the better half on a logarithmic scale towards the best.

    With m the best value, r = m - y and c the offset, a value y >= 0 becomes proportional to
    log((m + c m) / (r + c m)), scaled such that the root mean square of the better half stays the
    same. A large offset changes almost nothing. A small one separates good values that are close
    to the best, as a logarithm does for a function whose minimum is 0. The true minimum is not
    needed, and a constant added to all values cancels. If no value is positive, none changes.

    Args:
        y: Values to be maximised, as `warp` returns them: the better half is at least 0.
        offset: The offset c, positive.
    """
    better = y >= 0
    m = float(y.max(initial=0.0))
    if not m > 0:
        return Stretched(y, np.zeros(len(y)), 0.0, 0.0)
    c, u = offset, y[better] / m
    gap = 1.0 - u + c
    g = np.log((1.0 + c) / gap)
    dg = c / (1.0 + c) - c / gap
    # w = rms(y) g / scale.
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
