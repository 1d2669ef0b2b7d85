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

from optuna_bkop._kernels import FloatArray, squared_distances
from optuna_bkop._stack import Stack, distance_gradient
from optuna_bkop._surrogate import KernelModel

FORMS = ("mean", "rms")

#: Variances below this share of the prior's are taken for zero.
_TINY = 1e-12


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

    def value_and_gradient(self, F: FloatArray) -> tuple[float, FloatArray]:
        """The acquisition of a batch F (q, D) and its gradient (q, D)."""
        value, gradient = _value_and_gradient(self._stack, F, self.rkhs_norm, self.form)
        for stack in self._feasibility_stacks:
            logs, g = _log_feasible_and_gradient(stack, F)
            value += float(logs.mean())
            gradient += g / len(F)
        return value, gradient

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

    def value_and_gradient(self, F: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient (1, D) at one point F (1, D)."""
        deviation, gradient = self._deviation.value_and_gradient(F)
        reached, d_reached = self.region.value_and_gradient(F)
        shortfall = min(0.0, reached - self.threshold)
        if shortfall < 0:
            gradient += self._PENALTY * d_reached
        return deviation + self._PENALTY * shortfall, gradient

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
        self._Z, k, _, self._V = stack.solve(F)
        variance = stack.signal_var[:, 0] - np.einsum("Mij,Mij->Mj", self._V, self._V)
        self._variance = np.maximum(variance, 0.0)
        self._std = np.sqrt(self._variance)
        self._mean = stack.mean(k)
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
        prior = self._stack.prior(self._Z[:, one], self._Z)[0]
        known = np.swapaxes(self._V[:, :, one], 1, 2) @ self._V
        self._cross = self._cross + (prior - known)[:, 0]

    def copy(self) -> CandidateScores:
        """The batch so far, to be grown differently; what cost most is shared."""
        return copy(self)


def _spread(std: FloatArray, form: str) -> FloatArray:
    """Twice the mean, or the root mean square, of deviations (..., q)."""
    result: FloatArray = 2.0 * (
        std.mean(axis=-1) if form == "mean" else np.sqrt(np.mean(std * std, axis=-1))
    )
    return result


def _values(stack: Stack, F: FloatArray, B: float, form: str) -> FloatArray:
    """The averages (p,) of the models' acquisitions of batches F (p, q, D)."""
    p, q, D = F.shape
    n_models, n, _ = stack.Z.shape
    Z, k, _, V = stack.solve(F.reshape(p * q, D))
    Z = Z.reshape(n_models, p, q, D)
    V = np.swapaxes(V.reshape(n_models, n, p, q), 1, 2)
    signal_var = stack.signal_var[..., None]
    C = signal_var * stack.kernel(squared_distances(Z, Z))[0] - np.swapaxes(V, 2, 3) @ V
    floor = _TINY * signal_var[..., 0]
    std = np.sqrt(np.maximum(np.diagonal(C, axis1=2, axis2=3), floor))
    root_total = np.sqrt(np.maximum(C.sum(axis=(2, 3)), floor[..., 0]))
    means = stack.mean(k).reshape(n_models, p, q).mean(axis=2)
    result: FloatArray = (means + B * (_spread(std, form) - root_total / q)).mean(axis=0)
    return result


def _value_and_gradient(
    stack: Stack, F: FloatArray, B: float, form: str
) -> tuple[float, FloatArray]:
    """The average of the models' acquisitions, and its gradient (q, D).

    With W = K⁻¹ k(rows, X):  d m_i = α . dk_i,  d σ_i² = -2 W_i . dk_i,  and
    d(1'C1) = 2 Σ_{j≠i} dk(x_i, x_j) - 2 (Σ_l W_l) . dk_i. All are weights of dk, so they are
    added up first and the derivative of the kernel is applied once.
    """
    q, (n_models, n, _) = len(F), stack.Z.shape
    Z = F * stack.inverse_scales
    rows = np.concatenate((stack.Z, Z), axis=1)
    K, slope = stack.prior(rows, Z)
    k, K_batch = K[:, :n], K[:, n:]
    V = stack.L_inverse @ k
    W = np.swapaxes(stack.L_inverse, 1, 2) @ V
    C = K_batch - np.swapaxes(V, 1, 2) @ V
    floor = _TINY * stack.signal_var[:, :, 0]
    diagonal = np.diagonal(C, axis1=1, axis2=2)
    std = np.sqrt(np.maximum(diagonal, floor))
    root_total = np.sqrt(np.maximum(C.sum(axis=(1, 2))[:, None], floor))

    spread = _spread(std, form)
    root = std if form == "mean" else 0.5 * spread[:, None]
    values = stack.mean(k).sum(axis=1) / q + B * (spread - root_total[:, 0] / q)

    # The derivative in C: of the total in all its entries, of the spread on the diagonal.
    d_total = (-0.5 / q) / root_total[:, :, None]
    d_spread = np.where(diagonal > floor, 1.0 / (q * root), 0.0)
    d_C = d_total + d_spread[:, :, None] * np.eye(q)
    weights = np.empty_like(K)
    weights[:, :n] = stack.alpha / q - W @ ((2.0 * B) * d_C)
    weights[:, n:] = (2.0 * B) * d_total
    gradient = distance_gradient(weights * slope, rows, Z) * stack.inverse_scales
    return float(values.sum()) / n_models, gradient.sum(axis=0) / n_models


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
    return logs, (distance_gradient(weights, stack.Z, Z) * stack.inverse_scales)[0]


def _mean_and_deviation(
    stack: Stack, k: FloatArray, V: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Of value + noise, (m,) each, for a stack of one model."""
    variance = np.maximum(stack.signal_var[0, 0] - np.einsum("ij,ij->j", V[0], V[0]), 0.0)
    return stack.mean(k)[0], np.sqrt(variance + stack.noise_var[0, 0] + _TINY)
