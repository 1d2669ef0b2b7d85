"""Chooses batches that improve the front of several objectives.

Points are in the unit cube of a `Domain`; values are transformed and to be maximised.

A batch grows point by point. Each point maximises the expected hypervolume improvement, given the
points before it: they are held in every model, and the vectors that they reach if their values are
better than expected, by ``rkhs_norm`` (1 by default) deviations, count as part of the front.

A directed point maximises one objective instead, by the strategy of the settings: how far it
reaches along a direction. A random direction leads to any part of the front, also where it is not
convex. The direction of one objective leads to an end of the front, which the improvement does not
see if the end lies beyond the reference point. The number of a trial decides how its point is
chosen, so that all workers agree. In a conditional space, the turns of other branches fall on
directed points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.boxes import Boxes, thinned
from optuna_bkop._batch.candidates import distinct
from optuna_bkop._batch.improvement import FrontImprovement
from optuna_bkop._batch.problem import N_GOOD, BatchProblem, SearchProblem, trust_box
from optuna_bkop._batch.search import maximize
from optuna_bkop._batch.strategies import STRATEGIES
from optuna_bkop._model.objectives import FittedObjectives

#: One of this many points is directed, and one of two while fewer than half of the last `_RECENT`
#: trials are on the front: then the models of single objectives say little about the front. On
#: smooth problems more directed points cost a little, on others they gain much
#: (benchmarks/objectives/README.md).
_DIRECTED, _RECENT = 4, 24
#: Maximum number of objectives for which the hypervolume improvement is computed: the number of
#: boxes grows like n^(m/2). Beyond it all points are chosen along random directions.
_MAX_OBJECTIVES = 4
#: Maximum number of front members that the boxes are built from, by number of objectives. It
#: bounds the number of boxes to a few thousand.
_MAX_FRONT = {2: 400, 3: 150, 4: 50}


@dataclass(frozen=True)
class FrontProblem(SearchProblem):
    """Everything that is needed to choose one point that improves the front.

    There is one model per objective.

    Attributes:
        boxes: The part of objective space that is dominated neither by the front nor by optimistic
            vectors of held points: points of running trials, and earlier ones of the batch. An
            optimistic vector is the posterior mean plus ``rkhs_norm`` times the deviation.
    """

    boxes: Boxes

    @classmethod
    def of(cls, fitted: FittedObjectives, U_held: FloatArray, n_before: int) -> FrontProblem:
        """Return the problem while points U_held (p, d) are held.

        Args:
            fitted: The models of the objectives, and the trials that they are based on.
            U_held: Points (p, d) of trials whose values are unknown.
            n_before: Number of trials before this batch.
        """
        domain, settings, data = fitted.domain, fitted.settings, fitted.data
        U = fitted.U[data.order]
        lower, upper = _front_box(fitted)
        n_objectives = len(fitted.reference)
        front = thinned(fitted.front, fitted.scale, _MAX_FRONT[n_objectives])
        problem = cls(
            models=fitted.models,
            feasibility=fitted.feasibility,
            good=np.where(np.isnan(U), 0.5, U)[: max(data.n_front, N_GOOD)],
            taken=frozenset(domain.keys(U)),
            n_before=n_before,
            lower=lower,
            upper=upper,
            domain=domain,
            settings=settings,
            boxes=Boxes.above(fitted.reference, front),
        )
        for u in U_held:
            problem = problem.hold(u[None])
        return problem

    def hold(self, u: FloatArray) -> FrontProblem:
        """Return the problem while one more point u (1, d) is held."""
        F = self.domain.features(u)
        moments = [model.mean_and_std(F) for model in self.models]
        optimistic = np.array([m[0] + self.settings.rkhs_norm * s[0] for m, s in moments])
        return replace(
            self,
            models=tuple(model.hold(F) for model in self.models),
            taken=self.taken.union(self.domain.keys(u)),
            boxes=self.boxes.below(optimistic),
        )

    def acquisition(self) -> FrontImprovement:
        """Return the logarithm of the expected hypervolume improvement."""
        return FrontImprovement(self.models, self.boxes, self.feasibility)


def choose_on_front(
    fitted: FittedObjectives,
    U_held: FloatArray,
    q: int,
    *,
    rng: np.random.Generator,
    n_before: int | None = None,
) -> FloatArray:
    """Return the next q points (q, d) while points U_held (p, d) are held.

    The points differ from each other and from all observed and held points, as long as the domain
    has other points.

    Args:
        fitted: The models of the objectives, and the trials that they are based on.
        U_held: Points (p, d) of trials whose values are unknown.
        q: Number of points.
        rng: Source of randomness.
        n_before: Number of trials before this batch. If None, the number of observed and held
            points.
    """
    domain = fitted.domain
    n_before = len(fitted.U) + len(U_held) if n_before is None else n_before
    taken = {*domain.keys(fitted.U), *domain.keys(U_held)}
    has_boxes = len(fitted.reference) <= _MAX_OBJECTIVES and fitted.settings.strategy == "bkop"
    problem = FrontProblem.of(fitted, U_held, n_before) if has_boxes else None
    batch = U_held
    for number in range(n_before, n_before + q):
        if problem is None:
            u = _along_direction(fitted, batch, number, rng=rng)
        else:
            u = _next_point(fitted, problem, batch, number, rng=rng)
            problem = problem.hold(u)
        batch = np.vstack([batch, u])
    return distinct(batch[len(U_held) :], taken, domain, rng)


def _next_point(
    fitted: FittedObjectives,
    problem: FrontProblem,
    U_held: FloatArray,
    number: int,
    *,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the point (1, d) of trial ``number``, which decides how the point is chosen."""
    n_front = fitted.data.n_front
    # All members of the front are equally good; the searches begin at other ones each time.
    mixed = problem.good.copy()
    mixed[:n_front] = rng.permutation(mixed[:n_front])
    problem = replace(problem, good=mixed)
    if _is_directed(fitted, number):
        return _along_direction(fitted, U_held, number, rng=rng)
    return fitted.domain.snap(maximize(problem, problem.acquisition(), 1, rng=rng))


