"""When a study searches locally, and on which trials."""

from __future__ import annotations

import numpy as np
import pytest

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.chart import ChartedDomain
from optuna_bkop._model.fitted import fit_models
from optuna_bkop._model.neighbourhood import Neighbourhood, neighbourhood
from optuna_bkop._settings import Settings


def data(n: int, dim: int = 3) -> tuple[FloatArray, FloatArray]:
    U = np.random.default_rng(1).random((n, dim))
    return U, -((U - 0.4) ** 2).sum(axis=1)


def found(n: int, dim: int = 3, n_draws: int = 200) -> list[Neighbourhood | None]:
    """The neighbourhoods of many batches after the same trials."""
    U, values = data(n, dim)
    domain, none = Domain((Parameter(),) * dim), np.empty((n, 0))
    return [
        neighbourhood(U, values, none, domain, Settings(), np.random.default_rng(seed))
        for seed in range(n_draws)
    ]


@pytest.mark.parametrize(("n", "dim"), [(249, 3), (299, 20)])
def test_short_studies_search_the_whole_range(n: int, dim: int) -> None:
    assert found(n, dim, 20) == [None] * 20


@pytest.mark.parametrize(("n", "dim"), [(250, 3), (300, 20)])
def test_long_studies_search_three_batches_of_four_locally(n: int, dim: int) -> None:
    share = np.mean([near is not None for near in found(n, dim)])
    assert 0.65 < share < 0.85


def test_rows_are_the_best_trials_and_the_newest_ones() -> None:
    U, values = data(407)
    near = next(near for near in found(407) if near is not None)
    settled = np.argsort(-values[:400])[:250]
    assert near.rows.tolist() == [*sorted(settled.tolist()), *range(400, 407)]
    np.testing.assert_array_equal(near.domain.chart.origin, U[settled[0]])


def test_a_local_model_has_no_detail() -> None:
    U, values = data(260)
    fits = [
        fit_models(
            U,
            values,
            np.empty((260, 0)),
            domain=Domain((Parameter(),) * 3),
            settings=Settings(),
            detailed=None,
            rng=np.random.default_rng(seed),
        )
        for seed in (0, 4)
    ]
    is_local = [isinstance(fitted.domain, ChartedDomain) for fitted in fits]
    assert [not fitted.detailed for fitted in fits] == is_local
    assert is_local == [True, False]


def test_charts_have_two_sizes() -> None:
    sizes = {
        float(np.linalg.norm(near.domain.chart.axes[:, 0]).round(9))
        for near in found(400)
        if near is not None
    }
    small, large = sorted(sizes)
    assert large == pytest.approx(min(2 * small, 0.6))


def test_the_same_trials_and_seed_give_the_same_chart_in_every_worker() -> None:
    U, values = data(300)
    domain, none = Domain((Parameter(),) * 3), np.empty((300, 0))
    a, b = (
        neighbourhood(U.copy(), values.copy(), none, domain, Settings(), np.random.default_rng(3))
        for _ in range(2)
    )
    assert a is not None
    assert b is not None
    np.testing.assert_array_equal(a.domain.chart.axes, b.domain.chart.axes)
    np.testing.assert_array_equal(a.rows, b.rows)


def test_a_plateau_is_searched_in_the_whole_range() -> None:
    U, values = data(300)
    values = np.round(values, 1)
    domain, none = Domain((Parameter(),) * 3), np.empty((300, 0))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        assert neighbourhood(U, values, none, domain, Settings(), rng) is None


def test_feasible_trials_make_the_chart() -> None:
    U, values = data(300)
    constraints = np.where(U[:, :1] < 0.5, 1.0, -1.0)  # the best values violate it
    domain = Domain((Parameter(),) * 3)
    near = neighbourhood(U, values, constraints, domain, Settings(), np.random.default_rng(3))
    assert near is not None
    assert near.domain.chart.origin[0] >= 0.5


@pytest.mark.parametrize("settings", [Settings(trust_margin=None), Settings(strategy="bull")])
def test_some_settings_always_search_the_whole_range(settings: Settings) -> None:
    U, values = data(300)
    domain, none = Domain((Parameter(),) * 3), np.empty((300, 0))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        assert neighbourhood(U, values, none, domain, settings, rng) is None
