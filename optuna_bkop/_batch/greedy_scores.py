"""Scores candidates, given by their features, as the next point of a growing batch."""

from __future__ import annotations

from copy import copy

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.scale_ensemble import ScaleEnsemble

#: Number of candidates that are scored at a time: their covariances then fit into the cache.
_BLOCK = 100


def whitened(ensemble: ScaleEnsemble, F: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return V = L⁻¹ k (M, n, m), and posterior means and variances (M, m) at features F (m, D).

    M is the number of models, L the Cholesky factor of a model's kernel matrix of n known points,
    noise included, and k the prior covariance of these points and F. The variances are those of
    the function without noise; none is negative. All are in units of the transformed values.
    """
    n_models, n, _ = ensemble.L_inverse.shape
    V = np.empty((n_models, n, len(F)))
    mean = np.empty((n_models, len(F)))
    # Arrays that do not fit into the processor's cache cost several times as much.
    for block in (slice(i, i + _BLOCK) for i in range(0, len(F), _BLOCK)):
        _, k, _, V[:, :, block] = ensemble.solve(F[block])
        mean[:, block] = ensemble.mean(k)
    variance = ensemble.signal_var[:, 0] - np.einsum("Mij,Mij->Mj", V, V)
    return V, mean, np.maximum(variance, 0.0)


class GreedyScores:
    """Scores of m candidates as the next point of a batch that grows point by point.

    The score of a candidate is the joint acquisition (see `BatchAcquisition`) of the batch so far
    with it. The expensive step, the solution with the Cholesky factor, is done once for all
    candidates. Adding a candidate to the batch then costs O(m n) with n known points. Arrays have
    the models as first axis, M.

    Args:
        ensemble: The models of the value.
        F: Features (m, D) of the candidates.
        rkhs_norm: Weight B of the deviations.
        form: How the posterior standard deviations of a batch are combined: "mean", or "rms" for
            the root mean square.
        log_feasible: Log probability (m,) that each candidate meets all constraints.
    """

    def __init__(
        self,
        ensemble: ScaleEnsemble,
        F: FloatArray,
        rkhs_norm: float,
        form: str,
        log_feasible: FloatArray,
    ) -> None:
        self._ensemble, self._rkhs_norm, self._form = ensemble, rkhs_norm, form
        self._Z = F * ensemble.inverse_scales
        self._V, self._mean, self._variance = whitened(ensemble, F)
        self._std = np.sqrt(self._variance)
        self._log_feasible = log_feasible
        self._size = 0
        # Covariance of each candidate with the sum over the batch.
        self._cross = np.zeros_like(self._variance)
        self._sum_mean = self._sum_std = self._sum_variance = self._total = np.zeros(
            (len(self._variance), 1)
        )
        self._sum_log_feasible = 0.0

    def scores(self) -> FloatArray:
        """Return the acquisitions (m,) of the batch so far with each candidate added."""
        q = self._size + 1
        total = np.maximum(self._total + 2.0 * self._cross + self._variance, 0.0)
        if self._form == "mean":
            spread = (self._sum_std + self._std) * (2.0 / q)
        else:
            spread = 2.0 * np.sqrt((self._sum_variance + self._variance) / q)
        value = (self._sum_mean + self._mean) / q + self._rkhs_norm * (spread - np.sqrt(total) / q)
        feasible = (self._sum_log_feasible + self._log_feasible) / q
        result: FloatArray = value.mean(axis=0) + feasible
        return result

    def take(self, index: int) -> None:
        """Add candidate ``index`` to the batch."""
        one = slice(index, index + 1)
        self._size += 1
        self._sum_log_feasible += float(self._log_feasible[index])
        # Assign new arrays, because copies share the old ones.
        self._total = self._total + 2.0 * self._cross[:, one] + self._variance[:, one]
        self._sum_mean = self._sum_mean + self._mean[:, one]
        self._sum_std = self._sum_std + self._std[:, one]
        self._sum_variance = self._sum_variance + self._variance[:, one]
        prior = self._ensemble.prior(self._Z[one], self._Z)[0]
        known = np.swapaxes(self._V[:, :, one], 1, 2) @ self._V
        self._cross = self._cross + (prior - known)[:, 0]

    def copy(self) -> GreedyScores:
        """Return an independent copy of the batch so far; the large arrays are shared."""
        return copy(self)


class FixedScores:
    """Scores (m,) that do not depend on the batch, for acquisitions of single points."""

    def __init__(self, values: FloatArray) -> None:
        self._values = values

    def scores(self) -> FloatArray:
        """Return the scores (m,) of all candidates."""
        return self._values.copy()

    def take(self, index: int) -> None:
        """Do nothing: the batch does not matter."""

    def copy(self) -> FixedScores:
        """Return the same object: it never changes."""
        return self
