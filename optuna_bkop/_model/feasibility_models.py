"""Kernel models of constraints, and of where trials succeed instead of failing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain
from optuna_bkop._model.conditioned import condition, fit_to
from optuna_bkop._model.fit import FitCache
from optuna_bkop._model.kernel_model import KernelModel
from optuna_bkop._model.linalg import invert_lower
from optuna_bkop._model.prior import Prior
from optuna_bkop._model.training_set import ActiveSet
from optuna_bkop._settings import Settings

#: Prior of the model of failures. Its noise is larger than that of values, because some failures
#: are accidents that can happen anywhere.
_FAILURE_PRIOR = Prior(noise_ratio=0.3, noise_width=1.0)
#: Log-likelihood by which the place must predict failures better than their share does. Without a
#: margin, chance makes every few models of pure accidents look right, and one wrong model drives
#: the search away from good places. Failures that do depend on the place pass it after a few.
_EVIDENCE = 3.0
#: Mean of the model of failures where nothing was tried: a trial is expected to succeed.
_SUCCESS = 1.0


def feasibility_models(
    data: ActiveSet,
    decisive: ActiveSet,
    U: FloatArray,
    U_failed: FloatArray | None,
    domain: Domain,
    settings: Settings,
    cache: FitCache,
) -> tuple[KernelModel, ...]:
    """Return the models of constraints, and of where trials succeed instead of failing.

    A model is positive where its constraint is met, or where trials are expected to succeed.

    Args:
        data: The trials with a value that models are conditioned on.
        decisive: The earlier trials to which the hyperparameters of constraints are fitted.
        U: Points (n, d) of all trials with a value.
        U_failed: Points (p, d) of failed trials; None for none.
        domain: The domain of the points.
        settings: How batches are chosen.
        cache: Remembers hyperparameters of earlier fits.

    Returns:
        One model per constraint that some trial violates; and one model of success, if trials
        failed and their points predict it.
    """
    U_failed = U[:0] if U_failed is None else _never_succeeded(U_failed, U, domain)
    return (
        *_constraint_models(data, decisive, domain, settings, cache),
        *_success_models(domain.features(U_failed), data.F, domain, settings, cache),
    )


def _constraint_models(
    data: ActiveSet, decisive: ActiveSet, domain: Domain, settings: Settings, cache: FitCache
) -> list[KernelModel]:
    """Return a model of each constraint that some trial in ``data`` violates.

    There is a model of each one also while no trial is feasible. A single constraint is smooth
    where the total violation has kinks, and only its own model tells on which side of a thin
    region a point lies.

    A model predicts the negated constraint: it is positive where the constraint is met. Its
    hyperparameters are fitted to ``decisive`` if a trial there violates the constraint, and to
    ``data`` otherwise. Then the model is conditioned on all trials in ``data``.

    Args:
        data: The trials with a value that models are conditioned on.
        decisive: The earlier trials to which hyperparameters are fitted (see `n_decisive`). They
            change rarely, so that most fits can be taken from ``cache``.
        domain: The domain of the points.
        settings: How batches are chosen.
        cache: Remembers hyperparameters of earlier fits.

    Returns:
        One model per violated constraint.
    """
    models = []
    for j, column in enumerate(data.constraints.T):
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
    """Return a model of where trials succeed: the value is -1 at failed points and 1 at others.

    Some failures are accidents that can happen at any point, and the search should not avoid such
    points. So the fit always includes noise, even if ``settings`` declare the values free of
    noise, and the returned model describes the value without noise. Where nothing was tried, it
    expects success.

    If the model does not predict failures clearly better than the mean of the values does (see
    `_predicts`), all failures are considered accidents, and no model is returned.

    Args:
        F_failed: Features (p, D) of failed trials.
        F: Features (a, D) of trials with a value.
        domain: The domain of the points.
        settings: How batches are chosen.
        cache: Remembers hyperparameters of earlier fits.

    Returns:
        A list with the model, which is positive where trials are expected to succeed; empty if
        no trial failed, or if all failures are considered accidents.
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
    """Return whether a model predicts values of -1 and 1 clearly better than their mean does.

    The log-likelihood of the model must be larger by more than `_EVIDENCE`. With fewer than three
    values the result is True. Model and mean predict each value from all others, as a normal
    distribution. With K⁻¹ the inverse of the kernel matrix and α the weights of the model's mean,
    the model's prediction of y_i has the mean y_i - α_i / K⁻¹_ii and the variance 1 / K⁻¹_ii.

    Args:
        model: The model, conditioned on the values.
        y: The values (n,).
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
    """Return those of the failed points (p, d) that do not occur among successful ones U (n, d).

    Points are equal if their active parameters agree to nine decimals (see `Domain.keys`).
    """
    if not len(U_failed):
        return U_failed
    succeeded = set(domain.keys(U))
    return U_failed[[key not in succeeded for key in domain.keys(U_failed)]]
