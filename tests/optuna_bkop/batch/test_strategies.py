"""Every strategy on every kind of domain, and what each promises."""

import math
from dataclasses import replace
from typing import Any
from unittest.mock import create_autospec

import numpy as np
import pytest

from optuna_bkop._batch import search
from optuna_bkop._batch.acquisition import FORMS, BatchAcquisition
from optuna_bkop._batch.branches import other_branch
from optuna_bkop._batch.optimizers import MAXIMIZERS
from optuna_bkop._batch.problem import BatchProblem
from optuna_bkop._batch.strategies import STRATEGIES, choose_batch
from optuna_bkop._domain import Condition, Domain, Parameter, Steps
from optuna_bkop._model.fitted import Fitted, fit_models
from optuna_bkop._model.training_set import MAX_ACTIVE
from optuna_bkop._settings import Settings

FLOAT = Parameter()
GRID = Parameter(grid=(np.arange(9) + 0.5) / 9)
MANY = Parameter(steps=Steps(0.0, 1.0, 1e-4, log=False))
CHOICE = Parameter(grid=(np.arange(4) + 0.5) / 4, is_categorical=True)
DOMAINS = {
    "continuous": Domain((FLOAT,) * 3),
    "one number": Domain((FLOAT,)),
    "mixed": Domain((FLOAT, GRID, CHOICE, MANY)),
    "categorical": Domain((CHOICE, CHOICE, CHOICE)),
    "conditional": Domain(
        (FLOAT, GRID, CHOICE),
        {0: Condition(2, frozenset([0.125, 0.375])), 1: Condition(2, frozenset([0.625]))},
    ),
}
#: The paper's setting: one model, no box, zero mean.
PLAIN = Settings(length_scale_factors=(1.0,), prior_mean=0.0, trust_margin=None)
domains = pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
strategies = pytest.mark.parametrize("strategy", STRATEGIES)


