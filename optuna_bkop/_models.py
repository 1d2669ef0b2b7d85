"""What the data say: the kernel models that batches are chosen by.

Everything is in the numbers of [0, 1] of a `Domain`; values are to be maximised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from optuna_bkop._data import Data
from optuna_bkop._domain import Domain
from optuna_bkop._fit import Prior, fit
from optuna_bkop._kernels import KERNELS, FloatArray
from optuna_bkop._surrogate import Hyperparameters, KernelModel
from optuna_bkop._warp import stretch

#: Kernel parameters are fitted to at most so many points.
_MAX_FITTED = 250
#: Their fit is repeated when there are a sixteenth more trials, rounded down to one of these.
_FEW, _STEPS = 16, (1, 5, 10, 20, 50, 100, 200, 500, 1000)
#: Of the kernel parameters; and of those of the model of failures, some of which are accidents.
_PRIOR, _FAILURE_PRIOR = Prior(), Prior(noise_ratio=0.3, noise_width=1.0)


@dataclass(frozen=True)
class Settings:
    """How batches are chosen; the sampler's arguments that concern the mathematics.

    Attributes:
        strategy: A name of `STRATEGIES`.
        acquisition_form: "mean" or "rms" (see `_acquisition`).
        maximizer: "gradient" or "cma".
        cma_evaluations: Of a maximisation by "cma", at most.
        kernel: A name of `KERNELS`.
        rkhs_norm: B, the weight of the deviations.
        noise_var: 0: noise-free; a number: fixed; None: estimated.
        warping: Of the values, one of `WARPINGS`.
        length_scale_factors: The acquisition is averaged over models that have the fitted
            length scales times each of these.
        prior_mean: Of the warped values.
        trust_margin: Batches stay within the box around the best tenth of the points, widened
            by this much, but for points of other branches; None: everywhere.
        n_starts: How many greedy batches the gradient is followed from, at most.
    """

    strategy: str = "bkop"
    acquisition_form: str = "mean"
    maximizer: str = "gradient"
    cma_evaluations: int = 20_000
    kernel: str = "matern52"
    rkhs_norm: float = 1.0
    noise_var: float | None = None
    warping: str = "log"
    length_scale_factors: tuple[float, ...] = (0.3, 0.6, 1.0)
    prior_mean: float = -1.5
    trust_margin: float | None = 0.1
    n_starts: int = 16


@dataclass(frozen=True)
class Fitted:
    """The models of some data; what they cost most is done.

    Attributes:
        models: Of the value, one for each length scale factor.
        feasibility: Of each constraint, positive where it is met; and of whether a trial has a
            value at all, if some failed.
        U: All observed points (n, d), the best first.
        n_since_best: How many were observed after the best one.
        n_ties: How many others have the same value as the best one.
        domain: The domain.
        settings: How to choose.
    """

    models: tuple[KernelModel, ...]
    feasibility: tuple[KernelModel, ...]
    U: FloatArray
    n_since_best: int
    n_ties: int
    domain: Domain
    settings: Settings


def fit_models(
    U: FloatArray,
    values: FloatArray,
    constraints: FloatArray,
    U_failed: FloatArray | None = None,
    *,
    domain: Domain,
    settings: Settings,
) -> Fitted:
    """The models of values (n,) at points U (n, d).

    Args:
        U: Points; NaN where a parameter was not asked for.
        values: To be maximised; +-inf are allowed.
        constraints: (n, k), at most 0 where met, NaN where unknown.
        U_failed: Points (p, d) of trials that failed; None: none. One that did not fail another
            time is left out: that was an accident.
        domain: The domain.
        settings: How batches are chosen.
    """
    data = Data.of(U, values, constraints, domain, settings.warping)
    decisive, n = data, _n_decisive(len(U))
    # Of trials of which none is feasible the values are violations; those of all may not be.
    if n < len(U) and not np.any(constraints[:n] > 0, axis=1).all():
        decisive = Data.of(U[:n], values[:n], constraints[:n], domain, settings.warping)
    stretched, prior_mean = settings.warping == "log", settings.prior_mean
    found = _fit(
        decisive.F, decisive.y, domain, settings, prior_mean=prior_mean, stretched=stretched
    )
    y = stretch(data.y, found.offset).values if stretched else data.y
    value_models = tuple(
        _condition(data.F, y, found, domain, settings, prior_mean, factor)
        for factor in settings.length_scale_factors
    )
    U_failed = U[:0] if U_failed is None else _never_succeeded(U_failed, U, domain)
    return Fitted(
        value_models,
        (
            *_constraint_models(data, domain, settings),
            *_success_models(domain.features(U_failed), data.F, domain, settings),
        ),
        U[data.order],
        n_since_best=len(U) - 1 - int(data.order[0]),
        n_ties=data.n_ties,
        domain=domain,
        settings=settings,
    )


def _n_decisive(n: int) -> int:
    """How many of the first of n trials decide on the kernel parameters of the values.

    These change little with a few per cent more of trials, and finding them is a good part of what
    an ask costs. That it follows from n alone, and not from when they were found last, lets
    whoever knows the same trials find the same.
    """
    step = max(step for step in _STEPS if step <= max(1, n // _FEW))
    return n - n % step


def _fit(
    F: FloatArray,
    y: FloatArray,
    domain: Domain,
    settings: Settings,
    *,
    prior_mean: float = 0.0,
    stretched: bool = False,
    prior: Prior = _PRIOR,
) -> Hyperparameters:
    """Kernel parameters for values y (n,) at features F (n, D), the first of which decide."""
    return _fit_once(
        F[:_MAX_FITTED].tobytes(),
        y[:_MAX_FITTED].tobytes(),
        domain.groups.tobytes(),
        settings.kernel,
        prior_mean,
        settings.noise_var,
        stretched,
        prior,
    )


@lru_cache(maxsize=16)
def _fit_once(
    F: bytes,
    y: bytes,
    groups: bytes,
    kernel: str,
    prior_mean: float,
    noise_var: float | None,
    stretched: bool,
    prior: Prior,
) -> Hyperparameters:
    """`fit`, of arrays as bytes, so that it can be remembered."""
    values, columns = np.frombuffer(y), np.frombuffer(groups, dtype=np.int64)
    return fit(
        np.frombuffer(F).reshape(len(values), len(columns)),
        values,
        kernel=KERNELS[kernel],
        groups=columns,
        prior_mean=prior_mean,
        noise_var=noise_var,
        stretched=stretched,
        prior=prior,
    )


def _condition(
    F: FloatArray,
    y: FloatArray,
    hyperparameters: Hyperparameters,
    domain: Domain,
    settings: Settings,
    prior_mean: float = 0.0,
    factor: float = 1.0,
) -> KernelModel:
    """The model of values y (n,) at features F (n, D); length scales times ``factor``."""
    return KernelModel.condition(
        F,
        y,
        kernel=KERNELS[settings.kernel],
        hyperparameters=hyperparameters,
        groups=domain.groups,
        prior_mean=prior_mean,
        factor=factor,
    )


def _constraint_models(data: Data, domain: Domain, settings: Settings) -> list[KernelModel]:
    """A model of each constraint that was violated, once anything is feasible."""
    models = []
    for column in data.constraints.T if data.feasible.any() else ():
        known = ~np.isnan(column)
        if (column[known] > 0).any():
            F, y = data.F[known], -column[known]
            found = _fit(F, y, domain, settings)
            models.append(_condition(F, y, found, domain, settings))
    return models


def _success_models(
    F_failed: FloatArray, F: FloatArray, domain: Domain, settings: Settings
) -> list[KernelModel]:
    """If trials failed, a model of whether there is a value: positive where more have one.

    Accidents, which may happen anywhere, drive no point away: they are the noise of the fit, and
    what must be positive is the value without noise.
    """
    if not len(F_failed):
        return []
    F, y = np.vstack([F_failed, F]), np.repeat([-1.0, 1.0], [len(F_failed), len(F)])
    # Values may be free of noise; whether there is one is not.
    settings = replace(settings, noise_var=None)
    # Where nothing was tried a trial is expected to succeed.
    prior_mean = 1.0
    found = _fit(F, y, domain, settings, prior_mean=prior_mean, prior=_FAILURE_PRIOR)
    success = _condition(F, y, found, domain, settings, prior_mean)
    return [replace(success, noise_var=0.0)]


def _never_succeeded(U_failed: FloatArray, U: FloatArray, domain: Domain) -> FloatArray:
    """The failed points (p, d) that are not among the others, U (n, d)."""
    if not len(U_failed):
        return U_failed
    succeeded = set(domain.keys(U))
    return U_failed[[key not in succeeded for key in domain.keys(U_failed)]]
