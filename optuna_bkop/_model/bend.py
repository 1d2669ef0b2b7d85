"""Transforms one of several objectives: straight where the front is, bent where values are poor.

Ranks, which one objective uses, would put a kink into the middle of the front. The knee is the
value where the straight part ends. With y the value, b the best value and s the distance from b to
the knee, the transformed value is

    -t                for t <= 1,     t = (b - y) / s,
    -(1 + log t)      beyond,

which is continuous with a continuous slope. Then it is standardised. Adding a constant to all
values, or multiplying them by a positive factor, changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray

#: The knee is at this quantile of the values, or at the worst value of the front if that is
#: better: a heavy tail of poor values then takes no part of the scale.
_KNEE = 0.25
#: Transformed values are rounded to this many decimals. Rounding errors of shifted or scaled
#: objectives then do not change suggestions.
_DECIMALS = 10
#: Values beyond this size are divided by the largest, because their differences could overflow.
_HUGE = 1e100


@dataclass(frozen=True)
class Bend:
    """The transformation of one objective, which is to be maximised.

    The result is straight up to the knee and bent beyond. With t the distance of a value to the
    best one, divided by ``knee``, it is -t for t <= 1 and -(1 + log t) beyond, standardised.

    Attributes:
        unit: Values are divided by this first; 1 unless they are huge.
        lowest: The lowest finite value, divided by ``unit``.
        best: The highest finite value, divided by ``unit``.
        knee: Distance from the best value to the knee, divided by ``unit``; positive.
        centre: Mean of the bent values, which is subtracted.
        spread: Standard deviation of the bent values, by which the result is divided.
    """

    unit: float
    lowest: float
    best: float
    knee: float
    centre: float = 0.0
    spread: float = 1.0

    @classmethod
    def of(cls, values: FloatArray, front: NDArray[np.int64]) -> Bend:
        """Return the transformation that suits the values (n,) of one objective.

        Args:
            values: Values, to be maximised; may be infinite, but not NaN.
            front: Indices of the trials on the front, that is, feasible and not dominated.
        """
        finite = values[np.isfinite(values)]
        largest = float(np.abs(finite).max(initial=0.0))
        unit = largest if largest > _HUGE else 1.0
        v = finite / unit if len(finite) else np.zeros(1)
        of_front = np.clip(values[front] / unit, v.min(), v.max())
        lowest, best = float(v.min()), float(v.max())
        quantile = float(np.quantile(v, _KNEE))
        ends = [max(float(of_front.min(initial=best)), quantile), quantile, lowest]
        # The first distance that is positive; all are 0 if the objective is constant.
        knee = next((best - end for end in ends if best > end), 1.0)
        raw = cls(unit, lowest, best, knee)
        bent = raw(values)
        centre, spread = float(bent.mean()), float(bent.std())
        return cls(unit, lowest, best, knee, centre, spread if spread > 0 else 1.0)

    def __call__(self, values: FloatArray) -> FloatArray:
        """Return the transformed values (n,).

        An infinite value is transformed like the best or lowest finite one, and is then 1 better
        or worse before the result is standardised.
        """
        v = np.where(np.isfinite(values), values / self.unit, 0.0)
        v = np.where(values == np.inf, self.best, np.where(values == -np.inf, self.lowest, v))
        t = (self.best - v) / self.knee
        bent = np.where(t <= 1.0, -t, -1.0 - np.log(np.maximum(t, 1.0)))
        bent = bent + np.where(np.isinf(values), np.sign(values), 0.0)
        result: FloatArray = np.round((bent - self.centre) / self.spread, _DECIMALS)
        return result

    def inverse(self, transformed: FloatArray) -> FloatArray:
        """Return the values (n,) of the objective whose transformed values are given (n,)."""
        bent = transformed * self.spread + self.centre
        t = np.where(bent >= -1.0, -bent, np.exp(np.maximum(-bent - 1.0, 0.0)))
        values: FloatArray = (self.best - self.knee * t) * self.unit
        return values
