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
from dataclasses import dataclass

import numpy as np

from optuna_bkop._kernels import FloatArray, squared_distances
from optuna_bkop._surrogate import KernelModel, solve_lower

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
        feasibility: A model of each constraint, positive where it is met.
    """

    models: Sequence[KernelModel]
    rkhs_norm: float = 1.0
    form: str = "mean"
    feasibility: Sequence[KernelModel] = ()

    def value(self, F: FloatArray) -> float:
        """The acquisition of a batch of features F (q, D)."""
        return self.value_and_gradient(F)[0]

    def value_and_gradient(self, F: FloatArray) -> tuple[float, FloatArray]:
        """The acquisition of a batch F (q, D) and its gradient (q, D)."""
        value, gradient = 0.0, np.zeros_like(F)
        for model in self.models:
            v, g = _value_and_gradient(model, F, self.rkhs_norm, self.form)
            value += v / len(self.models)
            gradient += g / len(self.models)
        for model in self.feasibility:
            logs, g = _log_feasible_and_gradient(model, F)
            value += float(logs.mean())
            gradient += g / len(F)
        return value, gradient

    def candidates(self, F: FloatArray) -> CandidateScores:
        """The acquisitions of batches that grow by rows of F (m, D)."""
        return CandidateScores(self, F)


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
        upper, d_upper = BatchAcquisition(self.models, 1.0).value_and_gradient(F)
        mean, d_mean = BatchAcquisition(self.models, 0.0).value_and_gradient(F)
        reached, d_reached = self.region.value_and_gradient(F)
        shortfall = min(0.0, reached - self.threshold)
        d_penalty = self._PENALTY * d_reached if shortfall < 0 else np.zeros_like(F)
        return upper - mean + self._PENALTY * shortfall, d_upper - d_mean + d_penalty

    def candidates(self, F: FloatArray) -> Exploration.Scores:
        """Scores of single points, rows of F (m, D)."""
        upper = BatchAcquisition(self.models, 1.0).candidates(F).scores()
        mean = BatchAcquisition(self.models, 0.0).candidates(F).scores()
        shortfall = np.minimum(0.0, self.region.candidates(F).scores() - self.threshold)
        return Exploration.Scores(upper - mean + self._PENALTY * shortfall)

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
    then costs O(m n).
    """

    def __init__(self, acquisition: BatchAcquisition, F: FloatArray) -> None:
        self._acquisition = acquisition
        self._parts = [_Candidates(model, F) for model in acquisition.models]
        self._log_feasible = np.zeros(len(F))
        for model in acquisition.feasibility:
            self._log_feasible += _log_feasible(model, F)
        self._sum_log_feasible = 0.0
        self._size = 0

    def scores(self) -> FloatArray:
        """The acquisitions (m,) of the batch so far with each candidate added."""
        B, form = self._acquisition.rkhs_norm, self._acquisition.form
        total = np.mean([part.scores(B, form) for part in self._parts], axis=0)
        feasible = (self._sum_log_feasible + self._log_feasible) / (self._size + 1)
        result: FloatArray = total + feasible
        return result

    def take(self, index: int) -> None:
        """Add candidate ``index`` to the batch."""
        for part in self._parts:
            part.take(index)
        self._sum_log_feasible += float(self._log_feasible[index])
        self._size += 1

    def copy(self) -> CandidateScores:
        """The batch so far, to be grown differently; what cost most is shared."""
        other = copy(self)
        other._parts = [part.copy() for part in self._parts]
        return other


class _Candidates:
    """One model's part of `CandidateScores`: the sums that the acquisition is made of."""

    def __init__(self, model: KernelModel, F: FloatArray) -> None:
        self._model = model
        self._Z = F * model.inverse_scales
        k = model.cross(self._Z)[0]
        self._V = solve_lower(model.L, k)
        variance = model.signal_var - np.einsum("ij,ij->j", self._V, self._V)
        self._variance = np.maximum(variance, 0.0)
        self._mean = model.prior_mean + k.T @ model.alpha
        self._cross = np.zeros(len(F))  # covariance of each candidate with the batch's sum
        self._size = 0
        self._sum_mean = self._sum_std = self._sum_variance = self._total = 0.0

    def scores(self, B: float, form: str) -> FloatArray:
        q = self._size + 1
        total = np.maximum(self._total + 2.0 * self._cross + self._variance, 0.0)
        if form == "mean":
            spread = 2.0 * (self._sum_std + np.sqrt(self._variance)) / q
        else:
            spread = 2.0 * np.sqrt((self._sum_variance + self._variance) / q)
        result: FloatArray = (self._sum_mean + self._mean) / q + B * (spread - np.sqrt(total) / q)
        return result

    def take(self, index: int) -> None:
        variance = float(self._variance[index])
        self._total += 2.0 * float(self._cross[index]) + variance
        self._sum_mean += float(self._mean[index])
        self._sum_std += math.sqrt(variance)
        self._sum_variance += variance
        self._size += 1
        model = self._model
        prior = model.kernel(squared_distances(self._Z, self._Z[index : index + 1]))[0][:, 0]
        cross = model.signal_var * prior - self._V.T @ self._V[:, index]
        self._cross = self._cross + cross  # a new array: copies share the old one

    def copy(self) -> _Candidates:
        return copy(self)


