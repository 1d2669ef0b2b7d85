"""Computes the probability that a point meets a constraint.

The model of a constraint is positive where the constraint is met.
"""

from __future__ import annotations

import math

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.scale_ensemble import ScaleEnsemble, distance_gradient


def log_feasible(ensemble: ScaleEnsemble, F: FloatArray) -> FloatArray:
    """Return log P(value + noise > 0) (m,) at features F (m, D)."""
    from scipy.special import log_ndtr

    mean, deviation = _mean_and_deviation(ensemble, *ensemble.solve(F)[1::2])
    logs: FloatArray = log_ndtr(mean / deviation)
    return logs


def log_feasible_and_gradient(
    ensemble: ScaleEnsemble, F: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return log P(value + noise > 0) (m,) at features F (m, D), and its gradients (m, D).

    With z = m / s, s² = σ² + noise:  dz = α . dk / s + m W . dk / s³.
    """
    from scipy.special import log_ndtr

    Z, k, slope, V = ensemble.solve(F)
    W = np.swapaxes(ensemble.L_inverse, 1, 2) @ V
    mean, s = _mean_and_deviation(ensemble, k, V)
    z = mean / s
    logs = log_ndtr(z)
    hazard = np.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - logs)
    weights = hazard * (ensemble.alpha / s + mean / s**3 * W) * slope
    return logs, distance_gradient(weights[0], ensemble.Z, Z) * ensemble.inverse_scales


def _mean_and_deviation(
    ensemble: ScaleEnsemble, k: FloatArray, V: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean and deviation, (m,) each, of value + noise, for an ensemble of one model."""
    variance = ensemble.signal_var[0, 0] - np.einsum("ij,ij->j", V[0], V[0])
    return ensemble.mean(k)[0], np.sqrt(
        np.maximum(variance, ensemble.floor[0]) + ensemble.noise_var[0, 0]
    )
