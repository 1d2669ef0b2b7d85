"""BoTorch: a single-task GP with default priors and jointly optimised batches."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import botorch  # type: ignore[import-not-found,import-untyped,unused-ignore]
import gpytorch  # type: ignore[import-not-found,import-untyped,unused-ignore]
import numpy as np
import torch  # type: ignore[import-not-found,import-untyped,unused-ignore]
from botorch.acquisition.logei import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    qLogNoisyExpectedImprovement,
)
from botorch.acquisition.monte_carlo import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    qUpperConfidenceBound,
)
from botorch.optim.optimize import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    optimize_acqf,
)

from benchmarks.harness.arrays import Array
from benchmarks.harness.asktell import Optimiser, Suggestion, initial_points

#: The numbers of BoTorch's own tutorials; with fewer it does worse.
RESTARTS = 10
RAW_SAMPLES = 512
#: Between the 0.1 and 0.2 of BoTorch's examples, which hardly explore, and the 4 of two standard
#: deviations.
UCB_BETA = 2.0


class BoTorch(Optimiser):
    """Optimises the points of a batch jointly, given those that are being evaluated.

    Args:
        dim: Number of parameters.
        acquisition: "qlognei" (noisy expected improvement) or "qucb" (upper confidence bound).
        seed: Seeds the initial points and, through torch, the fits and the search.
        n_startup_trials: Number of initial points, which are scrambled Sobol' points.
    """

    def __init__(
        self, dim: int, acquisition: str = "qlognei", seed: int = 0, n_startup_trials: int = 20
    ) -> None:
        super().__init__()
        if acquisition not in ("qlognei", "qucb"):
            raise ValueError(f"`acquisition` must be qlognei or qucb, got {acquisition!r}.")
        self._acquisition = acquisition
        self._seed = seed
        self._n_startup = n_startup_trials
        self._asked = 0
        self._points = np.empty((0, dim))
        self._values = np.empty(0)
        self._pending: list[Suggestion] = []
        torch.set_num_threads(1)
        torch.manual_seed(seed)

    def accept(self, point: Array) -> Suggestion:
        """Remember that the point is being evaluated."""
        self._asked += 1
        self._pending.append(Suggestion(point))
        return self._pending[-1]

    def suggest(self, count: int) -> list[Suggestion]:
        """Return initial points, and later points that are optimised jointly.

        Points are initial while fewer than `n_startup_trials` points have been asked for, or fewer
        than two values have been told.
        """
        if self._asked < self._n_startup or len(self._values) < 2:
            dim = self._points.shape[1]
            points = initial_points(self._asked + count, dim, self._seed)[self._asked :]
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # BoTorch warns at each retried fit
                points = self._optimise(count)
        return [self.accept(point) for point in points]

    def tell(self, suggestions: Sequence[Suggestion], values: Array) -> None:
        """Add the values to the data."""
        for suggestion in suggestions:
            self._pending.remove(suggestion)
        self._points = np.vstack([self._points, [s.point for s in suggestions]])
        self._values = np.append(self._values, values)

    def _optimise(self, count: int) -> Array:
        x = torch.tensor(self._points, dtype=torch.double)
        y = torch.tensor(-self._values[:, None], dtype=torch.double)  # BoTorch maximises
        model = botorch.models.SingleTaskGP(x, y)  # standardises values by itself
        botorch.fit_gpytorch_mll(gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model))
        pending = np.array([s.point for s in self._pending])
        kwargs: dict[str, Any] = {"X_pending": torch.tensor(pending) if len(pending) else None}
        acquisition: qLogNoisyExpectedImprovement | qUpperConfidenceBound
        if self._acquisition == "qlognei":
            acquisition = qLogNoisyExpectedImprovement(model, X_baseline=x, **kwargs)
        else:
            acquisition = qUpperConfidenceBound(model, beta=UCB_BETA, **kwargs)
        candidates, _ = optimize_acqf(
            acquisition,
            bounds=torch.tensor([[0.0], [1.0]], dtype=torch.double).expand(2, x.shape[1]),
            q=count,
            num_restarts=RESTARTS,
            raw_samples=RAW_SAMPLES,
            sequential=False,
        )
        return np.asarray(candidates.numpy())
