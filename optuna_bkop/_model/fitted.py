"""Fits all kernel models of a study: values, constraints and failures.

Points are in the unit cube of a `Domain`; values are to be maximised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain
from optuna_bkop._model.fit import FitCache, Prior
from optuna_bkop._model.kernel_model import Hyperparameters, KernelModel
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._model.linalg import invert_lower
from optuna_bkop._model.neighbourhood import neighbourhood
from optuna_bkop._model.training_set import ActiveSet, TrainingSet, is_feasible
from optuna_bkop._model.warping import stretch
from optuna_bkop._settings import Settings

#: Maximum number of points to which hyperparameters are fitted: the best ones. Every step of a
#: fit costs O(n³), so that this bounds the cost of an ask in long studies.
_MAX_FITTED = 250
#: Hyperparameters are fitted again when there are a `REFIT_SHARE`-th more trials, rounded down
#: to one of `_REFIT_STEPS`. With one trial at a time, an ask then costs 0.86 of what it costs with
#: a fit for each trial at n = 120, and 0.77 at n = 1,000.
REFIT_SHARE, _REFIT_STEPS = 16, (1, 5, 10, 20, 50, 100, 200, 500, 1000)
#: The same for the models of constraints: each constraint needs a fit of its own, and an ask with
#: five of them would otherwise cost six times as much as one without.
CONSTRAINT_SHARE = 3
#: Prior of the model of failures. Its noise is larger than that of values, because some failures
#: are accidents that can happen anywhere.
_FAILURE_PRIOR = Prior(noise_ratio=0.3, noise_width=1.0)
#: Log-likelihood by which the place must predict failures better than their share does. Without a
#: margin, chance makes every few models of pure accidents look right, and one wrong model drives
#: the search away from good places. Failures that do depend on the place pass it after a few.
_EVIDENCE = 3.0
#: Mean of the model of failures where nothing was tried: a trial is expected to succeed.
_SUCCESS = 1.0


@dataclass(frozen=True)
class Fitted:
    """The kernel models of a study, conditioned on its data.

    Attributes:
        models: Models of the value, one for each length scale factor.
        feasibility: One model per constraint, positive where the constraint is met; and, if some
            trials failed, a model that is positive where trials succeed.
        U: All observed points (n, d), best first.
        n_since_best: Number of trials observed after the best one.
        n_ties: Number of trials, besides the best one, that share its value.
        domain: The domain of the points.
        settings: How batches are chosen.
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
    cache: FitCache | None = None,
    feasibility: tuple[KernelModel, ...] | None = None,
    n_fitted: int | None = None,
    rng: np.random.Generator | None = None,
) -> Fitted:
    """Fit the models of values (n,) at points U (n, d).

    In a long study the result may describe the trials near the best one alone: its domain is then
    a `ChartedDomain`, and its points are in the chart.

    Args:
        U: Points; NaN where a trial does not have the parameter.
        values: Values to be maximised; may be infinite.
        constraints: Constraint values (n, k); feasible if at most 0, NaN if unknown.
        U_failed: Points (p, d) of failed trials. A point that succeeded in another trial is
            ignored: its failure was an accident.
        domain: The domain of the points.
        settings: How batches are chosen.
        cache: Remembers hyperparameters of earlier fits.
        feasibility: The models of constraints and of success, if they are known already.
        n_fitted: Maximum number of best trials to which hyperparameters are fitted. If None,
            `_MAX_FITTED`.
        rng: Decides whether a long study is modelled near its best trial. If None, never.
    """
    cache = FitCache() if cache is None else cache
    near = None if rng is None else neighbourhood(U, values, constraints, domain, settings, rng)
    if near is not None:
        domain, inward = near.domain, near.domain.chart.inward
        U, values, constraints = inward(U[near.rows]), values[near.rows], constraints[near.rows]
        U_failed = None if U_failed is None else inward(U_failed)
    data = TrainingSet.of(U, values, constraints, domain, settings.warping)

    def decisive_of(share: int) -> TrainingSet:
        n = n_decisive(len(U), share)
        # If all decisive trials are infeasible, they would be fitted to constraint violations,
        # even when other trials are feasible. Then all trials decide.
        if n == len(U) or not is_feasible(constraints[:n]).any():
            return data
        return TrainingSet.of(U[:n], values[:n], constraints[:n], domain, settings.warping)

    decisive = decisive_of(REFIT_SHARE)
    stretched, prior_mean = settings.warping == "log", settings.prior_mean
    found = fit_to(
        decisive.F[:n_fitted],
        decisive.y[:n_fitted],
        domain,
        settings,
        cache,
        prior_mean=prior_mean,
        stretched=stretched,
    )
    y = stretch(data.y, found.offset).values if stretched else data.y
    value_models = tuple(
        condition(data.F, y, found, domain, settings, prior_mean, factor)
        for factor in settings.length_scale_factors
    )
    if feasibility is None:
        source = decisive_of(CONSTRAINT_SHARE)
        feasibility = feasibility_models(data, source, U, U_failed, domain, settings, cache)
    return Fitted(
        value_models,
        feasibility,
        U[data.order],
        n_since_best=len(U) - 1 - int(data.order[0]),
        n_ties=data.n_ties,
        domain=domain,
        settings=settings,
    )


