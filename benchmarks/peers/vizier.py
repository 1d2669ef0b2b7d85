"""Google Vizier's GP-UCB-PE designer, used without the Vizier service."""

from __future__ import annotations

from collections.abc import Sequence

import jax  # type: ignore[import-not-found,import-untyped,unused-ignore]
import numpy as np
from vizier import algorithms  # type: ignore[import-not-found,import-untyped,unused-ignore]
from vizier import pyvizier as vz
from vizier._src.algorithms.designers.gp_ucb_pe import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    VizierGPUCBPEBandit,
)

from benchmarks.harness.arrays import Array
from benchmarks.harness.asktell import Optimiser, Suggestion


class Vizier(Optimiser):
    """GP-UCB-PE, which is told about finished trials and about those being evaluated.

    Args:
        dim: Number of parameters.
        seed: Seeds the designer.
        n_startup_trials: Number of initial points: the centre, then quasi-random points.
    """

    def __init__(self, dim: int, seed: int = 0, n_startup_trials: int = 20) -> None:
        super().__init__()
        jax.config.update("jax_enable_x64", True)  # as Vizier's own service does
        problem = vz.ProblemStatement()
        self._names = [f"x{i}" for i in range(dim)]
        for name in self._names:
            problem.search_space.root.add_float_param(name, 0.0, 1.0)
        problem.metric_information.append(
            vz.MetricInformation("value", goal=vz.ObjectiveMetricGoal.MINIMIZE)
        )
        self._designer = VizierGPUCBPEBandit(
            problem, num_seed_trials=n_startup_trials, rng=jax.random.PRNGKey(seed)
        )
        self._active: list[Suggestion] = []
        self._count = 0

    def accept(self, point: Array) -> Suggestion:
        """Make the point an active trial."""
        return self._start(vz.TrialSuggestion(dict(zip(self._names, point.tolist(), strict=True))))

    def suggest(self, count: int) -> list[Suggestion]:
        """Ask the designer for a batch, given the active trials: those being evaluated."""
        self._update([])
        return [self._start(suggestion) for suggestion in self._designer.suggest(count)]

    def tell(self, suggestions: Sequence[Suggestion], values: Array) -> None:
        """Complete the trials."""
        for suggestion, value in zip(suggestions, values.tolist(), strict=True):
            suggestion.token.complete(vz.Measurement({"value": value}))
            self._active.remove(suggestion)
        self._update(suggestions)

    def _start(self, suggested: vz.TrialSuggestion) -> Suggestion:
        self._count += 1
        trial = suggested.to_trial(self._count)
        point = np.array([trial.parameters[name].value for name in self._names], dtype=float)
        self._active.append(Suggestion(point, trial))
        return self._active[-1]

    def _update(self, completed: Sequence[Suggestion]) -> None:
        self._designer.update(
            algorithms.CompletedTrials([s.token for s in completed]),
            algorithms.ActiveTrials([s.token for s in self._active]),
        )
