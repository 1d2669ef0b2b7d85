"""The kernel of main effects: against sums of cosines, finite differences, and what it is for."""

import numpy as np
import pytest

from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.conditioned import condition, fit_to
from optuna_bkop._model.fit import FitCache, fit
from optuna_bkop._model.kernels import matern52
from optuna_bkop._model.main_effects import (
    N_FREQUENCIES,
    MainEffects,
    shares,
    spectrum,
    waves,
    waves_gradient,
)
from optuna_bkop._settings import Settings

D = 3
ELL = np.array([0.2, 0.7, 4.0])


def naive(x: np.ndarray, z: np.ndarray) -> float:
    """The printed formula for one pair of points."""
    total = 0.0
    for delta, ell in zip(x - z, ELL, strict=True):
        w = [(1 + (np.pi * i * ell) ** 2 / 5) ** -3 for i in range(N_FREQUENCIES + 1)]
        w[0] /= 2
        total += sum(w[i] * np.cos(np.pi * i * delta) for i in range(len(w))) / sum(w)
    return total / D


def kernel(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    main = MainEffects.of(ELL, np.arange(D))
    result: np.ndarray = (waves(A) * main.weights) @ waves(B).T + main.constant
    return result


def test_kernel_equals_its_naive_twin() -> None:
    A, B = np.random.default_rng(0).random((2, 5, D))
    np.testing.assert_allclose(kernel(A, B), [[naive(a, b) for b in B] for a in A], rtol=1e-12)


def test_kernel_is_one_at_distance_zero_and_positive_semidefinite() -> None:
    F = np.random.default_rng(1).random((40, D))
    K = kernel(F, F)
    np.testing.assert_allclose(np.diagonal(K), 1.0, rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() > -1e-12


def test_a_short_effect_has_nearly_the_matern_kernel() -> None:
    # The period of 2 is far beyond a length scale of 0.2, and so is the cut of the spectrum.
    x = np.linspace(0.0, 1.0, 50)[:, None]
    main = MainEffects.of(np.array([0.2]), np.arange(1))
    k = (waves(x) * main.weights) @ waves(x[:1]).T + main.constant
    np.testing.assert_allclose(k[:, 0], matern52((x[:, 0] / 0.2) ** 2)[0], atol=0.01)


def test_derivatives_of_the_spectrum_equal_finite_differences() -> None:
    h = 1e-6
    above, below = (spectrum(ELL * np.exp(s))[0] for s in (h, -h))
    weights, slopes = spectrum(ELL)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)
    np.testing.assert_allclose(slopes, (above - below) / (2 * h), atol=1e-9)


@pytest.mark.parametrize("shape", [(4,), (2, 4)])
def test_gradient_of_the_waves_equals_finite_differences(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    F = rng.random((*shape, D))
    C = rng.standard_normal((*shape, 2 * N_FREQUENCIES * D))
    gradient = waves_gradient(waves(F), C)
    h = 1e-6
    for j in range(D):
        step = h * np.eye(D)[j]
        slope = ((waves(F + step) - waves(F - step)) * C).sum(axis=-1) / (2 * h)
        np.testing.assert_allclose(gradient[..., j], slope, rtol=1e-6, atol=1e-6)


def error(F: np.ndarray, y: np.ndarray, X: np.ndarray, z: np.ndarray, main_effects: bool) -> float:
    """Return the root mean square error of predictions of z at X."""
    domain, settings = Domain((Parameter(),) * F.shape[1]), Settings()
    found = fit_to(F, y, domain, settings, FitCache(), main_effects=main_effects)
    return float(np.sqrt(np.mean((condition(F, y, found, domain, settings).mean(X) - z) ** 2)))


def test_a_sum_of_effects_is_learnt_from_fewer_points() -> None:
    rng = np.random.default_rng(3)
    F, X = rng.random((60, 8)), rng.random((200, 8))

    def f(F: np.ndarray) -> np.ndarray:
        result: np.ndarray = np.sin(2.0 * np.pi * F[:, :4]).sum(axis=1) + F[:, 4] ** 2
        return result

    without, with_effects = (error(F, f(F), X, f(X), effects) for effects in (False, True))
    assert with_effects < 0.3 * without


def test_a_function_without_main_effects_is_learnt_as_well_as_before() -> None:
    rng = np.random.default_rng(4)
    F, X = rng.random((60, 3)), rng.random((200, 3))

    def f(F: np.ndarray) -> np.ndarray:
        result: np.ndarray = np.sin(6.0 * (F[:, 0] + F[:, 1])) * F[:, 2]
        return result

    without, with_effects = (error(F, f(F), X, f(X), effects) for effects in (False, True))
    assert with_effects < 1.3 * without


def test_parameters_have_equal_shares_whatever_their_number_of_features() -> None:
    # A categorical parameter with three features beside two numerical ones.
    np.testing.assert_allclose(shares(np.array([0, 1, 1, 1, 2])), [1 / 3, *[1 / 9] * 3, 1 / 3])


def test_fit_tells_sums_from_interactions() -> None:
    F = np.random.default_rng(5).random((80, 4))
    waves = np.sin(2.0 * np.pi * F)
    found = [
        fit(
            F,
            (y - y.mean()) / y.std(),
            kernel=matern52,
            groups=np.arange(4),
            prior_mean=0.0,
            main_effects=True,
        )
        for y in (waves.sum(axis=1), waves[:, 0] * waves[:, 1])
    ]
    assert found[0].main > 0.9
    assert found[1].main < 0.2


@pytest.mark.parametrize(("periods", "shortest", "longest"), [(0.25, 0.7, 0.9), (2.0, 0.15, 0.3)])
def test_fit_finds_how_fast_effects_vary(periods: float, shortest: float, longest: float) -> None:
    F = np.random.default_rng(6).random((80, 4))
    y = np.cos(2.0 * np.pi * periods * F).sum(axis=1)
    found = fit(
        F,
        (y - y.mean()) / y.std(),
        kernel=matern52,
        groups=np.arange(4),
        prior_mean=0.0,
        main_effects=True,
    )
    scales = found.main_ratio * found.length_scales
    assert (scales > shortest).all()
    assert (scales < longest).all()
