"""Where a batch is chosen: what strategies are told, and the best batch of an acquisition there.

Everything is in the numbers of [0, 1] of a `Domain`; values are warped and to be maximised.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._acquisition import BatchAcquisition, Exploration
from optuna_bkop._candidates import greedy, improve_discrete, random_points
from optuna_bkop._domain import Domain
from optuna_bkop._kernels import FloatArray
from optuna_bkop._maximize import by_cma, by_gradient
from optuna_bkop._models import Fitted, Settings
from optuna_bkop._surrogate import KernelModel

#: Candidates are drawn around so many of the best points, and then around so many more.
N_BEST, N_GOOD = 5, 100
#: The share of the starts that is followed at all, and by how many steps, before the best goes on.
_PROMISING, _FIRST_STEPS = 0.7, 5
#: The largest number of steps, and their gain, as a share of the value, that is too small for
#: another one; first for a batch whose discrete parameters are still to be rounded.
_MORE_STEPS, _ROUGHLY = 50, 1e-5
_LAST_STEPS, _EXACTLY = 150, 1e-8
#: Candidates that a single point is looked for from.
_N_CLIMBED = 2
#: Points without a better one after which the box around the best is twice as wide.
_PATIENCE = 20
#: Points as good as the best after which deviations weigh twice as much; how often at most.
_TIES, _MAX_DOUBLINGS = 10, 3


@dataclass(frozen=True)
class Situation:
    """All that a strategy needs to choose points.

    Attributes:
        models: Of the value, the held points in their covariance.
        feasibility: Of the constraints, and of success.
        good: The best points (p, d), the best first, NaN replaced by the middle.
        taken: Keys of the points that are observed or held.
        n_before: How many points there were before this batch.
        weight: Of the deviations.
        lower: Lower ends of the box (d,).
        upper: Upper ends.
        domain: The domain.
        settings: How to choose.
        rng: Source of randomness.
    """

    models: tuple[KernelModel, ...]
    feasibility: tuple[KernelModel, ...]
    good: FloatArray
    taken: frozenset[bytes]
    n_before: int
    weight: float
    lower: FloatArray
    upper: FloatArray
    domain: Domain
    settings: Settings
    rng: np.random.Generator


def situation_of(
    fitted: Fitted,
    U_held: FloatArray,
    *,
    rng: np.random.Generator,
    n_before: int | None = None,
) -> Situation:
    """What a strategy is told when points U_held (p, d) are running."""
    domain, settings = fitted.domain, fitted.settings
    F_held = domain.features(U_held)
    lower, upper = _trust_box(fitted)
    return Situation(
        models=tuple(model.condition_on(F_held) for model in fitted.models),
        feasibility=fitted.feasibility,
        good=np.where(np.isnan(fitted.U), 0.5, fitted.U)[:N_GOOD],
        taken=frozenset([*domain.keys(fitted.U), *domain.keys(U_held)]),
        n_before=len(fitted.U) + len(U_held) if n_before is None else n_before,
        weight=_weight(fitted),
        lower=lower,
        upper=upper,
        domain=domain,
        settings=settings,
        rng=rng,
    )


def with_held(situation: Situation, U: FloatArray) -> Situation:
    """The same when points U (p, d) are held, too."""
    F = situation.domain.features(U)
    return replace(
        situation,
        models=tuple(m.condition_on(F) for m in situation.models),
        taken=situation.taken.union(situation.domain.keys(U)),
    )


def acquisition_of(situation: Situation) -> BatchAcquisition:
    """The acquisition that the settings ask for."""
    form = situation.settings.acquisition_form
    return BatchAcquisition(situation.models, situation.weight, form, situation.feasibility)


def candidates(situation: Situation, n_centres: int) -> FloatArray:
    """Random points (m, d) all over the box and around so many of the best ones."""
    s = situation
    return random_points(s.domain, s.lower, s.upper, s.good[:n_centres], s.rng)


def maximize(
    situation: Situation, acquisition: BatchAcquisition | Exploration, q: int
) -> FloatArray:
    """A batch (q, d) that maximises the acquisition within the box, on the domain's grid.

    By gradients: a few steps from most starts together, and to the end from the best.
    """
    domain, settings = situation.domain, situation.settings
    has_discrete = domain.is_discrete.any()
    if settings.maximizer == "cma":
        batch = _evolve(situation, acquisition, _starts(situation, acquisition, q, 1)[0])
        return improve_discrete(acquisition, domain.snap(batch), domain) if has_discrete else batch
    climb = partial(_climb, situation, acquisition)
    n_starts = min(settings.n_starts, max(6, q * domain.dim // 2))
    starts = _starts(situation, acquisition, q, n_starts // 2)
    promising = _best(acquisition, starts, domain, math.ceil(_PROMISING * len(starts)))
    batch = _best(acquisition, climb(promising, _FIRST_STEPS), domain, 1)[0]
    if has_discrete:
        batch = climb(batch, _MORE_STEPS)
        batch = improve_discrete(acquisition, domain.snap(batch), domain)
    return climb(batch, _LAST_STEPS, _EXACTLY, fixed=domain.is_discrete)


def best_near(
    situation: Situation, acquisition: BatchAcquisition | Exploration, C: FloatArray
) -> FloatArray:
    """The best point (1, d) by gradients from the best of candidates C (m, d); of none, (0, d).

    Discrete parameters stay.
    """
    if not len(C):
        return C
    domain = situation.domain
    tried = [
        _climb(situation, acquisition, U, _MORE_STEPS, fixed=domain.is_discrete)
        for U in _best(acquisition, C[:, None, :], domain, _N_CLIMBED)
    ]
    best: FloatArray = _best(acquisition, np.stack(tried), domain, 1)[0]
    return best


def _starts(
    situation: Situation, acquisition: BatchAcquisition | Exploration, q: int, n_batches: int
) -> FloatArray:
    """Twice ``n_batches`` greedy batches (2 n_batches, q, d).

    Around the best points alone a batch may miss the neighbourhood of others, and conversely.
    """
    domain, rng = situation.domain, situation.rng
    return np.stack(
        [
            batch
            for n_centres in (N_BEST, N_GOOD)
            for batch in greedy(
                acquisition,
                candidates(situation, n_centres),
                domain,
                q,
                n_batches=n_batches,
                rng=rng,
            )
        ]
    )


def _best(
    acquisition: BatchAcquisition | Exploration, batches: FloatArray, domain: Domain, n: int
) -> FloatArray:
    """The n best of batches (p, q, d), the best first."""
    values = acquisition.values(_features(batches, domain))
    best: FloatArray = batches[np.argsort(-values, kind="stable")[:n]]
    return best


def _features(batches: FloatArray, domain: Domain) -> FloatArray:
    """The features (p, q, D) of batches (p, q, d)."""
    p, q, d = batches.shape
    return domain.features(batches.reshape(p * q, d)).reshape(p, q, -1)


def _climb(
    situation: Situation,
    acquisition: BatchAcquisition | Exploration,
    start: FloatArray,
    max_steps: int,
    tolerance: float = _ROUGHLY,
    fixed: NDArray[np.bool_] | bool = False,
) -> FloatArray:
    """What is reached by gradients from a batch (q, d), or from many (p, q, d) at once.

    Many climb together, on the sum of their acquisitions: numpy then spends its overhead once.
    Numbers of ``fixed`` parameters (d,) stay.
    """
    domain = situation.domain
    d, q = domain.dim, start.shape[-2]

    def objective(U: FloatArray) -> tuple[float, FloatArray]:
        values, d_features = acquisition.values_and_gradients(
            _features(U.reshape(-1, q, d), domain)
        )
        U = U.reshape(-1, d)
        return float(values.sum()), domain.gradient(U, d_features.reshape(len(U), -1))

    lower = np.where(fixed, start, situation.lower)
    upper = np.where(fixed, start, situation.upper)
    return by_gradient(objective, start, lower, upper, max_steps=max_steps, tolerance=tolerance)[0]


def _evolve(
    situation: Situation, acquisition: BatchAcquisition | Exploration, start: FloatArray
) -> FloatArray:
    """The batch (q, d) that CMA-ES finds.

    Without gradients to follow, discrete parameters are rounded all the way.
    """
    domain = situation.domain

    def values_of(U: FloatArray) -> FloatArray:
        snapped = domain.snap(U.reshape(-1, domain.dim)).reshape(U.shape)
        return acquisition.values(_features(snapped, domain))

    return by_cma(
        values_of,
        start,
        situation.lower,
        situation.upper,
        rng=situation.rng,
        max_evaluations=situation.settings.cma_evaluations,
    )[0]


def _weight(fitted: Fitted) -> float:
    """The weight of the deviations: the RKHS norm, and more on a plateau.

    Where many points are exactly as good as the best, as with an accuracy on few samples, the
    model is right that the next one there will be as good, and nothing is gained by it.
    """
    doublings = min(fitted.n_ties / _TIES, _MAX_DOUBLINGS)
    return fitted.settings.rkhs_norm * math.exp2(doublings)


def _trust_box(fitted: Fitted) -> tuple[FloatArray, FloatArray]:
    """The box around the best tenth of the points, widened by the margin.

    The margin doubles with every `_PATIENCE` points that found nothing better, so that a search
    that is stuck looks farther afield, in the end everywhere.
    """
    domain, margin = fitted.domain, fitted.settings.trust_margin
    lower, upper = np.zeros(domain.dim), np.ones(domain.dim)
    if margin is None:
        return lower, upper
    margin *= 2.0 ** min(fitted.n_since_best / _PATIENCE, 30.0)
    best = fitted.U[: max(domain.dim + 1, len(fitted.U) // 10)]
    for j in domain.numerical:
        seen = best[~np.isnan(best[:, j]), j]
        if len(seen):
            lower[j] = max(0.0, seen.min() - margin)
            upper[j] = min(1.0, seen.max() + margin)
    return lower, upper