def make_data(domain: Domain, n: int = 14, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    U = domain.snap(rng.random((n, domain.dim)))
    y = -((domain.features(U) - 0.3) ** 2).sum(axis=1)
    return U, (y - y.mean()) / y.std()


def make_fitted(domain: Domain, settings: Settings, n: int = 14) -> Fitted:
    U, y = make_data(domain, n)
    return fit_models(U, y, np.empty((n, 0)), domain=domain, settings=settings)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@domains
@strategies
@pytest.mark.parametrize("q", [1, 4])
def test_batches_are_in_the_box_on_the_grid_and_distinct(
    domain: Domain, strategy: str, q: int
) -> None:
    fitted = make_fitted(domain, Settings(strategy=strategy))
    U_held = domain.snap(rng(5).random((3, domain.dim)))
    batch = choose_batch(fitted, U_held, q, rng=rng())
    assert batch.shape == (q, domain.dim)
    assert (batch >= 0).all()
    assert (batch <= 1).all()
    np.testing.assert_array_equal(domain.snap(batch), batch)
    taken = [*domain.keys(fitted.U), *domain.keys(U_held)]
    keys = domain.keys(batch)
    assert len(set(keys)) == q
    assert set(keys).isdisjoint(taken)


@strategies
@pytest.mark.parametrize("maximizer", MAXIMIZERS)
def test_batches_follow_from_the_generator(strategy: str, maximizer: str) -> None:
    settings = replace(PLAIN, strategy=strategy, maximizer=maximizer, cma_evaluations=60)
    fitted = make_fitted(DOMAINS["mixed"], settings)
    held = np.empty((0, 4))
    first, second = (choose_batch(fitted, held, 3, rng=rng(3)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_cma_sees_only_points_of_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = DOMAINS["mixed"]
    seen: list[np.ndarray] = []
    features = Domain.features

    def remember(self: Domain, U: np.ndarray) -> np.ndarray:
        seen.append(U.copy())
        return features(self, U)

    by_cma = search.by_cma

    def watched(*args: Any, **kwargs: Any) -> object:
        with monkeypatch.context() as patch:
            patch.setattr(Domain, "features", remember)
            return by_cma(*args, **kwargs)

    monkeypatch.setattr(search, "by_cma", create_autospec(by_cma, side_effect=watched))
    fitted = make_fitted(domain, replace(PLAIN, maximizer="cma", cma_evaluations=60))
    choose_batch(fitted, np.empty((0, 4)), 2, rng=rng())
    assert sum(len(U) for U in seen) > 2 * 30
    for U in seen:
        np.testing.assert_array_equal(domain.snap(U), U)


@pytest.mark.parametrize(("n", "q"), [(14, 1), (15, 1), (16, 1), (14, 20), (16, 5), (23, 3)])
def test_every_eighth_point_is_of_another_branch_than_the_best(n: int, q: int) -> None:
    domain = DOMAINS["conditional"]
    U, _ = make_data(domain, n)
    U[:, 2] = domain.parameters[2].grid[np.arange(n) % 4]
    # One branch is better than all others by far.
    y = 10.0 * (U[:, 2] < 0.2) - U[:, 0] ** 2
    fitted = fit_models(U, y, np.empty((n, 0)), domain=domain, settings=Settings())
    batch = choose_batch(fitted, np.empty((0, 3)), q, rng=rng())
    is_eighth = (n + np.arange(q) + 1) % 8 == 0
    assert (batch[is_eighth, 2] > 0.2).all()
    # Of the best branch there are nine points, if the other numbers do not play a part.
    assert (batch[~is_eighth, 2] < 0.2).sum() >= min((~is_eighth).sum(), 9)


def test_parents_have_their_turns_and_a_lone_choice_has_none() -> None:
    two = Domain(
        (CHOICE, CHOICE, FLOAT, FLOAT),
        {2: Condition(0, frozenset([0.125])), 3: Condition(1, frozenset([0.125]))},
    )
    problem = BatchProblem.of(make_fitted(two, Settings()), np.empty((0, 4)))
    best = problem.good[0]
    for turn in range(4):
        (point,) = other_branch(problem, turn, rng=rng())
        assert point[turn % 2] != best[turn % 2]
    without = BatchProblem.of(make_fitted(DOMAINS["mixed"], PLAIN), np.empty((0, 4)))
    assert len(other_branch(without, 0, rng=rng())) == 0
    # A parent that had one value only, and cannot have others.
    only = Parameter(grid=np.array([0.5]), is_categorical=True)
    domain = Domain((only, FLOAT), {1: Condition(0, frozenset([0.5]))})
    lone = BatchProblem.of(make_fitted(domain, PLAIN), np.empty((0, 2)))
    assert len(other_branch(lone, 0, rng=rng())) == 0


def test_a_branch_without_points_that_are_left_has_no_turn() -> None:
    both = Parameter(grid=np.array([0.25, 0.75]), is_categorical=True)
    domain = Domain((both, FLOAT), {1: Condition(0, frozenset([0.75]))})
    U = np.array([[0.25, np.nan], *([0.75, x] for x in np.linspace(0, 1, 14))])
    y = np.append(-9.0, -((U[1:, 1] - 0.8) ** 2))
    fitted = fit_models(U, y, np.empty((15, 0)), domain=domain, settings=Settings())
    batch = choose_batch(fitted, np.empty((0, 2)), 10, rng=rng())
    assert (batch[:, 0] == 0.75).all()
    # The turn's point is one of the others, not a mere neighbour of what is taken.
    assert np.abs(batch[0, 1] - 0.8) < 0.2


def test_another_branch_is_searched_beyond_the_trust_box() -> None:
    domain = DOMAINS["conditional"]
    U, _ = make_data(domain, 40)
    U[:, 2] = domain.parameters[2].grid[np.arange(40) % 4]
    # One branch is better by far at small numbers; the other rises towards large ones.
    is_best = U[:, 2] < 0.2
    y = np.where(is_best, 20.0 - 5.0 * U[:, 0], 3.0 * U[:, 0])
    fitted = fit_models(U, y, np.empty((40, 0)), domain=domain, settings=Settings())
    problem = BatchProblem.of(replace(fitted, n_since_best=0), np.empty((0, 3)))
    assert problem.upper[0] < 0.8
    (point,) = other_branch(problem, 0, rng=rng())
    assert point[2] == 0.375
    assert point[0] > 0.85


def test_turns_follow_the_count_of_all_points() -> None:
    fitted = make_fitted(DOMAINS["conditional"], Settings(), n=14)
    best = fitted.U[0, 2]
    for n_before in (14, 100, 1000):
        batch = choose_batch(fitted, np.empty((0, 3)), 8, rng=rng(), n_before=n_before)
        assert batch[(-n_before - 1) % 8, 2] != best


def two_readings(n: int = 30) -> Fitted:
    """Models of both readings of ripples on a trend that rises to 0.75."""
    U = np.linspace(0.0, 1.0, n)[:, None]
    y = -3.0 * np.abs(U[:, 0] - 0.75) + 0.5 * np.random.default_rng(1).normal(size=n)
    return fit_models(
        U, y, np.empty((n, 0)), domain=DOMAINS["one number"], settings=PLAIN, detailed=None
    )


def test_the_readings_take_turns_and_each_knows_the_points_of_the_other() -> None:
    fitted, none = two_readings(), np.empty((0, 1))
    batch = choose_batch(fitted, none, 4, rng=rng(), n_before=30)
    detailed = replace(fitted, models=fitted.detailed, detailed=())
    source = rng()
    first = choose_batch(detailed, none, 2, rng=source)
    then = choose_batch(replace(fitted, detailed=()), first, 2, rng=source)
    np.testing.assert_array_equal(batch[::2], first)
    np.testing.assert_array_equal(batch[1::2], then)


@pytest.mark.parametrize("n_before", [30, 31])
def test_one_reading_alone_chooses_all_points(n_before: int) -> None:
    alone = replace(two_readings(), detailed=())
    one, other = (
        choose_batch(alone, np.empty((0, 1)), 3, rng=rng(), n_before=n) for n in (n_before, 40)
    )
    np.testing.assert_array_equal(one, other)


def test_held_points_may_be_known_in_part() -> None:
    domain = DOMAINS["mixed"]
    U_held = np.array([[0.5, np.nan, 0.125, np.nan], [np.nan, 0.5, np.nan, np.nan]])
    batch = choose_batch(make_fitted(domain, Settings()), U_held, 3, rng=rng())
    assert np.isfinite(batch).all()


def test_held_points_push_the_batch_away() -> None:
    domain = DOMAINS["continuous"]
    fitted = make_fitted(domain, PLAIN)
    alone = choose_batch(fitted, np.empty((0, 3)), 1, rng=rng())
    beside = choose_batch(fitted, alone, 1, rng=rng())
    assert np.linalg.norm(alone - beside) > 0.02


def test_one_point_of_gp_bucb_is_one_point_of_bkop() -> None:
    domain = DOMAINS["continuous"]
    one, other = (
        choose_batch(
            make_fitted(domain, replace(PLAIN, strategy=strategy)),
            np.empty((0, 3)),
            1,
            rng=rng(),
        )
        for strategy in ("bkop", "gp_bucb")
    )
    np.testing.assert_array_equal(one, other)


def test_the_fixed_points_of_bull_do_not_depend_on_the_values() -> None:
    domain = DOMAINS["mixed"]
    U, y = make_data(domain)
    first, second = (
        choose_batch(
            fit_models(
                U, values, np.empty((14, 0)), domain=domain, settings=Settings(strategy="bull")
            ),
            np.empty((0, 4)),
            5,
            rng=rng(),
        )
        for values in (y, -y)
    )
    np.testing.assert_array_equal(first[:4], second[:4])
    assert not np.array_equal(first[4], second[4])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("noise_var", [0.0, 0.05])
@pytest.mark.parametrize("kernel", ["matern52", "se"])
def test_a_batch_of_one_is_the_arg_max_of_algorithm_1_or_3(
    form: str, noise_var: float, kernel: str
) -> None:
    domain = Domain((FLOAT, FLOAT))
    settings = replace(PLAIN, acquisition_form=form, noise_var=noise_var, kernel=kernel)
    fitted = make_fitted(domain, settings)
    fine = np.linspace(0, 1, 201)
    mean, std = fitted.models[0].mean_and_std(
        np.stack(np.meshgrid(fine, fine), axis=-1).reshape(-1, 2)
    )
    found = choose_batch(fitted, np.empty((0, 2)), 1, rng=rng())
    mean_found, std_found = fitted.models[0].mean_and_std(found)
    assert mean_found[0] + std_found[0] >= (mean + std).max() - 1e-9


def test_a_batch_of_one_on_a_finite_space_is_the_best_that_is_left() -> None:
    domain = Domain((GRID, GRID, CHOICE))
    fitted = make_fitted(domain, PLAIN)
    points = domain.all_points()
    taken = set(domain.keys(fitted.U))
    left = points[[key not in taken for key in domain.keys(points)]]
    mean, std = fitted.models[0].mean_and_std(domain.features(left))
    found = choose_batch(fitted, np.empty((0, 3)), 1, rng=rng())
    mean_found, std_found = fitted.models[0].mean_and_std(domain.features(found))
    assert mean_found[0] + std_found[0] >= (mean + std).max() - 1e-9


@pytest.mark.parametrize("form", FORMS)
def test_a_joint_batch_is_worth_more_than_the_greedy_one(form: str) -> None:
    domain = DOMAINS["continuous"]
    joint, greedy = (
        choose_batch(
            make_fitted(domain, replace(PLAIN, strategy=strategy, acquisition_form=form)),
            np.empty((0, 3)),
            5,
            rng=rng(),
        )
        for strategy in ("bkop", "gp_bucb")
    )
    acquisition = BatchAcquisition(make_fitted(domain, PLAIN).models, 1.0, form)
    assert acquisition.value(joint) > acquisition.value(greedy) + 0.01


@domains
def test_starts_that_climb_together_come_as_far_as_alone(domain: Domain) -> None:
    problem = BatchProblem.of(make_fitted(domain, PLAIN), np.empty((0, domain.dim)))
    acquisition = problem.acquisition()
    starts = rng(1).random((5, 3, domain.dim))
    fixed = domain.is_discrete
    together = search.climb(problem, acquisition, starts, 200, 1e-8, fixed)
    alone = [search.climb(problem, acquisition, U, 200, 1e-8, fixed) for U in starts]
    np.testing.assert_array_equal(together[..., fixed], starts[..., fixed])
    best, expected = (
        max(acquisition.value(domain.features(U)) for U in found) for found in (together, alone)
    )
    assert best > expected - 1e-2


@pytest.mark.parametrize("dim", [2, 3])
def test_a_large_batch_in_few_dimensions_has_no_copies(dim: int) -> None:
    domain = Domain((FLOAT,) * dim)
    batch = choose_batch(make_fitted(domain, Settings(), n=30), np.empty((0, dim)), 8, rng=rng())
    distances = np.linalg.norm(batch[:, None] - batch, axis=2) + np.eye(8)
    assert distances.min() > 1e-4
    assert np.median(distances.min(axis=1)) > 5e-3


@pytest.mark.parametrize("rkhs_norm", [0.3, 1.0])
def test_gp_ucb_pe_explores_within_the_relevant_region(rkhs_norm: float) -> None:
    domain = DOMAINS["continuous"]
    settings = replace(PLAIN, strategy="gp_ucb_pe", rkhs_norm=rkhs_norm)
    fitted = make_fitted(domain, settings, n=30)
    batch = choose_batch(fitted, np.empty((0, 3)), 5, rng=rng())
    model = fitted.models[0]
    C = np.vstack([rng(1).random((4000, 3)), fitted.U])
    mean, std = model.mean_and_std(C)
    mean_batch, std_batch = model.mean_and_std(batch)
    # The threshold is a maximum over candidates, so that over others may be a little above.
    threshold = (mean - rkhs_norm * std).max()
    assert (mean_batch + 2 * rkhs_norm * std_batch).min() >= threshold - 0.05
    # The second point has the largest deviation of the region while the first one is held.
    inside = mean + 2 * rkhs_norm * std >= threshold + 0.05
    held = model.hold(batch[:1])
    largest = held.mean_and_std(C[inside])[1].max()
    assert held.mean_and_std(batch[1:2])[1] > largest - 0.05


def test_each_point_of_gp_bucb_is_the_best_with_those_before_it_held() -> None:
    domain = DOMAINS["continuous"]
    fitted = make_fitted(domain, replace(PLAIN, strategy="gp_bucb"))
    batch = choose_batch(fitted, np.empty((0, 3)), 4, rng=rng())
    C = rng(1).random((4000, 3))
    for i, point in enumerate(batch):
        model = fitted.models[0].hold(batch[:i])
        mean, std = model.mean_and_std(C)
        mean_chosen, std_chosen = model.mean_and_std(point[None])
        assert mean_chosen[0] + std_chosen[0] >= (mean + std).max() - 1e-2


def test_the_model_sees_a_bounded_number_of_points() -> None:
    domain = Domain((FLOAT, FLOAT))
    fitted = make_fitted(domain, PLAIN, n=3000)
    assert len(fitted.models[0].Z) <= MAX_ACTIVE
    assert len(fitted.U) == 3000
    batch = choose_batch(fitted, np.empty((0, 2)), 2, rng=rng())
    assert len(set(domain.keys(batch))) == 2


def test_one_observed_point_is_enough() -> None:
    for strategy in STRATEGIES:
        domain = DOMAINS["mixed"]
        fitted = fit_models(
            domain.snap(np.full((1, 4), 0.5)),
            np.zeros(1),
            np.empty((1, 0)),
            domain=domain,
            settings=Settings(strategy=strategy),
        )
        assert choose_batch(fitted, np.empty((0, 4)), 2, rng=rng()).shape == (2, 4)


def test_the_trust_box_holds_the_batch_near_the_best() -> None:
    domain = DOMAINS["continuous"]
    U = rng(2).random((200, 3))
    y = -np.abs(U - 0.5).max(axis=1) * 10
    fitted = fit_models(
        U, y, np.empty((200, 0)), domain=domain, settings=Settings(trust_margin=0.05)
    )
    batch = choose_batch(fitted, np.empty((0, 3)), 6, rng=rng())
    best = fitted.U[:20]
    assert (batch >= best.min(axis=0) - 0.05 - 1e-9).all()
    assert (batch <= best.max(axis=0) + 0.05 + 1e-9).all()


def test_the_norm_is_larger_on_a_plateau() -> None:
    domain = DOMAINS["continuous"]
    U, y = make_data(domain, 14)

    def weight(n_ties: int) -> float:
        order = np.argsort(-y)
        tied = y.copy()
        tied[order[: n_ties + 1]] = y.max()
        fitted = fit_models(U, tied, np.empty((14, 0)), domain=domain, settings=PLAIN)
        assert fitted.n_ties == n_ties
        return BatchProblem.of(fitted, np.empty((0, domain.dim))).rkhs_norm

    assert weight(0) == PLAIN.rkhs_norm
    assert weight(5) == pytest.approx(PLAIN.rkhs_norm * math.sqrt(2.0))
    assert weight(10) == pytest.approx(PLAIN.rkhs_norm * 2.0)


def test_many_ties_are_no_accident() -> None:
    fitted = replace(make_fitted(DOMAINS["continuous"], PLAIN), n_ties=10**6)
    held = np.empty((0, DOMAINS["continuous"].dim))
    assert BatchProblem.of(fitted, held).rkhs_norm == PLAIN.rkhs_norm * 8.0
