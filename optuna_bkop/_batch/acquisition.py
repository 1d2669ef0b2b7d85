"""The acquisition functions of batches.

For a batch X (q, D) with posterior means m_i, deviations σ_i (posterior standard deviations) and
covariance C (q, q), and with B the RKHS norm, Algorithms 2 and 4 of Lyu, Yuan and Tsang maximise

    root mean square ("rms"):  mean(m) + B (2 sqrt(tr(C)/q) - sqrt(1'C1)/q).

This package also has a form with the mean of the deviations in place of their root mean square:

    mean deviation ("mean"):   mean(m) + B ((2/q) Σ_i σ_i    - sqrt(1'C1)/q).

Theorems 2 and 4 hold for the second form too, with a bound that is never looser. Their proof uses
the form twice. (a) At q copies of x* it must equal m(x*) + B σ(x*): there C = σ² 11', so
(2/q) Σ σ_i = 2σ and sqrt(1'C1)/q = σ. (b) The error of the batch's mean is at most B sqrt(1'C1)/q,
which cancels against the last term; only the first term remains. So the regret of a batch is at
most (2B/q) Σ σ_i, which is at most 2B sqrt(tr(C)/q), since a mean is at most the root mean square.
The rest of the proof is unchanged.

For a batch of one point both forms are m + B σ: Algorithms 1 and 3.

To add an acquisition, write a class with the methods of `Acquisition`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.feasibility import FeasibilityStack, stacks
from optuna_bkop._batch.greedy_scores import FixedScores, GreedyScores
from optuna_bkop._batch.joint_value import joint_values, joint_values_and_gradients
from optuna_bkop._batch.successor_scores import SuccessorScores
from optuna_bkop._model.kernel_model import KernelModel
from optuna_bkop._model.scale_ensemble import ScaleEnsemble

FORMS = ("mean", "rms")

#: Weight of the shortfall in `Exploration`. Deviations are at most of order 1, so that this keeps
#: points inside the region.
_PENALTY = 100.0


class Scores(Protocol):
    """Scores of m candidates as the next point of a growing batch."""

    def scores(self) -> FloatArray:
        """Return the acquisitions (m,) of the batch so far with each candidate added."""
        ...

    def take(self, index: int) -> None:
        """Add candidate ``index`` to the batch."""
        ...

    def copy(self) -> Scores:
        """Return an independent copy of the batch so far."""
        ...


class Acquisition(Protocol):
    """A function of batches that is to be maximised. Gradients are with respect to features."""

    def values(self, F: FloatArray) -> FloatArray:
        """Return the values (p,) of batches of features F (p, q, D)."""
        ...

    def values_and_gradients(self, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the values (p,) of batches F (p, q, D), and their gradients (p, q, D)."""
        ...

    def candidates(self, F: FloatArray) -> Scores:
        """Return an object that scores candidates F (m, D) as next points of a growing batch."""
        ...


@dataclass(frozen=True)
class BatchAcquisition:
    """The joint acquisition of a batch, averaged over models.

    With m_i and σ_i the posterior means and deviations of the q points of a batch, C their
    covariance and B the norm, the form "mean" is

        mean(m) + B ((2/q) Σ_i σ_i - sqrt(1'C1)/q).

    The form "rms" has 2 sqrt(tr(C)/q) in place of (2/q) Σ_i σ_i. With constraints, the mean over
    the batch of Σ_k log P(constraint k is met at x_i) is added. This term is near 0 where
    feasibility is likely and a steep barrier where it is not.

    Attributes:
        models: Models of the value, to be maximised. Held points, whose values are unknown, are
            part of their covariance, not of their mean.
        rkhs_norm: Weight B of the deviations; dimensionless, because a deviation has the units of
            the value.
        form: "mean" or "rms".
        feasibility: Models of constraints, and of whether trials succeed instead of failing;
            positive where a constraint is met or a trial succeeds. Success counts as one more
            constraint.
    """

    models: Sequence[KernelModel]
    rkhs_norm: float = 1.0
    form: str = "mean"
    feasibility: Sequence[KernelModel] = ()

    def value(self, F: FloatArray) -> float:
        """Return the acquisition of one batch of features F (q, D)."""
        return float(self.values(F[None])[0])

    def values(self, F: FloatArray) -> FloatArray:
        """Return the acquisitions (p,) of batches of features F (p, q, D)."""
        values = joint_values(self._ensemble, F, self.rkhs_norm, self.form)
        if self.feasibility:
            logs = self._log_feasible(F.reshape(-1, F.shape[2]))
            values += logs.reshape(F.shape[:2]).mean(axis=1)
        return values

    def values_and_gradients(self, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the acquisitions (p,) of batches F (p, q, D), and their gradients (p, q, D)."""
        values, gradients = joint_values_and_gradients(
            self._ensemble, F, self.rkhs_norm, self.form
        )
        for stack in self._feasibility_stacks:
            logs, g = stack.logs_and_gradients(F.reshape(-1, F.shape[2]))
            values += logs.reshape(F.shape[:2]).mean(axis=1)
            gradients += g.reshape(F.shape) / F.shape[1]
        return values, gradients

    def candidates(self, F: FloatArray) -> GreedyScores:
        """Return an object that scores candidates F (m, D) as next points of a growing batch."""
        return GreedyScores(self._ensemble, F, self.rkhs_norm, self.form, self._log_feasible(F))

    def successors(self, F: FloatArray) -> SuccessorScores:
        """Return an object that scores candidates F (m, D) as single points, given those taken."""
        return SuccessorScores(self._ensemble, F, self.rkhs_norm, self._log_feasible(F))

    def _log_feasible(self, F: FloatArray) -> FloatArray:
        logs = np.zeros(len(F))
        for stack in self._feasibility_stacks:
            logs += stack.logs(F)
        return logs

    @cached_property
    def _ensemble(self) -> ScaleEnsemble:
        return ScaleEnsemble(self.models)

    @cached_property
    def _feasibility_stacks(self) -> list[FeasibilityStack]:
        return stacks(self.feasibility)


@dataclass(frozen=True)
class Exploration:
    """The deviation of one point, within the region where another acquisition is high enough.

    Attributes:
        models: Models whose posterior deviations are averaged.
        region: Acquisition that defines the region.
        threshold: Minimum value of ``region``. Where ``region`` is lower, `_PENALTY` times the
            difference is subtracted from the deviation.
    """

    models: Sequence[KernelModel]
    region: BatchAcquisition
    threshold: float

    def values_and_gradients(self, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return values (p,) and gradients (p, 1, D) at single points F (p, 1, D)."""
        deviations, gradients = self._deviation.values_and_gradients(F)
        reached, d_reached = self.region.values_and_gradients(F)
        shortfall = np.minimum(0.0, reached - self.threshold)
        gradients += _PENALTY * (shortfall < 0)[:, None, None] * d_reached
        return deviations + _PENALTY * shortfall, gradients

    def values(self, F: FloatArray) -> FloatArray:
        """Return values (p,) at single points F (p, 1, D)."""
        shortfall = np.minimum(0.0, self.region.values(F) - self.threshold)
        return self._deviation.values(F) + _PENALTY * shortfall

    def candidates(self, F: FloatArray) -> FixedScores:
        """Return an object that scores single points, the rows of F (m, D)."""
        return FixedScores(self.values(F[:, None, :]))

    @cached_property
    def _deviation(self) -> BatchAcquisition:
        # The acquisition of models whose mean is 0 everywhere is their deviation.
        models = [
            replace(model, prior_mean=0.0, alpha=np.zeros_like(model.alpha))
            for model in self.models
        ]
        return BatchAcquisition(models, 1.0)
