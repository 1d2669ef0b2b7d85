"""The problem that a strategy solves: models, box and held points for the next batch.

Points are in the unit cube of a `Domain`; values are transformed and to be maximised. A held point
is one whose value is unknown: a running trial evaluates it, it is planned, or its trial ended
without a value. Points that are already chosen for the batch are held as well. A deviation is a
posterior standard deviation.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.acquisition import Acquisition, BatchAcquisition
from optuna_bkop._domain import Domain
from optuna_bkop._model.fitted import Fitted
from optuna_bkop._model.kernel_model import KernelModel
from optuna_bkop._settings import Settings

#: Number of best points around which candidates are drawn, for exploiting and for exploring.
N_BEST, N_GOOD = 5, 100
#: Number of trials without an improvement after which the margin of the trust box doubles.
#: Twenty are two to four rounds of the batches that the defaults were chosen on.
_PATIENCE = 20
#: Number of ties with the best value after which the RKHS norm doubles, and the maximum number of
#: doublings. Without ties, as with continuous values, neither has an effect.
_TIES, _MAX_DOUBLINGS = 10, 3


@dataclass(frozen=True)
class SearchProblem(ABC):
    """All that is needed to maximise an acquisition, for one objective or several.

    A held point is one whose value is unknown: a running trial evaluates it, it is planned, or its
    trial ended without a value. Points that are already chosen for the batch are held as well.

    Attributes:
        models: Kernel models: one per objective, or, for a single objective, several with
            different length scales. Held points are part of their covariance, not of their mean.
        feasibility: Models of constraints, and of whether trials succeed instead of failing;
            positive where a constraint is met or a trial succeeds.
        good: The best observed points (p, d), feasible ones with the largest values first: at most
            `N_GOOD`, or the whole front of several objectives if that is larger. NaN is replaced
            by 0.5.
        taken: Keys of the points that are observed or held: bytes that are equal for equal points
            (see `Domain.keys`).
        n_before: Number of trials before this batch.
        lower: Lower ends (d,) of the trust box, in which points are searched.
        upper: Upper ends (d,) of the trust box.
        domain: The domain of the points.
        settings: How batches are chosen.
    """

    models: tuple[KernelModel, ...]
    feasibility: tuple[KernelModel, ...]
    good: FloatArray
    taken: frozenset[bytes]
    n_before: int
    lower: FloatArray
    upper: FloatArray
    domain: Domain
    settings: Settings

    @abstractmethod
    def acquisition(self) -> Acquisition:
        """Return the function of batches whose maximum is the next batch."""


@dataclass(frozen=True)
class BatchProblem(SearchProblem):
    """Everything that a strategy needs to choose points for one objective, except randomness.

    All models describe the same value. They differ in their length scales.

    Attributes:
        rkhs_norm: Weight B of the posterior standard deviations (see `effective_norm`).
        detailed: Models whose kernel has a second, short length scale; they choose every second
            point. Empty if ``models`` choose all points.
    """

    rkhs_norm: float
    detailed: tuple[KernelModel, ...] = ()

    @classmethod
    def of(cls, fitted: Fitted, U_held: FloatArray, n_before: int | None = None) -> BatchProblem:
        """Return the problem of the next batch, while points U_held (p, d) are held.

        Args:
            fitted: The models, and the trials that they are based on.
            U_held: Points (p, d) of trials whose values are unknown.
            n_before: Number of trials before this batch. If None, the number of observed and held
                points.
        """
        domain = fitted.domain
        F_held = domain.features(U_held)
        lower, upper = trust_box(fitted.U, 1, fitted.n_since_best, domain, fitted.settings)
        return cls(
            models=tuple(model.hold(F_held) for model in fitted.models),
            feasibility=fitted.feasibility,
            good=np.where(np.isnan(fitted.U), 0.5, fitted.U)[:N_GOOD],
            taken=frozenset([*domain.keys(fitted.U), *domain.keys(U_held)]),
            n_before=len(fitted.U) + len(U_held) if n_before is None else n_before,
            rkhs_norm=effective_norm(fitted),
            detailed=tuple(model.hold(F_held) for model in fitted.detailed),
            lower=lower,
            upper=upper,
            domain=domain,
            settings=fitted.settings,
        )

    def hold(self, U: FloatArray) -> BatchProblem:
        """Return the problem while points U (p, d) are held as well."""
        F = self.domain.features(U)
        return replace(
            self,
            models=tuple(model.hold(F) for model in self.models),
            detailed=tuple(model.hold(F) for model in self.detailed),
            taken=self.taken.union(self.domain.keys(U)),
        )

    def in_detail(self) -> BatchProblem:
        """Return the problem with ``detailed`` in place of ``models``, if there are any."""
        return replace(self, models=self.detailed or self.models, detailed=())

    def acquisition(self) -> BatchAcquisition:
        """Return the joint acquisition of ``models``, without ``detailed``.

        ``settings.acquisition_form`` decides whether deviations are combined by "mean" or "rms".
        """
        form = self.settings.acquisition_form
        return BatchAcquisition(self.models, self.rkhs_norm, form, self.feasibility)


def effective_norm(fitted: Fitted) -> float:
    """Return the RKHS norm of the settings times 2^(t / `_TIES`), with t ties with the best value.

    It doubles at most `_MAX_DOUBLINGS` times. On a plateau, as with an accuracy measured on few
    samples, the model rightly predicts that the next point there is as good as the best, and
    nothing is gained by it. A larger norm makes the search explore.
    """
    doublings = min(fitted.n_ties / _TIES, _MAX_DOUBLINGS)
    return fitted.settings.rkhs_norm * math.pow(2.0, doublings)


def trust_box(
    U: FloatArray, n_best: int, n_since_best: int, domain: Domain, settings: Settings
) -> tuple[FloatArray, FloatArray]:
    """Return the trust box: lower and upper ends (d,) of the box around the best tenth of points.

    It surrounds at least the d + 1 best points. The box is widened by a margin on each side. The
    margin doubles for every `_PATIENCE` trials without an improvement. A search that is stuck
    therefore looks farther afield, and in the end everywhere. Categorical parameters, and those
    that none of the best points has, keep their full range.

    Args:
        U: All observed points (n, d), best first; NaN where a trial does not have the parameter.
        n_best: Number of best points that are inside in any case.
        n_since_best: Number of trials since the last one that improved the best value, or the
            front of several objectives.
        domain: The domain of the points.
        settings: Contains the margin, as a share of the range. If it is None, the box is the unit
            cube.
    """
    lower, upper = np.zeros(domain.dim), np.ones(domain.dim)
    if settings.trust_margin is None:
        return lower, upper
    margin = settings.trust_margin * 2.0 ** min(n_since_best / _PATIENCE, 30.0)
    best = U[: max(n_best, domain.dim + 1, len(U) // 10)]
    for j in domain.numerical:
        seen = best[~np.isnan(best[:, j]), j]
        if len(seen):
            lower[j] = max(0.0, seen.min() - margin)
            upper[j] = min(1.0, seen.max() + margin)
    return lower, upper
