"""Estimates final values of pruned trials from the reports of COMPLETE ones.

A pruned trial has reports and no final value. Up to the step of its last report, the curves of
COMPLETE trials show how reports relate to final values. The relation may be anything that grows:
the final value may be the last report, the best one, their mean, or another metric. So three
summaries of the reports so far are tried (last, best, mean), and the one with the highest rank
correlation with the final values is used. With r a summary, v a final value, med a median, mad a
median absolute deviation (the standard deviation if it is 0), q the middle of the worse half of v
(its worse quartile), and ρ the rank correlation (0 if negative), the estimate is

    v = q + ρ (med(v) + mad(v) / mad(r) (r - med(r)) - q),

limited to med(v), because the trial was stopped for looking poor. med(v) and q are over all
COMPLETE trials, and med(r), mad(r), mad(v) and ρ over those of them that have reports. If fewer
than five have reports, the last report is used with ρ = 1; if only one has, mad(v) / mad(r) is 1.
Medians make the estimate robust against noisy curves and heavy tails. If values or reports are
changed linearly, estimates change accordingly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from optuna_bkop._arrays import FloatArray

#: Columns of a summary of reports.
LAST, LOWEST, HIGHEST, MEAN = range(4)
#: Up to this number of different last steps, each is used as it is. If there are more, steps are
#: rounded down to 1 or 1.5 times a power of two, so that long curves are summarised at few steps.
MAX_EXACT_STEPS = 32
#: Number of COMPLETE trials from which on the summary is chosen by its correlation. With fewer, a
#: high correlation is chance, and the last report is used.
_MIN_COMPLETE = 5
#: Quantile of the final values that a pruned trial without any usable report counts with: the
#: middle of the worse half, to which it belongs.
_WORSE = 0.75


def rounded_step(step: int) -> int:
    """Return a step, rounded down to 1 or 1.5 times a power of two if it is larger than 2."""
    if step <= 2:
        return step
    power = 1 << (step.bit_length() - 1)
    return power + power // 2 if step >= power + power // 2 else power


def summarize(reported: Mapping[int, float], step: int) -> tuple[float, float, float, float]:
    """Return last, lowest, highest and mean report up to ``step``; NaN if there is none.

    Reports that are NaN are ignored; infinite ones count.

    Args:
        reported: Reported values by step.
        step: Last step that counts.
    """
    values = [reported[s] for s in sorted(reported) if s <= step and not math.isnan(reported[s])]
    if not values:
        return (math.nan,) * 4
    mean = sum(values) / len(values)
    return values[-1], min(values), max(values), values[-1] if math.isnan(mean) else mean


def estimate_final(
    pruned: FloatArray, complete: FloatArray, values: FloatArray, *, maximize: bool
) -> FloatArray:
    """Estimate the final values (p,) of pruned trials with the same last step.

    Values and estimates are in the objective's own direction. A summary of reports is four
    numbers: last, lowest, highest and mean report; NaN if there is no report. A pruned trial
    without a report, or each of them if no COMPLETE trial has one, gets q, the worse quartile of
    ``values``. Infinite values count as the nearest finite one; if none is finite, all estimates
    are the infinity that is worst. An infinitely bad report of a pruned trial predicts the worst
    value, an infinitely good one the median.

    Args:
        pruned: Summaries (p, 4) of the pruned trials' reports.
        complete: Summaries (n, 4) of the reports of COMPLETE trials up to the same step.
        values: Final values (n,) of the COMPLETE trials; may be infinite.
        maximize: Whether larger values are better.
    """
    sign = 1.0 if maximize else -1.0
    if not np.isfinite(values).any():
        return np.full(len(pruned), -sign * np.inf)
    v = _within_finite(sign * values)
    median, quartile = np.median(v), np.quantile(v, 1.0 - _WORSE)
    estimates = np.full(len(pruned), quartile)
    known = ~np.isnan(complete[:, LAST])
    if known.any():
        columns = [LAST, HIGHEST if maximize else LOWEST, MEAN]
        columns = columns if known.sum() >= _MIN_COMPLETE else [LAST]
        fits = [_fit(_within_finite(sign * complete[known, k]), v[known]) for k in columns]
        best = int(np.argmax([correlation for correlation, _, _ in fits]))
        correlation, slope, centre = fits[best]
        r = sign * pruned[:, columns[best]]
        predicted = median + slope * (np.where(np.isfinite(r), r, centre) - centre)
        predicted[r == np.inf] = median
        # A report that diverged is as bad as the worst.
        worst = min(v.min(), predicted.min(initial=np.inf))
        predicted[r == -np.inf] = worst
        shrunk = quartile + max(correlation, 0.0) * (predicted - quartile)
        estimates = np.where(np.isnan(r), estimates, shrunk)
    return sign * np.minimum(estimates, median)


def _fit(r: FloatArray, v: FloatArray) -> tuple[float, float, float]:
    """Return rank correlation of reports r (n,) and values v (n,), slope of v in r, median r.

    The slope is mad(v) / mad(r), 1 if n is 1, and 0 if all reports are equal. The correlation
    counts as 1 if n is below 5.
    """
    correlation = 1.0 if len(r) < _MIN_COMPLETE else _rank_correlation(r, v)
    spread_r, spread_v = _spread(r), _spread(v)
    if len(r) == 1:
        slope = 1.0
    else:
        slope = spread_v / spread_r if spread_r > 0 else 0.0
    return correlation, slope, float(np.median(r))


def _within_finite(x: FloatArray) -> FloatArray:
    """Return x (n,) with infinite values replaced by the nearest finite one; zeros if none is."""
    finite = x[np.isfinite(x)]
    return np.clip(x, finite.min(), finite.max()) if len(finite) else np.zeros(len(x))


def _spread(x: FloatArray) -> float:
    """Return the median absolute deviation, or the standard deviation if that is 0."""
    spread = np.median(np.abs(x - np.median(x)))
    return float(spread if spread > 0 else x.std())


def _rank_correlation(a: FloatArray, b: FloatArray) -> float:
    """Return Spearman's rank correlation; 0 if all values of a or of b are equal."""
    from scipy.stats import rankdata

    ranks = rankdata([a, b], axis=1)
    x, y = ranks - ranks.mean(axis=1, keepdims=True)
    scale = math.sqrt((x @ x) * (y @ y))
    return float((x @ y) / scale) if scale > 0 else 0.0
