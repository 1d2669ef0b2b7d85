"""The prior of the hyperparameters. The glossary is in `kernel_model`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray


@dataclass(frozen=True)
class Prior:
    """Normal priors of the logarithms of the hyperparameters, for a MAP estimate.

    The detail is the part of the kernel with a second, short length scale; its share of the
    variance has a prior of its log odds. The distance between two random points of a cube grows
    like sqrt(dim), and so does the median of the length scales. The noise is relative to the
    signal. The offset c of `stretch` has a large median: values are hardly stretched unless the
    data demand it, because a model that stretches on little evidence settles in the first good
    basin (benchmarks/README.md). Main effects (see `main_effects`) are functions of one parameter:
    they have a share of the variance, with a prior of its log odds, and length scales of their
    own, which do not grow with dim.

    Attributes:
        length_scale: Median of the length scales, divided by sqrt(dim).
        length_scale_width: Standard deviation of the logarithms of the length scales.
        signal_width: Standard deviation of the log signal variance, whose mean is 0.
        noise_ratio: Median of noise variance / signal variance.
        noise_width: Standard deviation of the logarithm of this ratio.
        offset: Median of the offset of the `stretch`.
        offset_width: Standard deviation of the logarithm of the offset.
        detail: Median of the detail's share of the signal variance.
        detail_width: Standard deviation of the log odds of this share.
        main: Median of the main effects' share of the signal variance.
        main_width: Standard deviation of the log odds of this share.
        main_ratio: Median of sqrt(dim) times the length scales of the main effects, divided by
            those of the kernel of distances.
        main_ratio_width: Standard deviation of the logarithm of this ratio.
    """

    length_scale: float = 0.5
    length_scale_width: float = 1.0
    signal_width: float = 1.0
    noise_ratio: float = 1e-3
    noise_width: float = 1.5
    offset: float = 20.0
    offset_width: float = 1.5
    detail: float = 0.1
    detail_width: float = 1.5
    main: float = 0.5
    main_width: float = 1.5
    main_ratio: float = 1.0
    main_ratio_width: float = 0.7

    def means(self, dim: int, main_effects: bool = False) -> FloatArray:
        """Return prior means (d + 4,) or (d + 6,) of all that a fit determines.

        They are the means of log length scales (d,), log signal variance, log noise ratio, log
        offset and the log odds of the detail's share. With ``main_effects``, the log odds of their
        share and the log of their length scales, divided by the others, follow.
        """
        ell = math.log(self.length_scale * math.sqrt(dim))
        rest = [math.log(self.noise_ratio), math.log(self.offset), log_odds(self.detail)]
        if main_effects:
            rest += [log_odds(self.main), math.log(self.main_ratio / math.sqrt(dim))]
        return np.array([ell] * dim + [0.0, *rest])

    def widths(self, dim: int, main_effects: bool = False) -> FloatArray:
        """Return prior standard deviations (d + 4,) or (d + 6,), in the order of `means`."""
        rest = [self.signal_width, self.noise_width, self.offset_width, self.detail_width]
        if main_effects:
            rest += [self.main_width, self.main_ratio_width]
        return np.array([self.length_scale_width] * dim + rest)


def log_odds(share: float) -> float:
    """Return log(p / (1 - p)) of a share p between 0 and 1."""
    return math.log(share / (1.0 - share))


def share_of(odds: float) -> float:
    """Return the share, between 0 and 1, with these log odds."""
    return 1.0 / (1.0 + math.exp(-odds))
