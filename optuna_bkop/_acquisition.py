"""The acquisition functions and their gradients in the whole batch, and nothing else.

For a batch X (q, D) with posterior means m_i, deviations σ_i and covariance C the paper's
Algorithms 2 and 4 maximise, with B the RKHS norm,

    root mean square ("rms"):  mean(m) + B (2 sqrt(tr(C)/q) - sqrt(1'C1)/q),

and this package also the form with the mean of the deviations in place of their root mean square,

    mean deviation ("mean"):   mean(m) + B ((2/q) Σ_i σ_i    - sqrt(1'C1)/q).

Theorems 2 and 4 hold for the second form too, with a bound that is never looser. In their proof
the form is used twice. (a) At q copies of x* it must equal m(x*) + B σ(x*): there C = σ² 11', so
(2/q) Σ σ_i = 2σ and sqrt(1'C1)/q = σ. (b) What remains after the deviation of the sum is bounded
by B sqrt(1'C1)/q is the first term alone, so the regret of a batch is at most (2B/q) Σ σ_i, which
is at most 2B sqrt(tr(C)/q), since a mean is at most the root mean square. The rest is unchanged.

A batch of one makes both forms m + B σ: Algorithms 1 and 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from optuna_bkop._kernels import FloatArray
from optuna_bkop._stack import Stack, distance_gradient
from optuna_bkop._surrogate import KernelModel

FORMS = ("mean", "rms")

#: Candidates that are scored at a time.
_BLOCK = 100


@dataclass(frozen=True)
class BatchAcquisition:
    """The average over models of the joint acquisition of a batch.

    With constraints the mean of Σ_k log P(constraint k is met at x_i) is added: it hardly matters
    where feasibility is likely, and is a steep barrier where it is not.

    Attributes:
        models: The models, each with the held points in its covariance.
        rkhs_norm: B, the weight of the deviations.
        form: "mean" or "rms".
        feasibility: A model of each constraint, and of success, positive where it is met.
    """

    models: Sequence[KernelModel]
    rkhs_norm: float = 1.0
    form: str = "mean"
    feasibility: Sequence[KernelModel] = ()

    def value(self, F: FloatArray) -> float:
        """The acquisition of a batch of features F (q, D)."""
        return float(self.values(F[None])[0])

    def values(self, F: FloatArray) -> FloatArray:
        """The acquisitions (p,) of many batches of features F (p, q, D)."""
        values = _values(self._stack, F, self.rkhs_norm, self.form)
        for stack in self._feasibility_stacks:
            logs = _log_feasible(stack, F.reshape(-1, F.shape[2]))
            values += logs.reshape(F.shape[:2]).mean(axis=1)
        return values

    def values_and_gradients(self, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The acquisitions (p,) of batches F (p, q, D), and their gradients (p, q, D)."""
        values, gradients = _values_and_gradients(self._stack, F, self.rkhs_norm, self.form)
        for stack in self._feasibility_stacks:
            logs, g = _log_feasible_and_gradient(stack, F.reshape(-1, F.shape[2]))
            values += logs.reshape(F.shape[:2]).mean(axis=1)
            gradients += g.reshape(F.shape) / F.shape[1]
        return values, gradients

    def candidates(self, F: FloatArray) -> CandidateScores:
        """The acquisitions of batches that grow by rows of F (m, D)."""
        log_feasible = np.zeros(len(F))
        for stack in self._feasibility_stacks:
            log_feasible += _log_feasible(stack, F)
        return CandidateScores(self._stack, F, self.rkhs_norm, self.form, log_feasible)

    @cached_property
    def _stack(self) -> Stack:
        return Stack(self.models)

    @cached_property
    def _feasibility_stacks(self) -> list[Stack]:
        # One each: they may know different points.
        return [Stack([model]) for model in self.feasibility]


