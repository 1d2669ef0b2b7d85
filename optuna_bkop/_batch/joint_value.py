"""The value of the joint acquisition and its gradient, for many batches and models at once.

The formulas are in `acquisition`. There are M models, p batches of q points, D features per point,
and n known points: those that were observed, and those that are held.
"""

from __future__ import annotations

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.scale_ensemble import ScaleEnsemble, distance_gradient


def joint_values(
    ensemble: ScaleEnsemble, F: FloatArray, rkhs_norm: float, form: str
) -> FloatArray:
    """Return the joint acquisitions (p,) of batches F (p, q, D), averaged over the models.

    With m the means of a batch, σ its deviations and C its covariance, the acquisition is

        mean(m) + B (2 spread - sqrt(1'C1)/q).

    The spread is the mean of σ in the form "mean", and the root mean square of σ in the form
    "rms", which is that of Lyu, Yuan and Tsang.

    Args:
        ensemble: Models of the value, to be maximised.
        F: Features of p batches of q points.
        rkhs_norm: Weight B of the deviations; dimensionless.
        form: "mean" or "rms".
    """
    p, q, D = F.shape
    Z, k, _, V = ensemble.solve(F.reshape(p * q, D))
    K, _ = ensemble.prior_within(Z.reshape(p, q, D))
    V = _by_batch(V, p)
    std, root_total = _deviations(ensemble, K - np.swapaxes(V, 2, 3) @ V)
    values = _combined(ensemble.mean(k).reshape(-1, p, q), std, root_total, rkhs_norm, form)
    result: FloatArray = values.mean(axis=0)
    return result


def joint_values_and_gradients(
    ensemble: ScaleEnsemble, F: FloatArray, rkhs_norm: float, form: str
) -> tuple[FloatArray, FloatArray]:
    """Return the joint acquisitions (p,) of batches F (p, q, D), and their gradients (p, q, D).

    The acquisition and the arguments are those of `joint_values`. With dk_i the derivatives of the
    covariances of point i with the known points, α the weights of the mean and W = K⁻¹
    k(known, X),

        d m_i = α . dk_i,    d σ_i² = -2 W_i . dk_i,
        d(1'C1) = 2 Σ_{j≠i} dk(x_i, x_j) - 2 (Σ_l W_l) . dk_i.

    All of them multiply dk, so the weights are added up first and the derivative of the kernel is
    applied once.
    """
    p, q, D = F.shape
    Z, k, slope, V = ensemble.solve(F.reshape(p * q, D))
    Z = Z.reshape(p, q, D)
    K, slope_within = ensemble.prior_within(Z)
    W = _by_batch(np.swapaxes(ensemble.L_inverse, 1, 2) @ V, p)
    V = _by_batch(V, p)
    C = K - np.swapaxes(V, 2, 3) @ V
    std, root_total = _deviations(ensemble, C)
    values = _combined(ensemble.mean(k).reshape(-1, p, q), std, root_total, rkhs_norm, form)

    # Derivative in C: the total depends on all entries, the spread on the diagonal.
    d_total = (-0.5 / q) / root_total[..., None, None]
    root = std if form == "mean" else np.sqrt((std * std).sum(axis=-1, keepdims=True) / q)
    is_positive = np.diagonal(C, axis1=2, axis2=3) > ensemble.floor[:, :, None]
    d_spread = np.where(is_positive, 1.0 / (q * root), 0.0)
    d_C = d_total + d_spread[..., None] * np.eye(q)
    weights = ensemble.alpha[:, None] / q - W @ ((2.0 * rkhs_norm) * d_C)
    effects = ensemble.effects
    d_known = weights if effects is None else weights.copy()
    weights *= _by_batch(slope, p)
    within = (2.0 * rkhs_norm) * d_total * slope_within
    gradients = distance_gradient(weights.sum(axis=0), ensemble.Z, Z)
    gradients += distance_gradient(within.sum(axis=0), Z, Z)
    gradients *= ensemble.inverse_scales / len(values)
    if effects is not None:
        R = ensemble.waves(Z)
        d_within = np.broadcast_to((2.0 * rkhs_norm) * d_total, slope_within.shape)
        pull = effects.gradient(d_known, ensemble.R, R) + effects.gradient(d_within, R, R)
        gradients += pull / len(values)
    return values.mean(axis=0), gradients


def _by_batch(A: FloatArray, p: int) -> FloatArray:
    """Return A (M, n, p q), whose last axis runs over all points, as (M, p, n, q)."""
    n_models, n, m = A.shape
    return np.swapaxes(A.reshape(n_models, n, p, m // p), 1, 2)


def _deviations(ensemble: ScaleEnsemble, C: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the deviations (M, p, q) of the values, and those (M, p) of their sums over batches.

    ``C`` (M, p, q, q) are the posterior covariances of p batches of q points in M models.
    """
    std = np.sqrt(np.maximum(np.diagonal(C, axis1=2, axis2=3), ensemble.floor[:, :, None]))
    return std, np.sqrt(np.maximum(C.sum(axis=(2, 3)), ensemble.floor))


def _combined(
    means: FloatArray, std: FloatArray, root_total: FloatArray, rkhs_norm: float, form: str
) -> FloatArray:
    """Return the acquisitions (M, p) from means (M, p, q) and deviations (M, p, q), (M, p)."""
    q = std.shape[-1]
    if form == "mean":
        spread = std.sum(axis=-1) * (2.0 / q)
    else:
        spread = 2.0 * np.sqrt((std * std).sum(axis=-1) / q)
    result: FloatArray = means.sum(axis=-1) / q + rkhs_norm * (spread - root_total / q)
    return result
