"""Which models are fitted, to what, and when anew."""

from typing import Any
from unittest.mock import create_autospec

import numpy as np
import pytest

from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model import conditioned
from optuna_bkop._model import fit as fit_module
from optuna_bkop._model.fit import FitCache
from optuna_bkop._model.fitted import Fitted, fit_models, n_decisive
from optuna_bkop._model.kernel_model import Hyperparameters
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._model.warping import stretch, warp
from optuna_bkop._settings import Settings

DOMAIN = Domain((Parameter(), Parameter()))
RNG = np.random.default_rng(0)
U = RNG.random((130, 2))
VALUES = -np.linalg.norm(U - 0.4, axis=1)


def fitted(n: int, constraints: np.ndarray | None = None, cache: FitCache | None = None) -> Fitted:
    given = np.empty((n, 0)) if constraints is None else constraints[:n]
    return fit_models(U[:n], VALUES[:n], given, domain=DOMAIN, settings=Settings(), cache=cache)


def scales(models: Fitted) -> list[list[float]]:
    return [model.inverse_scales.tolist() for model in models.models]


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of values of each fit that is made."""
    sizes: list[int] = []
    fit = fit_module.fit

    def counted(F: np.ndarray, *args: Any, **kwargs: Any) -> Hyperparameters:
        sizes.append(len(F))
        return fit(F, *args, **kwargs)

    monkeypatch.setattr(fit_module, "fit", create_autospec(fit, side_effect=counted))
    return sizes


def test_few_trials_all_decide_and_of_many_all_but_a_few() -> None:
    assert [n_decisive(n, 16) for n in range(80)] == list(range(80))
    for share in (3, 16):
        for n in (*range(80, 400), 1_000, 1_049, 9_999, 10_000, 123_456):
            assert n - n / share < n_decisive(n, share) <= n
    assert [n_decisive(n, 16) for n in (99, 100, 104, 105, 1_049)] == [95, 100, 100, 105, 1_000]


def test_parameters_are_fitted_anew_when_the_data_have_grown_enough(fits: list[int]) -> None:
    cache = FitCache()
    models = [fitted(n, cache=cache) for n in range(100, 111)]
    assert fits == [100, 105, 110]
    assert scales(models[0]) == scales(models[4]) != scales(models[5])
    # All data are known to the model in any case.
    assert [len(m.models[0].Z) for m in models] == list(range(100, 111))


def test_what_was_fitted_before_does_not_matter(fits: list[int]) -> None:
    cache = FitCache()
    after_others = [scales(fitted(n, cache=cache)) for n in (100, 103)][-1]
    assert fits == [100]
    assert scales(fitted(103)) == after_others
    assert fits == [100, 100]


def test_a_cache_keeps_the_latest_fits(monkeypatch: pytest.MonkeyPatch, fits: list[int]) -> None:
    monkeypatch.setattr(fit_module, "_MAX_CACHED", 2)
    cache = FitCache()
    for n in (15, 16, 15, 17, 15, 16):
        fitted(n, cache=cache)
    assert fits == [15, 16, 17, 16]


def test_the_first_feasible_trials_bring_a_fit_of_the_values(fits: list[int]) -> None:
    violated = np.ones((103, 1))
    fitted(102, violated)
    violated[102] = -1.0
    fits.clear()
    fitted(103, violated)
    # Of the values, and of the constraint.
    assert fits == [103, 103]


def test_constraints_are_fitted_less_often_than_values(fits: list[int]) -> None:
    cache = FitCache()
    constraints = U[:, :2] - 0.5
    models = [fitted(n, constraints, cache) for n in range(100, 121)]
    # A fit of the values at 100, 105, ..., 120, and of both constraints at 100 and 120.
    assert fits == [100, 100, 100, 105, 110, 115, 120, 120, 120]
    of_first, of_last = (
        [m.inverse_scales.tolist() for m in models[i].feasibility] for i in (0, 19)
    )
    assert of_first == of_last
    assert [len(m.feasibility[1].Z) for m in models] == list(range(100, 121))


def test_while_nothing_is_feasible_constraints_are_fitted_as_often_as_values(
    fits: list[int],
) -> None:
    cache = FitCache()
    for n in range(100, 106):
        assert len(fitted(n, np.ones((n, 1)) + U[:n, :1], cache).feasibility) == 1
    assert fits == [100, 100, 105, 105]


def test_a_constraint_that_was_violated_only_lately_is_fitted_to_all_trials(
    fits: list[int],
) -> None:
    constraints = np.full((103, 1), -1.0)
    constraints[101] = 1.0
    assert len(fitted(103, constraints).feasibility) == 1
    assert fits == [100, 103]


def models_of(values: np.ndarray, **changes: Any) -> Fitted:
    n = len(values)
    return fit_models(U[:n], values, np.empty((n, 0)), domain=DOMAIN, settings=Settings(**changes))


def test_there_is_a_model_for_each_length_scale_factor() -> None:
    models = models_of(VALUES[:40], length_scale_factors=(0.3, 0.6, 1.0, 2.0)).models
    assert [model.roughness for model in models] == [0.3**-2, 0.6**-2, 1.0, 0.25]
    near = U[:1] + 0.03
    deviations = [float(model.mean_and_std(near)[1][0]) for model in models]
    # Shorter length scales know less beside an observed point.
    assert deviations == sorted(deviations, reverse=True)
    assert deviations[0] > 1.5 * deviations[2]
    # They share the fit.
    assert len({model.inverse_scales.tobytes() for model in models}) == 1


@pytest.mark.parametrize("prior_mean", [-1.5, 0.0, 2.0])
def test_far_from_all_data_the_prior_mean_is_expected(prior_mean: float) -> None:
    fitted = models_of(VALUES[:40], prior_mean=prior_mean)
    far = np.array([[1e4, -1e4]])
    for model in fitted.models:
        assert model.mean(far)[0] == pytest.approx(prior_mean)


def test_the_fit_knows_the_prior_mean_kernel_and_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = create_autospec(fit_module.fit, side_effect=fit_module.fit)
    monkeypatch.setattr(fit_module, "fit", fit)
    models_of(VALUES[:20], prior_mean=0.7, kernel="se", noise_var=0.25, warping="half-rank")
    given = fit.call_args.kwargs
    assert (given["prior_mean"], given["noise_var"], given["stretched"]) == (0.7, 0.25, False)
    assert given["kernel"] is KERNELS["se"]


def test_with_the_logarithm_models_are_of_stretched_values() -> None:
    steep = -np.exp(12.0 * np.linalg.norm(U[:60] - 0.4, axis=1))
    (plain,), (log,) = (
        models_of(steep, warping=warping, length_scale_factors=(1.0,), noise_var=1e-6).models
        for warping in ("half-rank", "log")
    )
    best = U[np.argsort(-steep)[:30]]
    y = np.sort(warp(steep))[::-1]
    np.testing.assert_allclose(plain.mean(best), y[:30], atol=1e-2)
    means = log.mean(best)
    # The logarithm tells good values apart, relative to the others, by much more.
    assert means[0] - means[3] > 3 * (y[0] - y[3])
    fits = [stretch(y, offset).values[:30] for offset in np.geomspace(1e-3, 1e2, 400)]
    assert min(np.abs(means - w).max() for w in fits) < 0.02


def test_hyperparameters_are_fitted_to_the_best_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditioned, "_MAX_FITTED", 25)
    fit = create_autospec(fit_module.fit, side_effect=fit_module.fit)
    monkeypatch.setattr(fit_module, "fit", fit)
    models = models_of(VALUES[:60])
    best = U[np.argsort(-VALUES[:60])]
    np.testing.assert_array_equal(fit.call_args.args[0], best[:25])
    assert (np.diff(fit.call_args.args[1]) <= 0).all()
    assert len(models.models[0].Z) == 60


def test_constraints_and_failures_are_fitted_without_the_prior_mean_of_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fit = create_autospec(fit_module.fit, side_effect=fit_module.fit)
    monkeypatch.setattr(fit_module, "fit", fit)
    n = 30
    constraints = U[:n, :1] - 0.5
    failed = RNG.random((8, 2))
    settings = Settings(noise_var=0.0)
    fit_models(U[:n], VALUES[:n], constraints, failed, domain=DOMAIN, settings=settings)
    _, of_constraint, of_success = fit.call_args_list
    assert of_constraint.kwargs["prior_mean"] == 0.0
    assert of_constraint.kwargs["stretched"] is False
    np.testing.assert_array_equal(
        np.sign(of_constraint.args[1]).sum(), -np.sign(constraints).sum()
    )
    # Trials are expected to succeed, and failures are never free of noise.
    assert of_success.kwargs["prior_mean"] == 1.0
    assert of_success.kwargs["noise_var"] is None
    assert of_success.kwargs["prior"].noise_ratio > 0.1
    assert of_success.args[1].tolist() == [-1.0] * 8 + [1.0] * n
