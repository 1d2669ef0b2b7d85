"""Batches that improve the front: what each mechanism changes."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch import front as front_module
from optuna_bkop._batch.front import FrontProblem, choose_on_front
from optuna_bkop._batch.improvement import FrontImprovement
from optuna_bkop._domain import Condition, Domain, Parameter
from optuna_bkop._model.objectives import FittedObjectives, fit_objectives
from optuna_bkop._settings import Settings

PLANE = Domain((Parameter(), Parameter()))


def two(U: FloatArray) -> FloatArray:
    """Two objectives; their Pareto set is the segment from (0.2, 0.3) to (0.8, 0.3)."""
    near = [-((U[:, 0] - x) ** 2) - (U[:, 1] - 0.3) ** 2 for x in (0.2, 0.8)]
    return np.column_stack(near)


def make(
    n: int = 25,
    *,
    domain: Domain = PLANE,
    values: Any = two,
    constraints: Any = None,
    reference_point: FloatArray | None = None,
    **settings: Any,
) -> FittedObjectives:
    U = domain.snap(np.random.default_rng(0).random((n, domain.dim)))
    return fit_objectives(
        U,
        values(U),
        np.empty((n, 0)) if constraints is None else constraints(U),
        domain=domain,
        settings=Settings(**settings),
        reference_point=reference_point,
    )


def choose(fitted: FittedObjectives, q: int, held: Any = None, n_before: int = 0) -> FloatArray:
    U_held = np.empty((0, fitted.domain.dim)) if held is None else np.array(held)
    rng = np.random.default_rng(1)
    return choose_on_front(fitted, U_held, q, rng=rng, n_before=n_before)


def nearest(A: FloatArray, B: FloatArray) -> FloatArray:
    return np.linalg.norm(A[:, None] - B, axis=2).min(axis=1)


def test_a_batch_spreads_over_the_pareto_set() -> None:
    U = choose(make(40), 8)
    assert (np.abs(U[:, 1] - 0.3) < 0.1).sum() >= 6
    assert U[:, 0].min() < 0.35
    assert U[:, 0].max() > 0.65
    apart = np.linalg.norm(U[:, None] - U, axis=2) + np.eye(8)
    assert apart.min() > 0.01


def test_a_batch_is_reproducible() -> None:
    fitted = make()
    np.testing.assert_array_equal(choose(fitted, 4), choose(fitted, 4))


def test_held_points_are_avoided() -> None:
    fitted = make(40)
    alone = choose(fitted, 1)
    beside = choose(fitted, 1, held=alone)
    assert nearest(beside, alone)[0] > 0.03


def test_a_held_point_counts_with_its_optimistic_vector() -> None:
    fitted = make()
    held = np.array([[0.5, 0.3]])
    empty = FrontProblem.of(fitted, held[:0], 0)
    full = empty.hold(held)
    F = PLANE.features(held)
    moments = [model.mean_and_std(F) for model in fitted.models]
    optimistic = np.array([m[0] + s[0] for m, s in moments])
    is_inside = (
        (full.boxes.lower < optimistic - 1e-9) & (full.boxes.upper > optimistic - 1e-9)
    ).all(axis=1)
    assert not is_inside.any()
    assert full.boxes.volume(optimistic) < empty.boxes.volume(optimistic)
    assert full.models[0].mean_and_std(F)[1][0] < moments[0][1][0]
    np.testing.assert_array_equal(FrontProblem.of(fitted, held, 0).boxes.lower, full.boxes.lower)


def directions_of(fitted: FittedObjectives, q: int, n_before: int) -> list[list[float]]:
    """The directions along which the points of a batch were chosen; empty for the others."""
    followed: list[list[float]] = []
    choices: list[list[float]] = []

    class Watched(FittedObjectives):
        def along(self, direction: FloatArray) -> Any:
            followed.append(direction.tolist())
            return super().along(direction)

    watched = Watched(**{f.name: getattr(fitted, f.name) for f in fields(fitted)})
    for number in range(n_before, n_before + q):
        choose(watched, 1, n_before=number)
        choices.append(followed.pop() if followed else [])
    return choices


def on_front(n: int) -> FittedObjectives:
    """Of 30 trials the last n are on the front."""
    x = np.linspace(0.0, 1.0, n)
    values = np.vstack([np.full((30 - n, 2), -2.0), np.column_stack([x, 1 - x])])
    return make(30, values=lambda U: values)


def test_one_of_four_points_is_directed_while_most_enter_the_front() -> None:
    chosen = directions_of(on_front(12), 8, n_before=24)
    assert [bool(direction) for direction in chosen] == [False, False, False, True] * 2
    # Every second one follows an objective.
    assert chosen[7] == [0.0, 1.0]
    assert 0.0 < min(chosen[3]) < max(chosen[3]) < 1.0


def test_one_of_two_points_is_directed_while_few_enter_the_front() -> None:
    chosen = directions_of(on_front(11), 16, n_before=24)
    assert [bool(direction) for direction in chosen] == [False, True] * 8
    axes = [direction for direction in chosen if max(direction, default=0.0) == 1.0]
    assert axes == [[0.0, 1.0]] * 2 + [[1.0, 0.0]] * 2


def test_a_directed_point_maximises_one_objective_if_the_direction_is_an_axis() -> None:
    fitted = make(60)
    along = fitted.along(np.array([0.0, 1.0]))
    # The second objective alone decides how far a trial reaches.
    np.testing.assert_array_equal(along.U[0], fitted.U[np.argmax(fitted.data.Y[:, 1])])


@pytest.mark.parametrize("m", [5, 8])
def test_many_objectives_are_followed_along_directions(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    centres = np.random.default_rng(3).random((m, 2))

    def values(U: FloatArray) -> FloatArray:
        return -np.linalg.norm(U[:, None] - centres, axis=2)

    monkeypatch.delattr(front_module.FrontProblem, "acquisition")
    U = choose(make(30, values=values), 4)
    assert (nearest(U, centres) < 0.4).all()
    assert len(np.unique(U, axis=0)) == 4


def test_other_strategies_choose_along_directions() -> None:
    fitted = make(strategy="gp_bucb")
    assert not np.array_equal(choose(fitted, 3), choose(make(), 3))


def test_points_stay_in_the_box_around_the_front() -> None:
    fitted = make(60, trust_margin=0.05)
    front = fitted.U[fitted.data.order[: fitted.data.n_front]]
    assert fitted.data.n_front > 6  # more than the best tenth
    problem = FrontProblem.of(fitted, front[:0], 0)
    widening = 2.0 ** (fitted.n_since_entrant / 20)
    np.testing.assert_allclose(problem.lower, np.maximum(front.min(axis=0) - 0.05 * widening, 0.0))
    U = choose(fitted, 8)
    assert (problem.lower <= U).all()
    assert (problem.upper >= U).all()


def test_trials_since_the_last_entrant_widen_the_box() -> None:
    fitted = make(30)
    latest = fitted.data.order[: fitted.data.n_front].max()
    assert fitted.n_since_entrant == 29 - latest


def test_constraints_are_kept_and_infeasible_trials_are_not_on_the_front() -> None:
    def constraints(U: FloatArray) -> FloatArray:
        return (U[:, :1] - 0.5) * 3.0  # the right half, with one end of the front, is infeasible

    fitted = make(60, constraints=constraints)
    front = fitted.U[fitted.data.order[: fitted.data.n_front]]
    assert (front[:, 0] <= 0.5).all()
    assert len(fitted.feasibility) == 1
    assert (choose(fitted, 6)[:, 0] < 0.55).all()


def test_a_reference_point_restricts_the_search() -> None:
    # Only what is close to the best of the first objective counts.
    given = np.array([-0.02, -1.0])
    U = choose(make(60, reference_point=given), 3)
    assert (U[:, 0] < 0.4).all()
    assert choose(make(60), 3)[:, 0].max() > 0.4


def test_a_grid_is_used_up_without_repetition() -> None:
    grid = Parameter(grid=(np.arange(5) + 0.5) / 5)
    domain = Domain((grid, grid))
    U = domain.all_points()[:15]
    fitted = fit_objectives(U, two(U), np.empty((15, 0)), domain=domain, settings=Settings())
    batch = choose(fitted, 10)
    assert len({*domain.keys(U), *domain.keys(batch)}) == 25


def test_every_eighth_point_takes_another_branch() -> None:
    choice = Parameter(grid=np.array([0.25, 0.75]), is_categorical=True)
    domain = Domain((choice, Parameter(), Parameter()), {2: Condition(0, frozenset([0.75]))})

    def values(U: FloatArray) -> FloatArray:
        # The first branch is much better in both objectives.
        poor = 10.0 * (U[:, :1] > 0.5)
        return -np.column_stack([(U[:, 1] - 0.2) ** 2, (U[:, 1] - 0.8) ** 2]) - poor

    fitted = make(30, domain=domain, values=values)
    batch = choose(fitted, 8, n_before=32)
    assert batch[:7, 0].tolist() == [0.25] * 7
    assert batch[7, 0] == 0.75


@pytest.mark.parametrize(
    "values",
    [
        lambda U: np.column_stack([U[:, 0], np.zeros(len(U))]),  # no spread
        lambda U: np.zeros((len(U), 2)),
        lambda U: np.column_stack([U[:, 0], U[:, 0]]),  # a front of one point
        lambda U: np.where(U > 0.8, -np.inf, U),
        lambda U: np.where(U > 0.9, np.inf, -U),
        lambda U: 1e300 * U,
        lambda U: np.round(2 * U) / 2,  # ties
    ],
)
def test_odd_values_give_finite_batches(values: Any) -> None:
    U = choose(make(values=values), 5)
    assert np.isfinite(U).all()
    assert len(np.unique(U, axis=0)) == 5


@pytest.mark.parametrize("m", [2, 3, 4])
def test_large_fronts_are_thinned(m: int) -> None:
    def values(U: FloatArray) -> FloatArray:
        angle = U[:, :1] * np.arange(1, m + 1)
        return np.column_stack([np.sin(angle), U[:, 1:]])[:, :m] if m > 2 else two(U)

    fitted = make(800, values=values)
    problem = FrontProblem.of(fitted, fitted.U[:0], 0)
    assert len(problem.boxes.lower) < 6000


def test_the_active_set_covers_the_whole_front() -> None:
    fitted = make(900)
    assert len(fitted.data.active) <= 500
    assert set(fitted.data.order[: fitted.data.n_front]) <= set(fitted.data.active)


def test_the_front_is_that_of_the_means_not_of_lucky_values() -> None:
    noise = 0.3 * np.random.default_rng(2).standard_normal((80, 2))
    noisy = make(80, values=lambda U: two(U) + noise, noise_var=0.5)
    lucky = noisy.data.Y[noisy.data.order[: noisy.data.n_front]]
    assert (noisy.front.max(axis=0) < lucky.max(axis=0) - 0.3).all()
    exact = make(40)
    values = exact.data.Y[exact.data.order[: exact.data.n_front]]
    np.testing.assert_allclose(exact.front.max(axis=0), values.max(axis=0), atol=0.02)


def test_the_improvement_counts_how_likely_constraints_are_met() -> None:
    fitted = make(60, constraints=lambda U: (U[:, :1] - 0.5) * 3.0)
    problem = FrontProblem.of(fitted, fitted.U[:0], 0)
    F = PLANE.features(np.array([[0.2, 0.3], [0.9, 0.3]]))[:, None]
    free = FrontImprovement(problem.models, problem.boxes).values(F)
    met, violated = free - problem.acquisition().values(F)
    assert met < 0.1
    assert violated > 3.0
