"""Fits one kernel model per objective of a study with several objectives.

Points are in the unit cube of a `Domain`; values are to be maximised. ``Y`` (n, m) are transformed
values, one column per objective, of order one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain
from optuna_bkop._model.bend import Bend
from optuna_bkop._model.conditioned import condition, fit_to
from optuna_bkop._model.feasibility_models import feasibility_models
from optuna_bkop._model.fit import FitCache
from optuna_bkop._model.fitted import CONSTRAINT_SHARE, REFIT_SHARE, Fitted, fit_models, n_decisive
from optuna_bkop._model.kernel_model import KernelModel
from optuna_bkop._model.pareto import by_layers, nondominated
from optuna_bkop._model.training_set import (
    MAX_ACTIVE,
    ActiveSet,
    active_set,
    is_feasible,
    limited,
    scaled_constraints,
)
from optuna_bkop._settings import Settings

#: Distance of the default reference point to the worst point of the front, as a share of the
#: front's extent. A larger one favours the ends of the front over its middle; 0.5 helped on some
#: problems and hurt on others.
BEYOND = 0.2
#: Weight of the mean of all objectives in a scalarised value. The minimum alone does not see an
#: improvement of the other objectives.
_MEAN_WEIGHT = 0.05
#: Maximum number of best trials to which the hyperparameters of a direction are fitted. They serve
#: a single point, and a fit to 250 trials would cost more than the search for that point.
_MAX_DIRECTED = 120


@dataclass(frozen=True)
class ObjectiveSet(ActiveSet):
    """The trials with several objectives that models are trained on, best trials first.

    Attributes:
        Y: Transformed values (n, m) of all trials, to be maximised.
        active: Indices (a,) of the trials that models are trained on.
        n_front: Number of trials on the front, that is, feasible and not dominated. They are the
            first of ``order``.
        bends: The transformation of each objective.
    """

    Y: FloatArray
    active: NDArray[np.int64]
    n_front: int
    bends: tuple[Bend, ...]

    @classmethod
    def of(
        cls, U: FloatArray, values: FloatArray, constraints: FloatArray, domain: Domain
    ) -> ObjectiveSet:
        """Choose at most `MAX_ACTIVE` of n trials to train models on, and transform the values.

        At least one trial must be feasible. If there are more trials, half of the chosen ones are
        the best, a quarter are the nearest to the front, and a quarter are spread evenly by rank
        over the others.

        Args:
            U: Points (n, d); NaN where a trial does not have the parameter.
            values: Values (n, m), to be maximised; may be infinite.
            constraints: Constraint values (n, k); feasible if at most 0, NaN if unknown.
            domain: The domain of the points.
        """
        feasible = is_feasible(constraints)
        values = np.column_stack([limited(column, feasible) for column in values.T])
        rows = np.flatnonzero(feasible)
        order, n_front = by_layers(values[rows], max(MAX_ACTIVE, len(U) // 10))
        # Infeasible trials follow, the latest first.
        order = np.concatenate([rows[order], np.flatnonzero(~feasible)[::-1]])
        front = order[:n_front]
        bends = tuple(Bend.of(column, front) for column in values.T)
        F = domain.features(U)
        active = active_set(F, order, n_front)
        return cls(
            F[active],
            scaled_constraints(constraints)[active],
            feasible,
            order,
            Y=np.column_stack([bend(v) for bend, v in zip(bends, values.T, strict=True)]),
            active=active,
            n_front=n_front,
            bends=bends,
        )


@dataclass(frozen=True)
class FittedObjectives:
    """The kernel models of a study with several objectives, conditioned on its data.

    Attributes:
        models: One model per objective.
        feasibility: One model per constraint, positive where the constraint is met; and, if some
            trials failed, a model that is positive where trials succeed.
        data: The trials that the models are trained on, with their transformed values.
        U: Points (n, d) of all trials, in the order of their numbers.
        constraints: Their constraint values (n, k); feasible if at most 0, NaN if unknown.
        reference: Reference point (m,) of the hypervolume, transformed like the values.
        scale: Extent (m,) of the front in each transformed objective; positive.
        domain: The domain of the points.
        settings: How batches are chosen.
    """

    models: tuple[KernelModel, ...]
    feasibility: tuple[KernelModel, ...]
    data: ObjectiveSet
    U: FloatArray
    constraints: FloatArray
    reference: FloatArray
    scale: FloatArray
    domain: Domain
    settings: Settings

    @cached_property
    def front(self) -> FloatArray:
        """The non-dominated vectors (f, m) among the posterior means at feasible trials.

        The values are transformed. Without noise these are the observed values. With noise, the
        observed values on the front would be the luckiest ones, and nothing would seem to improve
        them.
        """
        F = self.data.F[self.data.feasible[self.data.active]]
        means = np.column_stack([model.mean(F) for model in self.models])
        return means[nondominated(means)]

    @property
    def n_since_entrant(self) -> int:
        """Number of trials after the latest one that is on the front."""
        return len(self.U) - 1 - int(self.data.order[: self.data.n_front].max())

    def along(self, direction: FloatArray) -> Fitted:
        """Fit the models of a single value: how far trials reach along a direction (m,).

        With z the transformed values, r the reference point, s the scale and λ >= 0 the direction,
        a trial reaches min_k (z_k - r_k) / (s_k λ_k), the largest multiple of the direction that
        it dominates. An objective with λ_k = 0 does not limit it. The mean of (z_k - r_k) / s_k
        over all k is added with the small weight `_MEAN_WEIGHT`.
        """
        extents = (self.data.Y - self.reference) / self.scale
        limits = direction > 0
        reach = (extents[:, limits] / direction[limits]).min(axis=1)
        return fit_models(
            self.U,
            reach + _MEAN_WEIGHT * extents.mean(axis=1),
            self.constraints,
            domain=self.domain,
            settings=self.settings,
            feasibility=self.feasibility,
            n_fitted=_MAX_DIRECTED,
        )


def fit_objectives(
    U: FloatArray,
    values: FloatArray,
    constraints: FloatArray,
    U_failed: FloatArray | None = None,
    *,
    domain: Domain,
    settings: Settings,
    reference_point: FloatArray | None = None,
    cache: FitCache | None = None,
) -> FittedObjectives:
    """Fit one kernel model to each of m objectives, and models of constraints and failures.

    At least one of the n trials must be feasible.

    The models of the objectives ignore two settings that models of a single objective use. Their
    prior mean is 0 instead of ``settings.prior_mean``, and each objective has one model, with the
    fitted length scales, instead of one per factor in ``settings.length_scale_factors``. These
    settings make the search for a single optimum more cautious; a front can be improved at many
    places, and caution costs more than it gains (benchmarks/objectives/README.md).

    The kernel has main effects (see `main_effects`) and, if ``settings.detail``, a detail (see
    `DetailedKernel`). Their shares are fitted. Main effects have the spectrum of the Matérn
    kernel, whichever kernel the settings name. Objectives are transformed by a smooth bend, which
    leaves a sum of effects nearly a sum; the ranks of a single objective do not.

    Args:
        U: Points (n, d); NaN where a trial does not have the parameter.
        values: Values (n, m), to be maximised; may be infinite.
        constraints: Constraint values (n, k); feasible if at most 0, NaN if unknown.
        U_failed: Points (p, d) of failed trials; None for none. A point that succeeded in another
            trial is ignored.
        domain: The domain of the points.
        settings: How batches are chosen.
        reference_point: Reference point (m,) of the hypervolume, in the units and direction of
            ``values``. If None, it is worse than the worst value on the front by `BEYOND` times
            the extent of the front, in each transformed objective.
        cache: Remembers hyperparameters of earlier fits. If None, nothing is remembered.

    Returns:
        The models, the trials they are based on, and the transformed reference point.
    """
    cache = FitCache() if cache is None else cache
    data = ObjectiveSet.of(U, values, constraints, domain)

    def decisive_of(share: int) -> ObjectiveSet:
        n = n_decisive(len(U), share)
        if n == len(U) or not is_feasible(constraints[:n]).any():
            return data
        return ObjectiveSet.of(U[:n], values[:n], constraints[:n], domain)

    decisive = decisive_of(REFIT_SHARE)
    models = []
    for k in range(values.shape[1]):
        found = fit_to(
            decisive.F,
            decisive.Y[decisive.active, k],
            domain,
            settings,
            cache,
            detailed=settings.detail,
            main_effects=True,
        )
        models.append(condition(data.F, data.Y[data.active, k], found, domain, settings))
    front = data.Y[data.order[: data.n_front]]
    worst = front.min(axis=0)
    extent = front.max(axis=0) - worst
    # Transformed values have a standard deviation of 1, which replaces a missing extent.
    scale = np.where(extent > 0, extent, 1.0)
    reference = worst - BEYOND * scale
    if reference_point is not None:
        given = zip(data.bends, reference_point[:, None], strict=True)
        reference = np.concatenate([bend(value) for bend, value in given])
    return FittedObjectives(
        tuple(models),
        feasibility_models(
            data, decisive_of(CONSTRAINT_SHARE), U, U_failed, domain, settings, cache
        ),
        data,
        U,
        constraints,
        reference,
        scale,
        domain,
        settings,
    )
