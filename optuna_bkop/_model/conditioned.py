"""One kernel model of some values: fitted, then conditioned on them."""

from __future__ import annotations

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain
from optuna_bkop._model.fit import FitCache, Prior
from optuna_bkop._model.kernel_model import Hyperparameters, KernelModel
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._settings import Settings

#: Maximum number of points to which hyperparameters are fitted: the best ones. Every step of a
#: fit costs O(n³), so that this bounds the cost of an ask in long studies.
_MAX_FITTED = 250


def fit_to(
    F: FloatArray,
    y: FloatArray,
    domain: Domain,
    settings: Settings,
    cache: FitCache,
    *,
    prior_mean: float = 0.0,
    stretched: bool = False,
    detailed: bool = False,
    prior: Prior | None = None,
) -> Hyperparameters:
    """Fit hyperparameters to the first `_MAX_FITTED` values y (n,) at features F (n, D)."""
    return cache.fit(
        F[:_MAX_FITTED],
        y[:_MAX_FITTED],
        kernel=settings.kernel,
        groups=domain.groups,
        prior_mean=prior_mean,
        noise_var=settings.noise_var,
        stretched=stretched,
        detailed=detailed,
        prior=prior,
    )


def condition(
    F: FloatArray,
    y: FloatArray,
    hyperparameters: Hyperparameters,
    domain: Domain,
    settings: Settings,
    prior_mean: float = 0.0,
    factor: float = 1.0,
) -> KernelModel:
    """Return the model of values y (n,) at features F (n, D), length scales times ``factor``."""
    return KernelModel.condition(
        F,
        y,
        kernel=KERNELS[settings.kernel],
        hyperparameters=hyperparameters,
        groups=domain.groups,
        prior_mean=prior_mean,
        factor=factor,
    )
