"""The acquisition of several objectives: the logarithm of the expected hypervolume improvement.

A point whose objective vector is z improves the hypervolume by the volume of what z dominates and
the front does not. With the boxes [l, u) of `boxes`, this is Σ_boxes Π_k (min(z_k, u_k) - l_k)₊.
The models of the objectives are independent, so that the expectation of a product is the product
of the expectations, and no sampling is needed:

    EHVI = Σ_boxes Π_k (ψ_k(l_k) - ψ_k(u_k)),   ψ_k(c) = E (z_k - c)₊ = σ_k (a Φ(a) + φ(a)),

with a = (m_k - c) / σ_k and ψ(∞) = 0. The derivatives of ψ are Φ(a) in m_k and φ(a) in σ_k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.boxes import Boxes
from optuna_bkop._batch.feasibility import FeasibilityStack, stacks
from optuna_bkop._batch.greedy_scores import FixedScores
from optuna_bkop._model.kernel_model import KernelModel
from optuna_bkop._model.scale_ensemble import ScaleEnsemble, distance_gradient

#: Improvements below this count as this, and have no gradient.
_TINY = 1e-300
#: Number of points times boxes that are evaluated at a time, to bound the memory.
_BLOCK = 200_000


@dataclass(frozen=True)
class FrontImprovement:
    """Logarithm of the expected hypervolume improvement of single points.

    All objectives are to be maximised. With constraints, Σ_k log P(constraint k is met) is added.
    Whether a trial succeeds instead of failing counts as one more constraint.

    Attributes:
        models: One model per objective. Points of running trials are part of their covariance and
            have no influence on their mean.
        boxes: Disjoint boxes that cover the part of objective space that the front does not
            dominate.
        feasibility: Models of constraints and of success, positive where a constraint is met or a
            trial succeeds.
    """

    models: Sequence[KernelModel]
    boxes: Boxes
    feasibility: Sequence[KernelModel] = ()

    def values(self, F: FloatArray) -> FloatArray:
        """Return the values (p,) of single points F (p, 1, D)."""
        F = F[:, 0]
        means, stds = self._posterior(F)
        size = max(1, _BLOCK // len(self.boxes.lower))
        values: FloatArray = np.concatenate(
            [
                self._improvement(means[i : i + size], stds[i : i + size])
                for i in range(0, len(F), size)
            ]
        )
        values = np.log(np.maximum(values, _TINY))
        for stack in self._feasibility_stacks:
            values += stack.logs(F)
        return values

    def values_and_gradients(self, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the values (p,) of single points F (p, 1, D), and their gradients (p, 1, D)."""
        F = F[:, 0]
        solved = [ensemble.solve(F) for ensemble in self._ensembles]
        moments = [
            _moments(ensemble, k, V)
            for ensemble, (_, k, _, V) in zip(self._ensembles, solved, strict=True)
        ]
        means, stds = (np.column_stack(column) for column in zip(*moments, strict=True))
        improvement, d_means, d_stds = self._improvement_and_slopes(means, stds)
        is_positive = improvement > _TINY
        inverse = np.where(is_positive, 1.0 / np.maximum(improvement, _TINY), 0.0)
        values = np.log(np.maximum(improvement, _TINY))
        gradients = np.zeros_like(F)
        for j, ensemble in enumerate(self._ensembles):
            Z, _, slope, V = solved[j]
            # dm = α . dk and dσ = -W . dk / σ, W = K⁻¹ k.
            W = ensemble.L_inverse[0].T @ V[0]
            by_mean, by_std = inverse * d_means[:, j], inverse * d_stds[:, j] / stds[:, j]
            weights = ensemble.alpha[0] * by_mean - W * by_std
            pull = distance_gradient(weights * slope[0], ensemble.Z, Z)
            gradients += pull * ensemble.inverse_scales
            if ensemble.effects is not None:
                gradients += ensemble.effects.gradient(
                    weights[None], ensemble.R, ensemble.waves(Z)
                )
        for stack in self._feasibility_stacks:
            logs, g = stack.logs_and_gradients(F)
            values += logs
            gradients += g
        return values, gradients[:, None]

    def candidates(self, F: FloatArray) -> FixedScores:
        """Return the values of single points, rows of F (m, D), as scores to choose one by."""
        return FixedScores(self.values(F[:, None, :]))

    @cached_property
    def _ensembles(self) -> list[ScaleEnsemble]:
        # One ensemble per model, because each has its own length scales.
        return [ScaleEnsemble([model]) for model in self.models]

    @cached_property
    def _feasibility_stacks(self) -> list[FeasibilityStack]:
        return stacks(self.feasibility)

    @cached_property
    def _corners(self) -> list[tuple[FloatArray, NDArray[np.int64], NDArray[np.int64]]]:
        """Per objective: distinct corner values (c,), and indices (b,) of lower and upper ones.

        Corners are those of the b boxes, which share most of them. So ψ, the expected improvement
        over a corner, is computed once for each value. Infinity is the last value.
        """
        corners = []
        for low, high in zip(self.boxes.lower.T, self.boxes.upper.T, strict=True):
            values, index = np.unique(np.concatenate([low, high]), return_inverse=True)
            corners.append((values, index[: len(low)], index[len(low) :]))
        return corners

    def _posterior(self, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return means and deviations (p, m) of the objectives at features F (p, D)."""
        columns = []
        for ensemble in self._ensembles:
            _, k, _, V = ensemble.solve(F)
            columns.append(_moments(ensemble, k, V))
        means, stds = zip(*columns, strict=True)
        return np.column_stack(means), np.column_stack(stds)

    def _improvement(self, means: FloatArray, stds: FloatArray) -> FloatArray:
        """Return the expected improvements (p,) for means and deviations (p, m)."""
        product: FloatArray | float = 1.0
        for j, (corners, low, high) in enumerate(self._corners):
            psi = _psi(means[:, j], stds[:, j], corners)[0]
            product = product * np.maximum(psi[:, low] - psi[:, high], 0.0)
        result: FloatArray = np.sum(product, axis=1)
        return result

    def _improvement_and_slopes(
        self, means: FloatArray, stds: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the improvements (p,), and their derivatives (p, m) in means and deviations."""
        factors, slopes = [], []
        for j, (corners, low, high) in enumerate(self._corners):
            psi, by_mean, by_std = _psi(means[:, j], stds[:, j], corners)
            factors.append(np.maximum(psi[:, low] - psi[:, high], 0.0))
            slopes.append((by_mean[:, low] - by_mean[:, high], by_std[:, low] - by_std[:, high]))
        d_means, d_stds = np.empty_like(means), np.empty_like(stds)
        others: FloatArray = np.ones_like(factors[0])
        for j, (by_mean, by_std) in enumerate(slopes):
            others = math.prod(factors[:j] + factors[j + 1 :], start=np.ones_like(factors[0]))
            d_means[:, j] = np.einsum("pb,pb->p", others, by_mean)
            d_stds[:, j] = np.einsum("pb,pb->p", others, by_std)
        return np.einsum("pb,pb->p", others, factors[-1]), d_means, d_stds


def _moments(
    ensemble: ScaleEnsemble, k: FloatArray, V: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return means (p,) and deviations (p,) at p points of an ensemble of one model.

    ``k`` (1, n, p) is the prior covariance of the n known points and the p points, and ``V`` is
    L⁻¹ k with the Cholesky factor L of the kernel matrix.
    """
    variance = ensemble.signal_var[0, 0] - np.einsum("ij,ij->j", V[0], V[0])
    return ensemble.mean(k)[0], np.sqrt(np.maximum(variance, ensemble.floor[0]))


def _psi(
    mean: FloatArray, std: FloatArray, corners: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return ψ(c) = E (z - c)₊ for z ~ N(mean, std²), and its derivatives in mean and std.

    Means and deviations are (p,), the corner values c are (b,), and each result is (p, b).
    """
    from scipy.special import ndtr

    a = (mean[:, None] - corners) / std[:, None]
    Phi = ndtr(a)
    phi = np.exp(-0.5 * a * a) / math.sqrt(2.0 * math.pi)
    # At an infinite corner a Φ(a) would be -∞ times 0.
    return std[:, None] * (np.where(np.isinf(a), 0.0, a) * Phi + phi), Phi, phi
