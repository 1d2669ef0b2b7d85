"""The fit of kernel parameters: gradients against finite differences, a naive twin, odd data."""

from collections.abc import Callable

import numpy as np
import pytest

from optuna_bkop._model import fit as fit_module
from optuna_bkop._model.fit import fit
from optuna_bkop._model.kernel_model import Hyperparameters
from optuna_bkop._model.kernels import KERNELS, squared_distances
from optuna_bkop._model.likelihood import negative_log_posterior
from optuna_bkop._model.main_effects import MainEffects, waves
from optuna_bkop._model.prior import Prior
from optuna_bkop._model.warping import warp

D = 3
GROUPS = np.arange(D)
kernels = pytest.mark.parametrize("name", KERNELS)


def make_data(n: int = 15, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    F = rng.random((n, D))
    return F, np.sin(4 * F[:, 0]) + F[:, 1] ** 2


def theta_of(found: Hyperparameters) -> np.ndarray:
    rest = [found.signal_var, found.noise_var / found.signal_var, found.offset]
    odds = found.detail / (1.0 - found.detail) or Prior().detail / (1.0 - Prior().detail)
    return np.log(np.concatenate([found.length_scales, rest, [odds]]))


def finite_differences(
    function: Callable[[np.ndarray], float], theta: np.ndarray, h: float = 1e-5
) -> np.ndarray:
    steps = h * np.eye(len(theta))
    return np.array([(function(theta + s) - function(theta - s)) / (2 * h) for s in steps])


def posterior(
    theta: np.ndarray,
    F: np.ndarray,
    y: np.ndarray,
    name: str = "matern52",
    groups: np.ndarray = GROUPS,
    noise_var: float | None = None,
    stretched: bool = False,
    detailed: bool = False,
    main_effects: bool = False,
) -> tuple[float, np.ndarray]:
    return negative_log_posterior(
        theta,
        F,
        y,
        kernel=KERNELS[name],
        groups=groups,
        prior=Prior(),
        prior_mean=-0.5,
        noise_var=noise_var,
        stretched=stretched,
        detailed=detailed,
        R=waves(F) if main_effects else None,
    )


@kernels
@pytest.mark.parametrize("noise_var", [None, 0.0, 0.05])
@pytest.mark.parametrize("groups", [np.arange(D), np.array([0, 1, 1])])
@pytest.mark.parametrize("stretched", [False, True])
@pytest.mark.parametrize("detailed", [False, True])
@pytest.mark.parametrize("main_effects", [False, True])
def test_gradient_of_the_posterior_equals_finite_differences(
    name: str,
    noise_var: float | None,
    groups: np.ndarray,
    stretched: bool,
    detailed: bool,
    main_effects: bool,
) -> None:
    F, y = make_data(12)
    dim = int(groups.max()) + 1
    # Short length scales: rounding of an ill-conditioned matrix is not what is tested.
    theta = np.append(np.log(np.linspace(0.2, 0.5, dim)), [0.3, np.log(1e-2), np.log(0.2), -0.5])
    theta = np.append(theta, [0.4, -0.3] if main_effects else [])
    given = name, groups, noise_var, stretched, detailed, main_effects

    def value(t: np.ndarray) -> float:
        return posterior(t, F, y, *given)[0]

    gradient = posterior(theta, F, y, *given)[1]
    np.testing.assert_allclose(gradient, finite_differences(value, theta), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("stretched", [False, True])
@pytest.mark.parametrize("detailed", [False, True])
@pytest.mark.parametrize("main_effects", [False, True])
def test_posterior_equals_its_naive_twin(
    stretched: bool, detailed: bool, main_effects: bool
) -> None:
    F, y = make_data(12)
    offset = 0.2
    # A share of 0.25 has odds of 1 to 3.
    theta = np.array([-1.0, -0.5, 0.5, 0.3, np.log(1e-2), np.log(offset), -np.log(3)])
    if main_effects:
        # A share of 0.75, and a half of the other length scales.
        theta = np.append(theta, np.log([3.0, 0.5]))
    prior = Prior()
    value = posterior(
        theta, F, y, stretched=stretched, detailed=detailed, main_effects=main_effects
    )[0]
    Z = F / np.exp(theta[:D])
    s2 = np.exp(0.3)
    k = KERNELS["matern52"](squared_distances(Z, Z))[0]
    if detailed:
        k = 0.75 * k + 0.25 * KERNELS["matern52"](squared_distances(10 * Z, 10 * Z))[0]
    if main_effects:
        main = MainEffects.of(0.5 * np.exp(theta[:D]), GROUPS)
        k = 0.25 * k + 0.75 * ((waves(F) * main.weights) @ waves(F).T + main.constant)
    K = s2 * k + 0.01 * s2 * np.eye(12)
    residual, log_jacobian = y + 0.5, 0.0
    if stretched:
        better, best = y >= 0, y.max()
        logs = np.log((1 + offset) * best / (best - y[better] + offset * best))
        factor = np.sqrt(np.sum(y[better] ** 2) / np.sum(logs**2))
        residual[better] = factor * logs + 0.5
        log_jacobian = np.log(factor / (best - y[better] + offset * best)).sum()
    likelihood = -0.5 * residual @ np.linalg.inv(K) @ residual - 0.5 * np.linalg.slogdet(K)[1]
    deviation = (theta - prior.means(D, main_effects)) / prior.widths(D, main_effects)
    expected = -likelihood - log_jacobian + 0.5 * deviation @ deviation
    assert value == pytest.approx(expected)


def drawn_values(F: np.ndarray, ell: np.ndarray, noise_var: float, seed: int) -> np.ndarray:
    K = KERNELS["matern52"](squared_distances(F / ell, F / ell))[0]
    L = np.linalg.cholesky(K + (noise_var + 1e-10) * np.eye(len(F)))
    return L @ np.random.default_rng(seed).standard_normal(len(F))


def test_fit_recovers_length_scales_and_noise_roughly() -> None:
    F = np.random.default_rng(0).random((150, D))
    ell = np.array([0.2, 0.5, 5.0])
    y = drawn_values(F, ell, 0.05, seed=1)
    found = fit(F, y, kernel=KERNELS["matern52"], groups=GROUPS, prior_mean=0.0)
    assert np.all(np.abs(np.log(found.length_scales[:2] / ell[:2])) < np.log(2.0))
    assert found.length_scales[2] > 1.5
    assert 0.02 < found.noise_var < 0.12


def test_fit_keeps_a_given_noise() -> None:
    F, y = make_data()
    for noise_var in (0.0, 0.2):
        found = fit(F, y, kernel=KERNELS["se"], groups=GROUPS, prior_mean=0.0, noise_var=noise_var)
        assert found.noise_var == noise_var


def test_fit_finds_a_stationary_point_better_than_its_start() -> None:
    F, y = make_data(30)
    found = fit(F, y, kernel=KERNELS["matern52"], groups=GROUPS, prior_mean=-0.5, stretched=True)

    def value(theta: np.ndarray) -> float:
        return posterior(theta, F, y, stretched=True)[0]

    theta = theta_of(found)
    assert value(theta) < value(Prior().means(D))
    for step in 0.2 * np.vstack([np.eye(D + 4), -np.eye(D + 4)]):
        assert value(theta + step) > value(theta) - 1e-3


def test_fit_is_not_caught_where_all_that_is_not_smooth_is_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As after a search: the later points are ever closer to one place among several basins.
    n, dim, rng = 150, 6, np.random.default_rng(8)
    F = 0.6 + np.geomspace(0.5, 0.002, n)[:, None] * rng.standard_normal((n, dim))
    F = np.clip(F, 0.0, 1.0)
    z = 10 * (F - 0.3)
    y = warp(-np.sum(z**4 - 16 * z**2 + 5 * z, axis=1))
    groups = np.arange(dim)

    def reached() -> float:
        found = fit(
            F, y, kernel=KERNELS["matern52"], groups=groups, prior_mean=-0.5, stretched=True
        )
        return posterior(theta_of(found), F, y, groups=groups, stretched=True)[0]

    both = reached()
    monkeypatch.setattr(fit_module, "_FIRST_SCALES", (1.0,))
    assert both < reached() - 10.0


def test_fit_stretches_what_a_logarithm_makes_simple() -> None:
    F = np.random.default_rng(0).random((60, D))
    simple = np.sin(3 * F[:, 0]) + F[:, 1]
    options = {"kernel": KERNELS["matern52"], "groups": GROUPS, "prior_mean": 0.0}
    steep = warp(-np.exp(-4.0 * simple))
    assert fit(F, steep, stretched=True, **options).offset < 0.5
    assert fit(F, warp(simple), stretched=True, **options).offset > 5.0
    assert fit(F, steep, **options).offset == np.inf


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_fit_recovers_the_share_of_the_detail(share: float) -> None:
    F = np.sort(np.random.default_rng(0).random((200, 1)), axis=0)
    ell = np.array([0.5])
    trend, detail = drawn_values(F, ell, 0.0, seed=1), drawn_values(F, 0.1 * ell, 0.0, seed=2)
    y = np.sqrt(1 - share) * trend + np.sqrt(share) * detail
    options = {"kernel": KERNELS["matern52"], "groups": np.zeros(1, dtype=int), "prior_mean": 0.0}
    found = fit(F, y, noise_var=1e-6, detailed=True, **options)
    assert 0.3 * share < found.detail < min(3.0 * share, 0.9)
    assert fit(F, y, noise_var=1e-6, **options).detail == 0.0


def test_fit_is_deterministic() -> None:
    F, y = make_data(40)
    first, second = (
        fit(F, y, kernel=KERNELS["matern52"], groups=GROUPS, prior_mean=0.0) for _ in range(2)
    )
    np.testing.assert_array_equal(first.length_scales, second.length_scales)
    assert (first.signal_var, first.noise_var) == (second.signal_var, second.noise_var)


def test_fit_shares_a_length_scale_within_a_group() -> None:
    F, y = make_data()
    found = fit(F, y, kernel=KERNELS["se"], groups=np.array([0, 1, 1]), prior_mean=0.0)
    assert found.length_scales.shape == (2,)


@pytest.mark.parametrize("y", [np.zeros(15), np.full(15, 1e-12), np.repeat([0.0, 9.0, -9.0], 5)])
def test_fit_survives_strange_values(y: np.ndarray) -> None:
    F, _ = make_data()
    for noise_var in (None, 0.0):
        found = fit(
            F, y, kernel=KERNELS["matern52"], groups=GROUPS, prior_mean=0.0, noise_var=noise_var
        )
        assert np.isfinite(found.length_scales).all()


def test_fit_survives_duplicates_without_noise() -> None:
    F, y = make_data()
    found = fit(
        np.vstack([F, F]),
        np.append(y, y + 0.5),
        kernel=KERNELS["se"],
        groups=GROUPS,
        prior_mean=0.0,
        noise_var=0.0,
    )
    assert np.isfinite(found.length_scales).all()


@pytest.mark.parametrize(
    "scales", [[0.05], [0.15], [0.1, 0.6], [0.3, 0.4, 0.8, 1.5, 6.0, 6.0]], ids=str
)
def test_length_scales_are_recovered_at_a_stationary_optimum(scales: list[float]) -> None:
    ell, dim = np.array(scales), len(scales)
    F = np.random.default_rng(0).random((120, dim))
    y = drawn_values(F, ell, 1e-4, seed=1)
    groups = np.arange(dim)
    found = fit(F, y, kernel=KERNELS["matern52"], groups=groups, prior_mean=-0.5, noise_var=1e-4)
    assert np.abs(np.log(found.length_scales / ell)).max() < np.log(1.5)
    prior = Prior().means(dim)
    theta = np.concatenate([np.log(found.length_scales), [np.log(found.signal_var)], prior[-3:]])
    value, gradient = posterior(theta, F, y, groups=groups, noise_var=1e-4)
    assert np.abs(gradient).max() < 0.1
    is_scale = np.arange(dim + 4) < dim
    for first in (1.0, 0.15):
        start = prior + np.log(first) * is_scale
        assert value < posterior(start, F, y, groups=groups, noise_var=1e-4)[0] - 5.0


@pytest.mark.parametrize("dim", [1, 2])
def test_noise_is_not_explained_by_ever_shorter_length_scales(dim: int) -> None:
    rng = np.random.default_rng(0)
    F, y = rng.random((120, dim)), rng.standard_normal(120)
    found = fit(
        F, y, kernel=KERNELS["matern52"], groups=np.arange(dim), prior_mean=0.0, noise_var=1e-4
    )
    # Of a hundred points, the nearest are about this far apart.
    np.testing.assert_allclose(found.length_scales, 0.22 * 100 ** (-1 / dim))


@pytest.mark.parametrize("dim", [1, 4, 16])
def test_without_data_length_scales_are_those_of_the_prior(dim: int) -> None:
    found = fit(
        np.full((1, dim), 0.5),
        np.zeros(1),
        kernel=KERNELS["matern52"],
        groups=np.arange(dim),
        prior_mean=0.0,
    )
    # Distances in a cube grow with the root of the dimension.
    np.testing.assert_allclose(found.length_scales, 0.5 * np.sqrt(dim), rtol=1e-3)
