"""When kernel parameters are fitted anew, and to what."""

from typing import Any

import numpy as np
import pytest

from optuna_bkop import _models
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._models import Fitted, Settings, _n_decisive, fit_models

DOMAIN = Domain((Parameter(), Parameter()))
RNG = np.random.default_rng(0)
U = RNG.random((130, 2))
VALUES = -np.linalg.norm(U - 0.4, axis=1)


def fitted(n: int, constraints: np.ndarray | None = None) -> Fitted:
    given = np.empty((n, 0)) if constraints is None else constraints[:n]
    return fit_models(U[:n], VALUES[:n], given, domain=DOMAIN, settings=Settings())


def scales(models: Fitted) -> list[list[float]]:
    return [model.inverse_scales.tolist() for model in models.models]


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of values of each fit that is made."""
    sizes: list[int] = []
    fit = _models.fit

    def counted(F: np.ndarray, *args: Any, **kwargs: Any) -> _models.Hyperparameters:
        sizes.append(len(F))
        return fit(F, *args, **kwargs)

    monkeypatch.setattr(_models, "fit", counted)
    _models._fit_once.cache_clear()
    return sizes


def test_few_trials_all_decide_and_of_many_all_but_a_few() -> None:
    assert [_n_decisive(n) for n in range(80)] == list(range(80))
    for n in (*range(80, 400), 1_000, 1_049, 9_999, 10_000, 123_456):
        assert n - n / 16 < _n_decisive(n) <= n
    assert [_n_decisive(n) for n in (99, 100, 104, 105, 1_049)] == [95, 100, 100, 105, 1_000]


def test_parameters_are_fitted_anew_when_the_data_have_grown_enough(fits: list[int]) -> None:
    models = [fitted(n) for n in range(100, 111)]
    assert fits == [100, 105, 110]
    assert scales(models[0]) == scales(models[4]) != scales(models[5])
    # All data are known to the model in any case.
    assert [len(m.models[0].Z) for m in models] == list(range(100, 111))


def test_what_was_fitted_before_does_not_matter(fits: list[int]) -> None:
    after_others = [scales(fitted(n)) for n in (100, 103)][-1]
    _models._fit_once.cache_clear()
    assert scales(fitted(103)) == after_others


def test_the_first_feasible_trials_bring_a_fit_of_the_values(fits: list[int]) -> None:
    violated = np.ones((103, 1))
    fitted(102, violated)
    violated[102] = -1.0
    fits.clear()
    fitted(103, violated)
    # Of the values, and of the constraint.
    assert fits == [103, 103]
