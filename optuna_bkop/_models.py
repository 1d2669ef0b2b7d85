"""What the data say: the kernel models that batches are chosen by.

Everything is in the numbers of [0, 1] of a `Domain`; values are to be maximised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._domain import Domain
from optuna_bkop._kernels import KERNELS, FloatArray
from optuna_bkop._surrogate import KernelModel, Prior, fit
from optuna_bkop._warp import stretch, warp

#: The model sees at most this many points, and kernel parameters are fitted to at most so many.
_MAX_ACTIVE, _MAX_FITTED = 500, 250
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
    feasible = ~np.any(constraints > 0, axis=1)
    scaled = _scaled_constraints(constraints)
    y = warp(values, settings.warping)
    if not feasible.any():
        # Nothing is feasible yet: what is looked for is a smaller violation.
        y = -np.nansum(np.maximum(scaled, 0.0), axis=1)
    order = np.lexsort((-y, ~feasible))
    U_failed = U[:0] if U_failed is None else _never_succeeded(U_failed, U, domain)
    F, F_failed = domain.features(U), domain.features(U_failed)
    active = _active_set(F, order)
    value_models = _models(
        F[active],
        y[active],
        domain=domain,
        settings=settings,
        prior_mean=settings.prior_mean,
        factors=settings.length_scale_factors,
        stretched=settings.warping == "log",
    )
    feasibility: list[KernelModel] = []
    if feasible.any():
        for column in scaled.T:
            known = active[~np.isnan(column[active])]
            if len(known) and (column[known] > 0).any():
                feasibility += _models(F[known], -column[known], domain=domain, settings=settings)
    if len(F_failed):
        feasibility.append(_success_model(F_failed, F[active], domain, settings))
    best = order[0]
    return Fitted(
        value_models,
        tuple(feasibility),
        U[order],
        n_since_best=len(y) - 1 - int(best),
        n_ties=int((y[feasible == feasible[best]] == y[best]).sum()) - 1,
        domain=domain,
        settings=settings,
    )


def _models(
    F: FloatArray,
    y: FloatArray,
    *,
    domain: Domain,
    settings: Settings,
    prior_mean: float = 0.0,
    factors: tuple[float, ...] = (1.0,),
    stretched: bool = False,
    prior: Prior = _PRIOR,
) -> tuple[KernelModel, ...]:
    """Models of values y (n,) at features F (n, D), the first of which decide the fit.

    One for each of the ``factors`` that the fitted length scales are multiplied by.
    """
    kernel, groups = KERNELS[settings.kernel], domain.groups
    hyperparameters = fit(
        F[:_MAX_FITTED],
        y[:_MAX_FITTED],
        kernel=kernel,
        groups=groups,
        prior_mean=prior_mean,
        noise_var=settings.noise_var,
        stretched=stretched,
        prior=prior,
    )
    w = stretch(y, hyperparameters.offset).values if stretched else y
    return tuple(
        KernelModel.condition(
            F,
            w,
            kernel=kernel,
            hyperparameters=hyperparameters.rougher(factor),
            groups=groups,
            prior_mean=prior_mean,
        )
        for factor in factors
    )


def _success_model(
    F_failed: FloatArray, F: FloatArray, domain: Domain, settings: Settings
) -> KernelModel:
    """A model of whether a trial has a value: positive where more have one than have not.

    Accidents, which may happen anywhere, drive no point away: they are the noise of the fit, and
    what must be positive is the value without noise.
    """
    (success,) = _models(
        np.vstack([F_failed, F]),
        np.repeat([-1.0, 1.0], [len(F_failed), len(F)]),
        domain=domain,
        # Values may be free of noise; whether there is one is not.
        settings=replace(settings, noise_var=None),
        # Where nothing was tried a trial is expected to succeed.
        prior_mean=1.0,
        prior=_FAILURE_PRIOR,
    )
    return replace(success, noise_var=0.0)


def _never_succeeded(U_failed: FloatArray, U: FloatArray, domain: Domain) -> FloatArray:
    """The failed points (p, d) that are not among the others, U (n, d)."""
    if not len(U_failed):
        return U_failed
    succeeded = set(domain.keys(U))
    return U_failed[[key not in succeeded for key in domain.keys(U_failed)]]


def _active_set(F: FloatArray, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows that the model sees, so that its cost stops growing with the number of trials.

    A half are the best points, a quarter the nearest to the best one, and a quarter are spread
    over the others evenly by rank. ``order`` lists all rows, the best first.
    """
    if len(order) <= _MAX_ACTIVE:
        return order
    n_best, n_near = _MAX_ACTIVE // 2, _MAX_ACTIVE // 4
    best, others = order[:n_best], order[n_best:]
    distance = np.linalg.norm(F[others] - F[order[0]], axis=1)
    near = others[np.argsort(distance, kind="stable")[:n_near]]
    rest = others[~np.isin(others, near)]
    spread = rest[np.linspace(0, len(rest) - 1, _MAX_ACTIVE - n_best - n_near).astype(np.int64)]
    return np.concatenate([best, near, np.unique(spread)])


def _scaled_constraints(constraints: FloatArray) -> FloatArray:
    """Each column over its median size, with tamed tails; signs stay."""
    scaled = np.nan_to_num(constraints, nan=np.nan, posinf=1e300, neginf=-1e300)
    for j in range(scaled.shape[1]):
        sizes = np.abs(scaled[:, j])
        sizes = sizes[sizes > 0]
        scaled[:, j] = np.arcsinh(scaled[:, j] / (np.nanmedian(sizes) if len(sizes) else 1.0))
    return scaled
