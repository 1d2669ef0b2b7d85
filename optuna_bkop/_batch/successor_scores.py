"""Scores candidates as single points, each of which is chosen given all points before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.greedy_scores import whitened
from optuna_bkop._model.scale_ensemble import ScaleEnsemble

#: Two points with a higher prior correlation are copies of each other: they are about a ninth of
#: a length scale apart.
COPY = 0.99


class SuccessorScores:
    """Scores μ + B σ of m candidates, where σ is the deviation given all points taken so far.

    μ is the posterior mean, averaged over the models like the score. The log probability of
    feasibility is added. Taking a candidate adds a row to V = L⁻¹ k, which costs O(m n) with n
    known points; the model is not factorised again. A candidate is a copy of a taken point if
    their prior correlation is above `COPY` in every model. Copies are closed: their score is -inf.
    Arrays have the models as first axis, M.

    Args:
        ensemble: The models of the value.
        F: Features (m, D) of the candidates.
        rkhs_norm: Weight B of the deviations.
        log_feasible: Log probability (m,) that each candidate meets all constraints.
    """

    def __init__(
        self,
        ensemble: ScaleEnsemble,
        F: FloatArray,
        rkhs_norm: float,
        log_feasible: FloatArray,
    ) -> None:
        self._ensemble, self._rkhs_norm, self._log_feasible = ensemble, rkhs_norm, log_feasible
        self._Z = F * ensemble.inverse_scales
        self._V, self._mean, self._variance = whitened(ensemble, F)
        self._rows = np.empty((len(self._V), 0, len(F)))
        self._is_open: NDArray[np.bool_] = np.ones(len(F), dtype=bool)

    def scores(self) -> FloatArray:
        """Return the scores (m,) of the candidates; -inf for closed ones."""
        value = (self._mean + self._rkhs_norm * np.sqrt(self._variance)).mean(axis=0)
        return np.where(self._is_open, value + self._log_feasible, -np.inf)

    def take(self, index: int) -> None:
        """Condition the deviations on candidate ``index``, and close its copies."""
        one = slice(index, index + 1)
        prior = self._ensemble.prior(self._Z[one], self._Z)[0]
        self._close_copies(prior)
        cov = prior
        for V in (self._V, self._rows):
            cov = cov - np.swapaxes(V[:, :, one], 1, 2) @ V
        noise = np.maximum(self._ensemble.noise_var, self._ensemble.floor[:, None])
        row = cov / np.sqrt(self._variance[:, None, one] + noise)
        self._rows = np.concatenate([self._rows, row], axis=1)
        self._variance = np.maximum(self._variance - row[:, 0] ** 2, 0.0)

    def close(self, F: FloatArray) -> None:
        """Close the copies of points at features F (p, D)."""
        self._close_copies(self._ensemble.prior(F * self._ensemble.inverse_scales, self._Z)[0])

    def _close_copies(self, prior: FloatArray) -> None:
        """Close the candidates that are copies, given covariances (M, p, m) with p points."""
        correlation = prior / self._ensemble.signal_var
        self._is_open &= ~(correlation.min(axis=0) > COPY).any(axis=0)
