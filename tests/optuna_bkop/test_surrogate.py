"""The kernel model against plain matrix inverses, and its fit against finite differences."""

from collections.abc import Callable

import numpy as np
import pytest

from optuna_bkop._kernels import KERNELS, squared_distances
from optuna_bkop._surrogate import (
    Hyperparameters,
    KernelModel,
    Prior,
    cholesky,
    fit,
    negative_log_posterior,
)
from optuna_bkop._warp import warp

D = 3
GROUPS = np.arange(D)
kernels = pytest.mark.parametrize("name", KERNELS)


def make_data(n: int = 15, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    F = rng.random((n, D))
    return F, np.sin(4 * F[:, 0]) + F[:, 1] ** 2


def make_model(name: str, noise_var: float, n: int = 15) -> KernelModel:
    F, y = make_data(n)
    hyperparameters = Hyperparameters(np.array([0.4, 0.7, 2.0]), 1.7, noise_var)
    return KernelModel.condition(
        F,
        y,
        kernel=KERNELS[name],
        hyperparameters=hyperparameters,
        groups=GROUPS,
        prior_mean=-0.5,
    )


def naive_posterior(
    name: str, noise_var: float, F: np.ndarray, y: np.ndarray, X: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Equations 4, 8, 12 and 16 with an inverse, for the parameters of `make_model`."""
    ell = np.array([0.4, 0.7, 2.0])

    def k(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return 1.7 * KERNELS[name](squared_distances(A / ell, B / ell))[0]

    inverse = np.linalg.inv(k(F, F) + noise_var * np.eye(len(F)))
    K_x = k(F, X)
    return -0.5 + K_x.T @ inverse @ (y + 0.5), k(X, X) - K_x.T @ inverse @ K_x


@kernels
@pytest.mark.parametrize("noise_var", [0.0, 0.03])
def test_posterior_equals_the_one_by_an_inverse(name: str, noise_var: float) -> None:
    model = make_model(name, noise_var)
    X = np.random.default_rng(1).random((7, D))
    mean, cov = naive_posterior(name, noise_var, *make_data(), X)
    np.testing.assert_allclose(model.mean(X), mean, atol=1e-6)
    np.testing.assert_allclose(model.cov(X), cov, atol=1e-6)
    both = model.mean_and_std(X)
    np.testing.assert_allclose(both[0], mean, atol=1e-6)
    np.testing.assert_allclose(both[1] ** 2, np.diagonal(cov), atol=1e-6)


@kernels
def test_a_noise_free_model_interpolates(name: str) -> None:
    F, y = make_data()
    model = make_model(name, 0.0)
    np.testing.assert_allclose(model.mean(F), y, atol=1e-4)
    np.testing.assert_allclose(model.mean_and_std(F)[1], 0.0, atol=1e-3)


@kernels
@pytest.mark.parametrize("noise_var", [0.0, 0.03])
def test_held_points_leave_the_mean_and_narrow_the_covariance(name: str, noise_var: float) -> None:
    model = make_model(name, noise_var)
    rng = np.random.default_rng(2)
    F_held, X = rng.random((4, D)), rng.random((6, D))
    held = model.condition_on(F_held)
    F, y = make_data()
    F_all, y_all = np.vstack([F, F_held]), np.append(y, model.mean(F_held))
    # The same as to observe, at the held points, just what the model expects there.
    mean, cov = naive_posterior(name, noise_var, F_all, y_all, X)
    np.testing.assert_allclose(held.mean(X), model.mean(X), rtol=1e-13)
    np.testing.assert_allclose(held.mean(X), mean, atol=1e-6)
    np.testing.assert_allclose(held.cov(X), cov, atol=1e-6)


@kernels
def test_the_extended_factor_equals_the_rebuilt_one(name: str) -> None:
    model = make_model(name, 0.03)
    F_held = np.random.default_rng(2).random((4, D))
    F, y = make_data()
    rebuilt = KernelModel.condition(
        np.vstack([F, F_held]),
        np.append(y, np.zeros(4)),
        kernel=model.kernel,
        hyperparameters=Hyperparameters(1.0 / model.inverse_scales, 1.7, 0.03),
        groups=GROUPS,
        prior_mean=-0.5,
    )
    np.testing.assert_allclose(model.condition_on(F_held).L, rebuilt.L, atol=1e-12)
    one_by_one = model.condition_on(F_held[:1]).condition_on(F_held[1:])
    np.testing.assert_allclose(one_by_one.L, rebuilt.L, atol=1e-12)


def test_holding_nothing_changes_nothing() -> None:
    model = make_model("matern52", 0.03)
    assert model.condition_on(np.empty((0, D))) is model


def test_no_jitter_where_none_is_needed() -> None:
    K = np.array([[2.0, 0.5], [0.5, 1.0]])
    np.testing.assert_array_equal(cholesky(K, 0.0, 1.0), np.linalg.cholesky(K))


def test_jitter_grows_only_as_far_as_it_must() -> None:
    K = np.ones((3, 3))
    L = cholesky(K, 0.0, 1.0)
    added = (L @ L.T - K)[0, 0]
    assert 0 < added < 1e-8
    np.testing.assert_allclose(L @ L.T - K, added * np.eye(3), atol=1e-15)


def test_a_matrix_beyond_help_raises() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="no Cholesky factor"):
        cholesky(-10.0 * np.eye(2), 0.0, 1.0)


@kernels
def test_duplicates_are_survived_without_noise(name: str) -> None:
    F, y = make_data()
    model = KernelModel.condition(
        np.vstack([F, F[:3]]),
        np.append(y, y[:3] + 0.1),
        kernel=KERNELS[name],
        hyperparameters=Hyperparameters(np.full(D, 0.5), 1.0, 0.0),
        groups=GROUPS,
        prior_mean=0.0,
    )
    mean, std = model.mean_and_std(F)
    assert np.isfinite(mean).all()
    np.testing.assert_allclose(mean[:3], y[:3] + 0.05, atol=1e-2)
    assert std.max() < 1e-2
    assert np.isfinite(model.condition_on(F[:5]).cov(F)).all()


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
    )


@kernels
@pytest.mark.parametrize("noise_var", [None, 0.0, 0.05])
@pytest.mark.parametrize("groups", [np.arange(D), np.array([0, 1, 1])])
@pytest.mark.parametrize("stretched", [False, True])
def test_gradient_of_the_posterior_equals_finite_differences(
    name: str, noise_var: float | None, groups: np.ndarray, stretched: bool
) -> None:
    F, y = make_data(12)
    dim = int(groups.max()) + 1
    # Short length scales: rounding of an ill-conditioned matrix is not what is tested.
    theta = np.append(np.log(np.linspace(0.2, 0.5, dim)), [0.3, np.log(1e-2), np.log(0.2)])

    def value(t: np.ndarray) -> float:
        return posterior(t, F, y, name, groups, noise_var, stretched)[0]

    gradient = posterior(theta, F, y, name, groups, noise_var, stretched)[1]
    np.testing.assert_allclose(gradient, finite_differences(value, theta), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("stretched", [False, True])
def test_posterior_equals_its_naive_twin(stretched: bool) -> None:
    F, y = make_data(12)
    offset = 0.2
    theta = np.array([-1.0, -0.5, 0.5, 0.3, np.log(1e-2), np.log(offset)])
    prior = Prior()
    value = posterior(theta, F, y, stretched=stretched)[0]
    Z = F / np.exp(theta[:D])
    s2 = np.exp(0.3)
    K = s2 * KERNELS["matern52"](squared_distances(Z, Z))[0] + 0.01 * s2 * np.eye(12)
    residual, log_jacobian = y + 0.5, 0.0
    if stretched:
        better, best = y >= 0, y.max()
        logs = np.log((1 + offset) * best / (best - y[better] + offset * best))
        factor = np.sqrt(np.sum(y[better] ** 2) / np.sum(logs**2))
        residual[better] = factor * logs + 0.5
        log_jacobian = np.log(factor / (best - y[better] + offset * best)).sum()
    likelihood = -0.5 * residual @ np.linalg.inv(K) @ residual - 0.5 * np.linalg.slogdet(K)[1]
    deviation = (theta - prior.means(D)) / prior.widths(D)
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

    rest = [found.signal_var, found.noise_var / found.signal_var, found.offset]
    theta = np.log(np.append(found.length_scales, rest))
    assert value(theta) < value(Prior().means(D))
    for step in 0.2 * np.vstack([np.eye(D + 3), -np.eye(D + 3)]):
        assert value(theta + step) > value(theta) - 1e-3


def test_fit_stretches_what_a_logarithm_makes_simple() -> None:
    F = np.random.default_rng(0).random((60, D))
    simple = np.sin(3 * F[:, 0]) + F[:, 1]
    options = {"kernel": KERNELS["matern52"], "groups": GROUPS, "prior_mean": 0.0}
    steep = warp(-np.exp(-4.0 * simple))
    assert fit(F, steep, stretched=True, **options).offset < 0.5
    assert fit(F, warp(simple), stretched=True, **options).offset > 5.0
    assert fit(F, steep, **options).offset == np.inf


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


def test_a_rougher_model_has_shorter_length_scales_and_wider_deviations() -> None:
    F, y = make_data()
    smooth, rough = (Hyperparameters(np.full(D, ell), 1.0, 1e-4) for ell in (0.5, 0.15))
    X = np.random.default_rng(5).random((50, D))
    stds = []
    for hyperparameters, factor in ((smooth, 1.0), (smooth, 0.3), (rough, 1.0)):
        model = KernelModel.condition(
            F,
            y,
            kernel=KERNELS["matern52"],
            hyperparameters=hyperparameters,
            groups=GROUPS,
            prior_mean=0.0,
            factor=factor,
        )
        stds.append(model.mean_and_std(X)[1])
    assert (stds[1] > stds[0]).all()
    np.testing.assert_allclose(stds[1], stds[2], rtol=1e-9)


@pytest.mark.parametrize(("dim", "low", "high"), [(1, 0, 0.09), (2, 0, 0.09), (6, 0.1, 50)])
def test_length_scales_are_as_short_as_points_are_close(dim: int, low: float, high: float) -> None:
    F = np.random.default_rng(0).random((120, dim))
    found = fit(
        F,
        np.sin(60.0 * F[:, 0]),
        kernel=KERNELS["matern52"],
        groups=np.arange(dim),
        prior_mean=0.0,
        noise_var=1e-4,
    )
    assert low * (1 - 1e-9) <= found.length_scales[0] <= high