def n_decisive(n: int, share: int) -> int:
    """Return how many of the first n trials decide hyperparameters.

    Hyperparameters change little with a few per cent more trials, and fitting them is a large
    part of the cost of an ask. The number depends on n alone, not on when the last fit was made,
    so that all workers that know the same trials fit the same hyperparameters.
    """
    step = max(step for step in _REFIT_STEPS if step <= max(1, n // share))
    return n - n % step


def fit_to(
    F: FloatArray,
    y: FloatArray,
    domain: Domain,
    settings: Settings,
    cache: FitCache,
    *,
    prior_mean: float = 0.0,
    stretched: bool = False,
    prior: Prior | None = None,
) -> Hyperparameters:
    """Fit hyperparameters to the first `_MAX_FITTED` values y (n,) at features F (n, D)."""
    return cache.fit(
        F[:_MAX_FITTED],
        y[:_MAX_FITTED],
        kernel=settings.kernel,
        groups=domain.groups,
        prior_mean=prior_mean,
        noise_var=settings.noise_var,
        stretched=stretched,
        prior=prior,
    )


def condition(
    F: FloatArray,
    y: FloatArray,
    hyperparameters: Hyperparameters,
    domain: Domain,
    settings: Settings,
    prior_mean: float = 0.0,
    factor: float = 1.0,
) -> KernelModel:
    """Return the model of values y (n,) at features F (n, D), length scales times ``factor``."""
    return KernelModel.condition(
        F,
        y,
        kernel=KERNELS[settings.kernel],
        hyperparameters=hyperparameters,
        groups=domain.groups,
        prior_mean=prior_mean,
        factor=factor,
    )


def feasibility_models(
    data: ActiveSet,
    decisive: ActiveSet,
    U: FloatArray,
    U_failed: FloatArray | None,
    domain: Domain,
    settings: Settings,
    cache: FitCache,
) -> tuple[KernelModel, ...]:
    """Return the models of constraints and of success.

    Args:
        data: The active set of the trials with a value.
        decisive: The active set of the trials that decide hyperparameters of constraints.
        U: Points (n, d) of all trials with a value.
        U_failed: Points (p, d) of failed trials.
        domain: The domain of the points.
        settings: How batches are chosen.
        cache: Remembers hyperparameters of earlier fits.
    """
    U_failed = U[:0] if U_failed is None else _never_succeeded(U_failed, U, domain)
    return (
        *_constraint_models(data, decisive, domain, settings, cache),
        *_success_models(domain.features(U_failed), data.F, domain, settings, cache),
    )


def _constraint_models(
    data: ActiveSet, decisive: ActiveSet, domain: Domain, settings: Settings, cache: FitCache
) -> list[KernelModel]:
    """Return a model of each constraint that was violated, once any trial is feasible.

    Hyperparameters are those of the decisive trials, if one of these violates the constraint.
    """
    models = []
    for j, column in enumerate(data.constraints.T if data.feasible.any() else ()):
        if (column > 0).any():
            source = decisive if (decisive.constraints[:, j] > 0).any() else data
            found = fit_to(*_known(source, j), domain, settings, cache)
            models.append(condition(*_known(data, j), found, domain, settings))
    return models


def _known(data: ActiveSet, j: int) -> tuple[FloatArray, FloatArray]:
    """Return features (a, D) and negated values (a,) where constraint ``j`` is known."""
    column = data.constraints[:, j]
    known = ~np.isnan(column)
    return data.F[known], -column[known]


def _success_models(
    F_failed: FloatArray, F: FloatArray, domain: Domain, settings: Settings, cache: FitCache
) -> list[KernelModel]:
    """Return a model of success, if trials failed: -1 at failures, 1 at all others.

    Accidents, which can happen anywhere, must not drive points away: the fit explains them as
    noise, and the returned model is of the value without noise. If the place does not predict
    failures better than their share does, all of them are accidents and there is no model.
    """
    if not len(F_failed):
        return []
    F, y = np.vstack([F_failed, F]), np.repeat([-1.0, 1.0], [len(F_failed), len(F)])
    # The user may declare values free of noise; failures never are.
    settings = replace(settings, noise_var=None)
    found = fit_to(F, y, domain, settings, cache, prior_mean=_SUCCESS, prior=_FAILURE_PRIOR)
    success = condition(F, y, found, domain, settings, _SUCCESS)
    return [replace(success, noise_var=0.0)] if _predicts(success, y) else []


def _predicts(model: KernelModel, y: FloatArray) -> bool:
    """Return whether a model predicts values of -1 and 1 better than their mean does.

    The log-likelihoods must differ by more than `_EVIDENCE`; fewer than three values are enough
    for a model. Both predict each value from all others, as a normal distribution. With K⁻¹ the
    inverse of the kernel matrix, the model's prediction of y_i has the mean y_i - α_i / K⁻¹_ii and
    the variance 1 / K⁻¹_ii.
    """
    n = len(y)
    if n < 3:
        return True
    precision = (invert_lower(model.L) ** 2).sum(axis=0)
    by_place = 0.5 * (np.log(precision) - model.alpha**2 / precision)
    mean = (y.sum() - y) / (n - 1)
    variance = np.maximum(1.0 - mean**2, 1.0 / n)
    by_share = -0.5 * (np.log(variance) + (y - mean) ** 2 / variance)
    return bool(by_place.sum() > by_share.sum() + _EVIDENCE)


def _never_succeeded(U_failed: FloatArray, U: FloatArray, domain: Domain) -> FloatArray:
    """Return the failed points (p, d) that do not occur among the successful ones U (n, d)."""
    if not len(U_failed):
        return U_failed
    succeeded = set(domain.keys(U))
    return U_failed[[key not in succeeded for key in domain.keys(U_failed)]]
