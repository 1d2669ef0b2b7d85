"""Fits all kernel models of a study: values, constraints and failures.

Points are in the unit cube of a `Domain`; values are to be maximised. The best trial is the
feasible one with the largest value; while no trial is feasible, the one with the smallest total
constraint violation. Decisive trials are those to which hyperparameters are fitted: the first ones
of the study, up to a number that grows in steps, so that most asks need no fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain
from optuna_bkop._model.conditioned import condition, fit_to
from optuna_bkop._model.feasibility_models import feasibility_models
from optuna_bkop._model.fit import FitCache
from optuna_bkop._model.kernel_model import KernelModel
from optuna_bkop._model.neighbourhood import neighbourhood
from optuna_bkop._model.training_set import TrainingSet, is_feasible
from optuna_bkop._model.warping import stretch
from optuna_bkop._settings import Settings

#: Hyperparameters are fitted again when there are a `REFIT_SHARE`-th more trials, rounded down
#: to one of `_REFIT_STEPS`. With one trial at a time, an ask then costs 0.86 of what it costs with
#: a fit for each trial at n = 120, and 0.77 at n = 1,000.
REFIT_SHARE, _REFIT_STEPS = 16, (1, 5, 10, 20, 50, 100, 200, 500, 1000)
#: The same for the models of constraints: each constraint needs a fit of its own, and an ask with
#: five of them would otherwise cost six times as much as one without.
CONSTRAINT_SHARE = 3


@dataclass(frozen=True)
class Fitted:
    """The kernel models of a study, conditioned on its data.

    Attributes:
        models: Models of the transformed value, one for each length scale factor of the settings.
        detailed: Models of the same value whose kernel has a second, short length scale
            (`DetailedKernel`); they choose every second point. Empty if ``models`` choose all
            points.
        feasibility: One model per constraint that some trial violates, positive where the
            constraint is met; and, if trials failed and their points predict it, a model that is
            positive where trials succeed.
        U: Points (n, d) of all trials with a value, best first: feasible trials by value, then the
            infeasible ones. NaN where a trial does not have the parameter.
        n_since_best: Number of trials with a value after the best trial.
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
    detailed: tuple[KernelModel, ...] = ()


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
    detailed: bool | None = False,
    rng: np.random.Generator | None = None,
) -> Fitted:
    """Fit the models of values (n,) at points U (n, d).

    In a study with many trials the result may describe only the trials near the best one. Then its
    domain is a `ChartedDomain`, its points are in the chart (a system of local coordinates around
    the best trials), and ``detailed`` counts as False, because a chart is too small to hold many
    basins.

    Args:
        U: Points in the unit cube; NaN where a trial does not have the parameter.
        values: Values to be maximised; may be infinite.
        constraints: Constraint values (n, k); feasible if at most 0, NaN if unknown.
        U_failed: Points (p, d) of failed trials; None for none. A point that succeeded in another
            trial is ignored: its failure was an accident.
        domain: The domain of the points.
        settings: How batches are chosen.
        cache: Remembers hyperparameters of earlier fits. If None, nothing is remembered.
        feasibility: The models of constraints and of success, if they are known already. If None,
            they are fitted.
        n_fitted: Maximum number of best trials to which hyperparameters are fitted. If None, or if
            larger, 250.
        detailed: Whether the kernel of the values has a second, short length scale
            (`DetailedKernel`). If None, there are models of both kinds.
        rng: Decides whether a study with many trials is modelled near its best trial only. If
            None, all trials are modelled.
    """
    cache = FitCache() if cache is None else cache
    near = None if rng is None else neighbourhood(U, values, constraints, domain, settings, rng)
    if near is not None:
        domain, inward = near.domain, near.domain.chart.inward
        U, values, constraints = inward(U[near.rows]), values[near.rows], constraints[near.rows]
        U_failed = None if U_failed is None else inward(U_failed)
        detailed = False
    data = TrainingSet.of(U, values, constraints, domain, settings.warping)

    def decisive_of(share: int) -> TrainingSet:
        n = n_decisive(len(U), share)
        # If all decisive trials are infeasible, they would be fitted to constraint violations,
        # even when another trial is feasible. Then all trials decide.
        if n == len(U) or is_feasible(constraints[:n]).any() != data.feasible.any():
            return data
        return TrainingSet.of(U[:n], values[:n], constraints[:n], domain, settings.warping)

    decisive = decisive_of(REFIT_SHARE)

    def value_models(detailed: bool) -> tuple[KernelModel, ...]:
        stretched, prior_mean = settings.warping == "log", settings.prior_mean
        found = fit_to(
            decisive.F[:n_fitted],
            decisive.y[:n_fitted],
            domain,
            settings,
            cache,
            prior_mean=prior_mean,
            stretched=stretched,
            detailed=detailed,
        )
        y = stretch(data.y, found.offset).values if stretched else data.y
        return tuple(
            condition(data.F, y, found, domain, settings, prior_mean, factor)
            for factor in settings.length_scale_factors
        )

    models = value_models(bool(detailed))
    if feasibility is None:
        # While nothing is feasible, the constraints alone decide where to search.
        source = decisive_of(CONSTRAINT_SHARE) if data.feasible.any() else decisive
        feasibility = feasibility_models(data, source, U, U_failed, domain, settings, cache)
    return Fitted(
        models,
        feasibility,
        U[data.order],
        n_since_best=len(U) - 1 - int(data.order[0]),
        n_ties=data.n_ties,
        domain=domain,
        settings=settings,
        detailed=value_models(True) if detailed is None else (),
    )


def n_decisive(n: int, share: int) -> int:
    """Return how many of the first n trials are decisive: n, rounded down to a multiple of a step.

    Decisive trials are those to which hyperparameters are fitted.

    Hyperparameters change little with a few per cent more trials, and fitting them is a large part
    of the cost of an ask. The number depends on n alone, not on when the last fit was made, so
    that all workers that know the same trials fit the same hyperparameters.

    Args:
        n: Number of trials.
        share: Rounding takes away fewer than n / ``share`` trials.
    """
    step = max(step for step in _REFIT_STEPS if step <= max(1, n // share))
    return n - n % step
