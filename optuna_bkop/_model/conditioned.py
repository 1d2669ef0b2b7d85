"""One kernel model of some values: fitted, then conditioned on them."""

from __future__ import annotations

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain
from optuna_bkop._model.fit import FitCache
from optuna_bkop._model.kernel_model import Hyperparameters, KernelModel
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._model.prior import Prior
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
    main_effects: bool = False,
    prior: Prior | None = None,
) -> Hyperparameters:
    """Fit hyperparameters to the first `_MAX_FITTED` values y (n,) at features F (n, D).

    Args:
        F: Features of the observed points, best point first.
        y: Their values, to be maximised.
        domain: Says which features share a length scale.
        settings: Contains the kernel and the noise variance.
        cache: Remembers hyperparameters of earlier fits.
        prior_mean: Mean of the values far from all data.
        stretched: Whether to fit the offset of the logarithmic `stretch` of the values as well.
        detailed: Whether to fit the share of a second, short length scale as well.
        main_effects: Whether to fit the share and the length scales of `MainEffects` as well.
        prior: Prior of the hyperparameters. If None, `Prior()`.
    """
    return cache.fit(
        F[:_MAX_FITTED],
        y[:_MAX_FITTED],
        kernel=settings.kernel,
        groups=domain.groups,
        prior_mean=prior_mean,
        noise_var=settings.noise_var,
        stretched=stretched,
        detailed=detailed,
        main_effects=main_effects,
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
    """Return the kernel model of values y (n,) at features F (n, D), without fitting anything.

    Args:
        F: Features of the observed points.
        y: Their values, to be maximised.
        hyperparameters: Length scales, signal and noise variance, from an earlier fit.
        domain: Says which features share a length scale.
        settings: Contains the kernel.
        prior_mean: Mean of the values far from all data, in the units of y.
        factor: Multiplier of all length scales. Values below 1 give models that trust the data in
            a smaller neighbourhood; an acquisition is averaged over models with several factors.
    """
    return KernelModel.condition(
        F,
        y,
        kernel=KERNELS[settings.kernel],
        hyperparameters=hyperparameters,
        groups=domain.groups,
        prior_mean=prior_mean,
        factor=factor,
    )
