"""Compresses poor values, so that they do not decide the norm of a function.

How bad the worst values are says little about the optimum, but they make up most of the norm of a
function with steep walls. An increasing φ that leaves all values above the best one as they are
changes neither the optimum nor where it is: a certificate for φ(f) is one for f, if the norm is
that of φ(f).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray

#: The scale is this quantile of the distances to the best value (`benchmarks/README.md` compares
#: others).
_QUANTILE = 0.5


@dataclass(frozen=True)
class Compression:
    """The increasing function φ(v) = v for v >= top, and top - c log(1 + (top - v) / c) below.

    Attributes:
        top: The largest value; values are to be maximised.
        scale: The distance c to ``top`` from which on values are compressed strongly. If infinite,
            φ leaves all values unchanged.
    """

    top: float = 0.0
    scale: float = np.inf

    @classmethod
    def of(cls, y: FloatArray) -> Compression:
        """Return φ for values y (n,), to be maximised: c is their median distance to the best.

        If this is 0, φ leaves all values unchanged.
        """
        top = float(y.max())
        scale = float(np.quantile(top - y, _QUANTILE))
        return cls(top, scale) if scale > 0 else cls()

    def apply(self, y: FloatArray) -> FloatArray:
        """Return φ(y) (n,)."""
        if not np.isfinite(self.scale):
            return y
        below = np.maximum(self.top - y, 0.0)
        return np.maximum(y, self.top) - self.scale * np.log1p(below / self.scale)

    def invert(self, y: FloatArray) -> FloatArray:
        """Return the values (n,) whose compression is y (n,)."""
        if not np.isfinite(self.scale):
            return y
        below = np.maximum(self.top - y, 0.0)
        with np.errstate(over="ignore"):
            return np.maximum(y, self.top) - self.scale * np.expm1(below / self.scale)


#: Leaves values as they are.
NO_COMPRESSION = Compression()