def _is_directed(fitted: FittedObjectives, number: int) -> bool:
    """Return whether the point of trial ``number`` is directed.

    A directed point maximises one objective, the reach along a direction in objective space,
    instead of the hypervolume improvement.
    """
    front = fitted.data.order[: fitted.data.n_front]
    n_entered = int((front >= len(fitted.U) - _RECENT).sum())
    period = _DIRECTED if 2 * n_entered >= _RECENT else 2
    return number % period == period - 1


def _along_direction(
    fitted: FittedObjectives, U_held: FloatArray, number: int, *, rng: np.random.Generator
) -> FloatArray:
    """Return the point (1, d) that promises to reach farthest along a direction.

    A direction is a vector in objective space. The reach is a value to be maximised (see
    `FittedObjectives.along`), and the strategy of the settings chooses the point. Every second of
    the directed points follows the direction of one objective, each objective in turn. The others
    follow directions that are uniformly distributed on the positive part of the sphere.

    Args:
        fitted: The models of the objectives, and the trials that they are based on.
        U_held: Points (p, d) of trials whose values are unknown.
        number: Number of the trial, which decides the kind of direction.
        rng: Source of randomness.
    """
    n_objectives = len(fitted.reference)
    if number % 2 and number // 2 % 2 == number // 4 % 2:
        direction = np.eye(n_objectives)[number // 8 % n_objectives]
    else:
        direction = np.abs(rng.standard_normal(n_objectives))
        direction /= np.linalg.norm(direction)
    one = BatchProblem.of(fitted.along(direction), U_held, number)
    lower, upper = _front_box(fitted)
    one = replace(one, lower=lower, upper=upper)
    return fitted.domain.snap(STRATEGIES[fitted.settings.strategy](one, 1, rng=rng))


def _front_box(fitted: FittedObjectives) -> tuple[FloatArray, FloatArray]:
    """Return the trust box (d,), (d,) around the front, which contains all of its points."""
    data = fitted.data
    return trust_box(
        fitted.U[data.order],
        data.n_front,
        fitted.n_since_entrant,
        fitted.domain,
        fitted.settings,
    )
