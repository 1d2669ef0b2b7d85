"""Fits hyperparameters by maximum a posteriori. The glossary is in `kernel_model`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.kernel_model import Hyperparameters
from optuna_bkop._model.kernels import KERNELS, Kernel
from optuna_bkop._model.likelihood import negative_log_posterior
from optuna_bkop._model.main_effects import waves
from optuna_bkop._model.prior import Prior, log_odds, share_of

#: Bounds of log s2, log (noise / signal), log offset, the log odds of a share, and the log ratio
#: of length scales: wide enough not to matter for standardised values, narrow enough to keep the
#: kernel matrix factorisable.
_SIGNAL_BOUNDS = (math.log(1e-2), math.log(1e2))
_NOISE_BOUNDS = (math.log(1e-8), math.log(2.0))
_OFFSET_BOUNDS = (math.log(1e-3), math.log(1e2))
_SHARE_BOUNDS = (log_odds(1e-4), log_odds(0.99))
_RATIO_BOUNDS = (math.log(1e-2), math.log(1e2))
#: Initial offset of a search. At the prior's median the values hardly depend on the offset.
_FIRST_OFFSET = 2.0
#: Initial share of the detail: large enough for the search to see its effect.
_FIRST_DETAIL = 0.27
#: A search starts from the prior's median length scales times each of these. With few trials per
#: parameter the short start may end in a local optimum; with many trials the long start may, where
#: everything that is not smooth counts as noise. After `_FIRST_STEPS` steps the better one goes on
#: (benchmarks/README.md compares both with one start).
_FIRST_SCALES, _FIRST_STEPS = (1.0, 0.15), 10
#: Maximum number of L-BFGS-B steps. Almost all fits converge before.
_MAX_STEPS = 60
#: Relative gain of a step below which a search stops.
_TOLERANCE = 1e-6
#: Number of fits that a `FitCache` remembers: one ask needs one for the values, one for each
#: constraint and one for failures.
_MAX_CACHED = 16


def _length_scale_bounds(dim: int) -> tuple[float, float]:
    """Return lower and upper bound of the logarithm of a length scale, for ``dim`` parameters.

    A hundred trials cannot distinguish very short length scales from noise, and a model with very
    short ones repeats the best trial. The lower bound follows the typical distance of a hundred
    points in ``dim`` dimensions, about 100^(-1/dim).
    """
    return math.log(min(0.1, 0.22 * 100.0 ** (-1.0 / dim))), math.log(50.0)


def _starts(
    prior: Prior, dim: int, stretched: bool, detailed: bool, main_effects: bool
) -> list[FloatArray]:
    """Return starting points (d + 4,) or (d + 6,) of the searches, in the order of `Prior.means`.

    Hyperparameters without an effect on the likelihood stay at the prior's mean.
    """
    centre = prior.means(dim, main_effects)
    if stretched:
        centre[dim + 2] = math.log(_FIRST_OFFSET)
    if detailed:
        centre[dim + 3] = log_odds(_FIRST_DETAIL)
    is_length_scale = np.arange(len(centre)) < dim
    return [centre + math.log(scale) * is_length_scale for scale in _FIRST_SCALES]


def fit(
    F: FloatArray,
    y: FloatArray,
    *,
    kernel: Kernel,
    groups: NDArray[np.int64],
    prior_mean: float,
    noise_var: float | None = None,
    stretched: bool = False,
    detailed: bool = False,
    main_effects: bool = False,
    prior: Prior | None = None,
) -> Hyperparameters:
    """Fit hyperparameters to values y (n,) at features F (n, D) by maximum a posteriori.

    The search starts at fixed points, so that all workers with the same data get the same result.

    Args:
        F: Features (n, D).
        y: Values (n,), of order one.
        kernel: Kernel as a function of the scaled squared distance.
        groups: Index of the parameter that each feature belongs to (D,).
        prior_mean: Mean of the values far from all data.
        noise_var: Fixed noise variance. If None, it is estimated.
        stretched: Whether to fit the offset of a `stretch` of the values as well.
        detailed: Whether to fit the share of the detail of a `DetailedKernel` as well.
        main_effects: Whether to fit the share and the length scales of `MainEffects` as well.
        prior: Prior of the hyperparameters. If None, `Prior()`.
    """
    from scipy.optimize import fmin_l_bfgs_b

    prior = Prior() if prior is None else prior
    dim = int(groups.max()) + 1
    bounds = [_length_scale_bounds(dim)] * dim
    bounds += [_SIGNAL_BOUNDS, _NOISE_BOUNDS, _OFFSET_BOUNDS, _SHARE_BOUNDS]
    bounds += [_SHARE_BOUNDS, _RATIO_BOUNDS] if main_effects else []
    R = waves(F) if main_effects else None

    def objective(theta: FloatArray) -> tuple[float, FloatArray]:
        return negative_log_posterior(
            theta,
            F,
            y,
            kernel=kernel,
            groups=groups,
            prior=prior,
            prior_mean=prior_mean,
            noise_var=noise_var,
            stretched=stretched,
            detailed=detailed,
            R=R,
        )

    def search(start: FloatArray, max_steps: int) -> tuple[FloatArray, float]:
        # In such short searches, `scipy.optimize.minimize` has twice the overhead.
        factr = _TOLERANCE / np.finfo(float).eps
        theta, value, _ = fmin_l_bfgs_b(
            objective, start, bounds=bounds, factr=factr, maxiter=max_steps
        )
        return theta, float(value)

    starts = _starts(prior, dim, stretched, detailed, main_effects)
    attempts = [search(start, _FIRST_STEPS) for start in starts]
    found, _ = search(min(attempts, key=lambda attempt: attempt[1])[0], _MAX_STEPS)
    log_s2, log_ratio, log_offset, detail_odds, *of_effects = found[dim:]
    s2 = math.exp(log_s2)
    return Hyperparameters(
        np.exp(found[:dim]),
        signal_var=s2,
        noise_var=s2 * math.exp(log_ratio) if noise_var is None else noise_var,
        offset=math.exp(log_offset) if stretched else math.inf,
        detail=share_of(detail_odds) if detailed else 0.0,
        main=share_of(of_effects[0]) if main_effects else 0.0,
        main_ratio=math.exp(of_effects[1]) if main_effects else 1.0,
    )


class FitCache:
    """Remembers the hyperparameters of the last fits.

    An ask that fits to the same trials as an earlier ask then needs no fit.
    """

    def __init__(self) -> None:
        self._found: dict[object, Hyperparameters] = {}

    def fit(
        self,
        F: FloatArray,
        y: FloatArray,
        *,
        kernel: str,
        groups: NDArray[np.int64],
        prior_mean: float,
        noise_var: float | None,
        stretched: bool,
        detailed: bool,
        main_effects: bool,
        prior: Prior | None,
    ) -> Hyperparameters:
        """Return `fit` of these arguments, ``kernel`` by its name, from memory if possible."""
        arrays = F.tobytes(), y.tobytes(), groups.tobytes()
        key = (*arrays, kernel, prior_mean, noise_var, stretched, detailed, main_effects, prior)
        found = self._found.pop(key, None)
        if found is None:
            found = fit(
                F,
                y,
                kernel=KERNELS[kernel],
                groups=groups,
                prior_mean=prior_mean,
                noise_var=noise_var,
                stretched=stretched,
                detailed=detailed,
                main_effects=main_effects,
                prior=prior,
            )
        self._found[key] = found  # the latest is the last
        while len(self._found) > _MAX_CACHED:
            del self._found[next(iter(self._found))]
        return found
