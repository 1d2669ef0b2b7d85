"""The models of several objectives: what their kernels can tell."""

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.kernels import DetailedKernel, matern52
from optuna_bkop._model.objectives import FittedObjectives, fit_objectives
from optuna_bkop._settings import Settings

DIM = 8


def sums(U: FloatArray) -> FloatArray:
    """Two objectives without interactions of parameters."""
    waves = np.sin(2.0 * np.pi * U)
    return np.column_stack([waves[:, :4].sum(axis=1), waves[:, 3:].sum(axis=1)])


def rippled(U: FloatArray) -> FloatArray:
    """Two trends with ripples of a fiftieth of the range, along the diagonal."""
    ripples = np.sin(2.0 * np.pi * 50.0 * U.mean(axis=1, keepdims=True))
    return np.column_stack([U[:, 0], -U[:, 0]]) + 0.3 * ripples


def fitted(values: FloatArray, U: FloatArray, *, detail: bool = True) -> FittedObjectives:
    domain = Domain((Parameter(),) * U.shape[1])
    settings = Settings(detail=detail)
    return fit_objectives(U, values, np.empty((len(U), 0)), domain=domain, settings=settings)


def test_objectives_that_are_sums_are_predicted_from_few_trials() -> None:
    rng = np.random.default_rng(0)
    U, X = rng.random((60, DIM)), rng.random((200, DIM))
    found = fitted(sums(U), U)
    for model, values, bend in zip(found.models, sums(X).T, found.data.bends, strict=True):
        y = bend(values)
        # A kernel of distances alone leaves 0.28 and 0.53 of the variance.
        assert np.mean((model.mean(X) - y) ** 2) < 0.2 * y.var()
        assert model.main_share > 0.5


def test_ripples_have_a_kernel_of_their_own_if_the_settings_allow_it() -> None:
    U = np.random.default_rng(1).random((60, 2))
    for model in fitted(rippled(U), U).models:
        assert isinstance(model.kernel, DetailedKernel)
        assert model.kernel.share > 0.1
    for model in fitted(rippled(U), U, detail=False).models:
        assert model.kernel is matern52


def test_good_values_of_infeasible_trials_do_not_set_the_scale_of_an_objective() -> None:
    U = np.random.default_rng(2).random((60, 2))
    is_infeasible = U[:, 0] > 0.8
    values = np.column_stack([U[:, 0], -U[:, 0]])
    values[is_infeasible] = 1e6 * U[is_infeasible]
    domain = Domain((Parameter(),) * 2)
    constraints = np.where(is_infeasible, 1.0, -1.0)[:, None]
    found = fit_objectives(U, values, constraints, domain=domain, settings=Settings())
    spread = np.ptp(found.data.Y[~is_infeasible], axis=0)
    assert (spread > 1.0).all()
