"""One interface for all optimisers: ask for points of the unit cube, tell their values.

Values are minimised.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import optuna
from scipy.stats import qmc

from benchmarks.harness.arrays import Array


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A point to evaluate. Two suggestions are equal only if they are the same object.

    Attributes:
        point: The point `(d,)` of the unit cube.
        token: What the optimiser needs to recognise the suggestion, such as an Optuna trial.
    """

    point: Array
    token: Any = None


class Optimiser(ABC):
    """Suggests points and is told their values.

    `ask` returns points that were enqueued first, and then points that the optimiser chooses.
    """

    def __init__(self) -> None:
        self._queue: list[Array] = []

    def enqueue(self, points: Array) -> None:
        """Make the next asks return these points `(n, d)`, in order."""
        self._queue.extend(points)

    def ask(self, count: int) -> list[Suggestion]:
        """Return `count` points to evaluate: enqueued ones first, then those of `suggest`.

        Points of earlier asks need not have been told yet.
        """
        given, self._queue = self._queue[:count], self._queue[count:]
        suggestions = [self.accept(point) for point in given]
        if len(suggestions) < count:
            suggestions += self.suggest(count - len(suggestions))
        return suggestions

    def accept(self, point: Array) -> Suggestion:
        """Return the suggestion for an enqueued point `(d,)`."""
        return Suggestion(point)

    @abstractmethod
    def suggest(self, count: int) -> list[Suggestion]:
        """Return `count` points that the optimiser itself chooses, without enqueued ones."""

    @abstractmethod
    def tell(self, suggestions: Sequence[Suggestion], values: Array) -> None:
        """Report the values `(n,)` of `n` suggestions."""


class OptunaOptimiser(Optimiser):
    """An Optuna sampler with an in-memory study, asked for one trial after the other."""

    def __init__(self, sampler: optuna.samplers.BaseSampler, dim: int) -> None:
        super().__init__()
        self._study = optuna.create_study(sampler=sampler, direction="minimize")
        self._space: dict[str, optuna.distributions.BaseDistribution] = {
            f"x{i}": optuna.distributions.FloatDistribution(0.0, 1.0) for i in range(dim)
        }

    def accept(self, point: Array) -> Suggestion:
        """Enqueue the point and ask for it."""
        self._study.enqueue_trial(dict(zip(self._space, point.tolist(), strict=True)))
        return self.suggest(1)[0]

    def suggest(self, count: int) -> list[Suggestion]:
        """Ask for `count` trials."""
        trials = [self._study.ask(self._space) for _ in range(count)]
        return [Suggestion(np.array([t.params[name] for name in self._space]), t) for t in trials]

    def tell(self, suggestions: Sequence[Suggestion], values: Array) -> None:
        """Finish the trials of `n` suggestions with values `(n,)`."""
        for suggestion, value in zip(suggestions, values.tolist(), strict=True):
            self._study.tell(suggestion.token, value)


def initial_points(count: int, dim: int, seed: int) -> Array:
    """Return the first `count` points of a Sobol' sequence scrambled by `seed`, `(count, dim)`."""
    sobol = qmc.Sobol(dim, scramble=True, seed=seed)
    return np.asarray(sobol.random_base2(max(count - 1, 0).bit_length())[:count])