@dataclass(frozen=True)
class Exploration:
    """The deviation of one point, within the region where another acquisition is high enough.

    Attributes:
        models: The models whose deviations are averaged.
        region: The acquisition that decides where exploring is relevant.
        threshold: What it must reach; below, the shortfall counts against a point many times.
    """

    models: Sequence[KernelModel]
    region: BatchAcquisition
    threshold: float

    _PENALTY = 100.0

    def values_and_gradients(self, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values (p,) and gradients (p, 1, D) at many single points F (p, 1, D)."""
        deviations, gradients = self._deviation.values_and_gradients(F)
        reached, d_reached = self.region.values_and_gradients(F)
        shortfall = np.minimum(0.0, reached - self.threshold)
        gradients += self._PENALTY * (shortfall < 0)[:, None, None] * d_reached
        return deviations + self._PENALTY * shortfall, gradients

    def values(self, F: FloatArray) -> FloatArray:
        """Values (p,) at many single points F (p, 1, D)."""
        shortfall = np.minimum(0.0, self.region.values(F) - self.threshold)
        return self._deviation.values(F) + self._PENALTY * shortfall

    def candidates(self, F: FloatArray) -> Exploration.Scores:
        """Scores of single points, rows of F (m, D)."""
        return Exploration.Scores(self.values(F[:, None, :]))

    @cached_property
    def _deviation(self) -> BatchAcquisition:
        # Of models that expect 0 everywhere.
        models = [
            replace(model, prior_mean=0.0, alpha=np.zeros_like(model.alpha))
            for model in self.models
        ]
        return BatchAcquisition(models, 1.0)

    @dataclass(frozen=True)
    class Scores:
        """Scores that do not depend on a batch: exploration goes point by point."""

        values: FloatArray

        def scores(self) -> FloatArray:
            """The scores (m,)."""
            return self.values.copy()

        def take(self, index: int) -> None:
            """Nothing changes."""

        def copy(self) -> Exploration.Scores:
            """Nothing can change, so that the same will do."""
            return self


class CandidateScores:
    """Scores of candidates as the next point of a batch that grows point by point.

    What costs most, the solution with the factor, is done once for all candidates; taking one
    then costs O(m n). Sums have the axis M of the models in front.
    """

    def __init__(
        self, stack: Stack, F: FloatArray, B: float, form: str, log_feasible: FloatArray
    ) -> None:
        self._stack, self._B, self._form = stack, B, form
        self._Z = F * stack.inverse_scales
        n_models, n, _ = stack.L_inverse.shape
        self._V = np.empty((n_models, n, len(F)))
        self._mean = np.empty((n_models, len(F)))
        # In blocks: arrays that are too large for the cache cost several times as much.
        for block in (slice(i, i + _BLOCK) for i in range(0, len(F), _BLOCK)):
            _, k, _, self._V[:, :, block] = stack.solve(F[block])
            self._mean[:, block] = stack.mean(k)
        variance = stack.signal_var[:, 0] - np.einsum("Mij,Mij->Mj", self._V, self._V)
        self._variance = np.maximum(variance, 0.0)
        self._std = np.sqrt(self._variance)
        self._log_feasible = log_feasible
        self._size = 0
        self._cross = np.zeros_like(variance)  # covariance of each candidate with the batch's sum
        self._sum_mean = self._sum_std = self._sum_variance = self._total = np.zeros(
            (len(variance), 1)
        )
        self._sum_log_feasible = 0.0

    def scores(self) -> FloatArray:
        """The acquisitions (m,) of the batch so far with each candidate added."""
        q = self._size + 1
        total = np.maximum(self._total + 2.0 * self._cross + self._variance, 0.0)
        if self._form == "mean":
            spread = (self._sum_std + self._std) * (2.0 / q)
        else:
            spread = 2.0 * np.sqrt((self._sum_variance + self._variance) / q)
        value = (self._sum_mean + self._mean) / q + self._B * (spread - np.sqrt(total) / q)
        feasible = (self._sum_log_feasible + self._log_feasible) / q
        result: FloatArray = value.mean(axis=0) + feasible
        return result

    def take(self, index: int) -> None:
        """Add candidate ``index`` to the batch."""
        one = slice(index, index + 1)
        self._size += 1
        self._sum_log_feasible += float(self._log_feasible[index])
        # New arrays: copies share the old ones.
        self._total = self._total + 2.0 * self._cross[:, one] + self._variance[:, one]
        self._sum_mean = self._sum_mean + self._mean[:, one]
        self._sum_std = self._sum_std + self._std[:, one]
        self._sum_variance = self._sum_variance + self._variance[:, one]
        prior = self._stack.prior(self._Z[one], self._Z)[0]
        known = np.swapaxes(self._V[:, :, one], 1, 2) @ self._V
        self._cross = self._cross + (prior - known)[:, 0]

    def copy(self) -> CandidateScores:
        """The batch so far, to be grown differently; what cost most is shared."""
        return copy(self)


def _values(stack: Stack, F: FloatArray, B: float, form: str) -> FloatArray:
    """The averages (p,) of the models' acquisitions of batches F (p, q, D)."""
    p, q, D = F.shape
    Z, k, _, V = stack.solve(F.reshape(p * q, D))
    K, _ = stack.prior_within(Z.reshape(p, q, D))
    V = _by_batch(V, p)
    std, root_total = _deviations(stack, K - np.swapaxes(V, 2, 3) @ V)
    values = _combined(stack.mean(k).reshape(-1, p, q), std, root_total, B, form)
    result: FloatArray = values.mean(axis=0)
    return result


def _values_and_gradients(
    stack: Stack, F: FloatArray, B: float, form: str
) -> tuple[FloatArray, FloatArray]:
    """The averages (p,) of the models' acquisitions, and their gradients (p, q, D).

    With W = K⁻¹ k(rows, X):  d m_i = α . dk_i,  d σ_i² = -2 W_i . dk_i,  and
    d(1'C1) = 2 Σ_{j≠i} dk(x_i, x_j) - 2 (Σ_l W_l) . dk_i. All are weights of dk, so they are
    added up first and the derivative of the kernel is applied once.
    """
    p, q, D = F.shape
    Z, k, slope, V = stack.solve(F.reshape(p * q, D))
    Z = Z.reshape(p, q, D)
    K, slope_within = stack.prior_within(Z)
    W = _by_batch(np.swapaxes(stack.L_inverse, 1, 2) @ V, p)
    V = _by_batch(V, p)
    C = K - np.swapaxes(V, 2, 3) @ V
    std, root_total = _deviations(stack, C)
    values = _combined(stack.mean(k).reshape(-1, p, q), std, root_total, B, form)

    # The derivative in C: of the total in all its entries, of the spread on the diagonal.
    d_total = (-0.5 / q) / root_total[..., None, None]
    root = std if form == "mean" else np.sqrt((std * std).sum(axis=-1, keepdims=True) / q)
    is_positive = np.diagonal(C, axis1=2, axis2=3) > stack.floor[:, :, None]
    d_spread = np.where(is_positive, 1.0 / (q * root), 0.0)
    d_C = d_total + d_spread[..., None] * np.eye(q)
    weights = stack.alpha[:, None] / q - W @ ((2.0 * B) * d_C)
    weights *= _by_batch(slope, p)
    within = (2.0 * B) * d_total * slope_within
    gradients = distance_gradient(weights.sum(axis=0), stack.Z, Z)
    gradients += distance_gradient(within.sum(axis=0), Z, Z)
    gradients *= stack.inverse_scales / len(values)
    return values.mean(axis=0), gradients


def _by_batch(A: FloatArray, p: int) -> FloatArray:
    """A (M, n, p q) of all points as (M, p, n, q) of p batches."""
    n_models, n, m = A.shape
    return np.swapaxes(A.reshape(n_models, n, p, m // p), 1, 2)


def _deviations(stack: Stack, C: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of covariances C (M, p, q, q): of each point (M, p, q), and of the batches' sums (M, p)."""
    std = np.sqrt(np.maximum(np.diagonal(C, axis1=2, axis2=3), stack.floor[:, :, None]))
    return std, np.sqrt(np.maximum(C.sum(axis=(2, 3)), stack.floor))


def _combined(
    means: FloatArray, std: FloatArray, root_total: FloatArray, B: float, form: str
) -> FloatArray:
    """The models' acquisitions (M, p) of means and deviations (M, p, q)."""
    q = std.shape[-1]
    if form == "mean":
        spread = std.sum(axis=-1) * (2.0 / q)
    else:
        spread = 2.0 * np.sqrt((std * std).sum(axis=-1) / q)
    result: FloatArray = means.sum(axis=-1) / q + B * (spread - root_total / q)
    return result


def _log_feasible(stack: Stack, F: FloatArray) -> FloatArray:
    """The log of P(value + noise > 0) (m,) at features F (m, D)."""
    from scipy.special import log_ndtr

    mean, deviation = _mean_and_deviation(stack, *stack.solve(F)[1::2])
    logs: FloatArray = log_ndtr(mean / deviation)
    return logs


def _log_feasible_and_gradient(stack: Stack, F: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The log of P(value + noise > 0) (q,) of each point, and their sum's gradient (q, D).

    With z = m / s, s² = σ² + noise:  dz = α . dk / s + m W . dk / s³.
    """
    from scipy.special import log_ndtr

    Z, k, slope, V = stack.solve(F)
    W = np.swapaxes(stack.L_inverse, 1, 2) @ V
    mean, s = _mean_and_deviation(stack, k, V)
    z = mean / s
    logs = log_ndtr(z)
    hazard = np.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - logs)
    weights = hazard * (stack.alpha / s + mean / s**3 * W) * slope
    return logs, distance_gradient(weights[0], stack.Z, Z) * stack.inverse_scales


def _mean_and_deviation(
    stack: Stack, k: FloatArray, V: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Of value + noise, (m,) each, for a stack of one model."""
    variance = stack.signal_var[0, 0] - np.einsum("ij,ij->j", V[0], V[0])
    return stack.mean(k)[0], np.sqrt(np.maximum(variance, stack.floor[0]) + stack.noise_var[0, 0])