def _value_and_gradient(
    model: KernelModel, F: FloatArray, B: float, form: str
) -> tuple[float, FloatArray]:
    """One model's acquisition and gradient.

    With W = K⁻¹ k(rows, X):  d m_i = α . dk_i,  d σ_i² = -2 W_i . dk_i,  and
    d(1'C1) = 2 Σ_{j≠i} dk(x_i, x_j) - 2 (Σ_l W_l) . dk_i. All are weights of dk, so they are
    added up first and the derivative of the kernel is applied once.
    """
    q = len(F)
    Z = F * model.inverse_scales
    k, slope = model.cross(Z)
    V = solve_lower(model.L, k)
    W = _solve_upper(model.L, V)
    K_batch, slope_batch = model.kernel(squared_distances(Z, Z))
    C = model.signal_var * K_batch - V.T @ V
    floor = _TINY * model.signal_var
    variance = np.maximum(np.diagonal(C), floor)
    std = np.sqrt(variance)
    total = max(float(C.sum()), floor)

    mean_value = model.prior_mean + float((k.T @ model.alpha).sum()) / q
    if form == "mean":
        spread = 2.0 * float(std.sum()) / q
        d_spread = 1.0 / (q * std)
    else:
        rms = math.sqrt(float(variance.sum()) / q)
        spread = 2.0 * rms
        d_spread = np.full(q, 1.0 / (q * rms))
    value = mean_value + B * (spread - math.sqrt(total) / q)

    d_total = -0.5 / (q * math.sqrt(total))
    d_spread = np.where(np.diagonal(C) > floor, d_spread, 0.0)
    weights = (
        (1.0 / q) * model.alpha[:, None]
        - (2.0 * B) * d_spread * W
        - (2.0 * B * d_total) * W.sum(axis=1, keepdims=True)
    )
    # dk(z, x)/dx = k'(r²) 2 (x - z), in scaled coordinates.
    weights *= 2.0 * slope
    gradient = weights.sum(axis=0)[:, None] * Z - weights.T @ model.Z
    pair_weights = (4.0 * B * d_total * model.signal_var) * slope_batch
    gradient += pair_weights.sum(axis=1)[:, None] * Z - pair_weights @ Z
    return value, gradient * model.inverse_scales


def _log_feasible(model: KernelModel, F: FloatArray) -> FloatArray:
    """The log of P(value + noise > 0) (m,) at features F (m, D)."""
    from scipy.special import log_ndtr

    mean, std = model.mean_and_std(F)
    logs: FloatArray = log_ndtr(mean / np.sqrt(std**2 + model.noise_var + _TINY))
    return logs


def _log_feasible_and_gradient(model: KernelModel, F: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The log of P(value + noise > 0) (q,) of each point, and their sum's gradient (q, D).

    With z = m / s, s² = σ² + noise:  dz = α . dk / s + m W . dk / s³.
    """
    from scipy.special import log_ndtr

    Z = F * model.inverse_scales
    k, slope = model.cross(Z)
    V = solve_lower(model.L, k)
    W = _solve_upper(model.L, V)
    mean = model.prior_mean + k.T @ model.alpha
    variance = np.maximum(model.signal_var - np.einsum("ij,ij->j", V, V), 0.0)
    s = np.sqrt(variance + model.noise_var + _TINY)
    z = mean / s
    logs = log_ndtr(z)
    hazard = np.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - logs)
    weights = hazard * (model.alpha[:, None] / s + mean / s**3 * W) * (2.0 * slope)
    gradient = weights.sum(axis=0)[:, None] * Z - weights.T @ model.Z
    return logs, gradient * model.inverse_scales


def _solve_upper(L: FloatArray, V: FloatArray) -> FloatArray:
    """L'⁻¹ V by back substitution."""
    from scipy.linalg.lapack import dtrtrs

    solution: FloatArray = dtrtrs(L, V, lower=1, trans=1)[0]
    return solution
