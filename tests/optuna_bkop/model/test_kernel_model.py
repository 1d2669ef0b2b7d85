"""The kernel model against plain matrix inverses."""

import numpy as np
import pytest

from optuna_bkop._model.kernel_model import Hyperparameters, KernelModel
from optuna_bkop._model.kernels import KERNELS, DetailedKernel, squared_distances
from optuna_bkop._model.linalg import cholesky
from optuna_bkop._model.main_effects import MainEffects, waves

D = 3
GROUPS = np.arange(D)
kernels = pytest.mark.parametrize("name", KERNELS)


def make_data(n: int = 15, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    F = rng.random((n, D))
    return F, np.sin(4 * F[:, 0]) + F[:, 1] ** 2


def make_model(name: str, noise_var: float, n: int = 15, main: float = 0.0) -> KernelModel:
    F, y = make_data(n)
    hyperparameters = Hyperparameters(
        np.array([0.4, 0.7, 2.0]), 1.7, noise_var, main=main, main_ratio=0.5
    )
    return KernelModel.condition(
        F,
        y,
        kernel=KERNELS[name],
        hyperparameters=hyperparameters,
        groups=GROUPS,
        prior_mean=-0.5,
    )


def naive_posterior(
    name: str,
    noise_var: float,
    F: np.ndarray,
    y: np.ndarray,
    X: np.ndarray,
    main: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Equations 4, 8, 12 and 16 with an inverse, for the parameters of `make_model`."""
    ell = np.array([0.4, 0.7, 2.0])

    def k(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        effects = MainEffects.of(0.5 * ell, GROUPS)
        k_main = (waves(A) * effects.weights) @ waves(B).T + effects.constant
        k0 = KERNELS[name](squared_distances(A / ell, B / ell))[0]
        return 1.7 * ((1.0 - main) * k0 + main * k_main)

    inverse = np.linalg.inv(k(F, F) + noise_var * np.eye(len(F)))
    K_x = k(F, X)
    return -0.5 + K_x.T @ inverse @ (y + 0.5), k(X, X) - K_x.T @ inverse @ K_x


@kernels
@pytest.mark.parametrize("noise_var", [0.0, 0.03])
@pytest.mark.parametrize("main", [0.0, 0.6])
def test_posterior_equals_the_one_by_an_inverse(name: str, noise_var: float, main: float) -> None:
    model = make_model(name, noise_var, main=main)
    X = np.random.default_rng(1).random((7, D))
    mean, cov = naive_posterior(name, noise_var, *make_data(), X, main)
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
    held = model.hold(F_held)
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
    np.testing.assert_allclose(model.hold(F_held).L, rebuilt.L, atol=1e-12)
    one_by_one = model.hold(F_held[:1]).hold(F_held[1:])
    np.testing.assert_allclose(one_by_one.L, rebuilt.L, atol=1e-12)


@kernels
def test_a_model_with_a_detail_has_the_detailed_kernel(name: str) -> None:
    F, y = make_data()
    detailed, plain = (
        KernelModel.condition(
            F,
            y,
            kernel=KERNELS[name],
            hyperparameters=Hyperparameters(np.full(D, 0.5), 1.0, 0.01, detail=detail),
            groups=GROUPS,
            prior_mean=0.0,
        )
        for detail in (0.4, 0.0)
    )
    assert detailed.kernel == DetailedKernel(KERNELS[name], 0.4)
    assert plain.kernel == KERNELS[name]


def test_holding_nothing_changes_nothing() -> None:
    model = make_model("matern52", 0.03)
    assert model.hold(np.empty((0, D))) is model


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
    assert np.isfinite(model.hold(F[:5]).cov(F)).all()


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
