"""Optuna studies of problems that suggest their own parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import optuna
from optuna.trial import BaseTrial

from benchmarks.harness.arrays import Array
from benchmarks.harness.asktell import Optimiser, Suggestion


@dataclass(frozen=True)
class Outcome:
    """The result of an evaluation.

    Attributes:
        values: Noise-free objectives `(m,)`.
        constraints: Constraints `(c,)`, satisfied if not positive.
    """

    values: Array
    constraints: Array

    @property
    def is_feasible(self) -> bool:
        """Whether all constraints are satisfied."""
        return bool((self.constraints <= 0).all())


class Problem(ABC):
    """Objectives of the parameters of a trial, all of which are minimised."""

    @abstractmethod
    def suggest(self, trial: BaseTrial) -> None:
        """Suggest all parameters to a trial."""

    @abstractmethod
    def evaluate(self, params: Mapping[str, Any]) -> Outcome:
        """Return the outcome of a trial's parameters."""

    def shown(self, values: Array) -> Array:
        """Return what a sampler is told `(m,)` in place of the objectives' values `(m,)`."""
        return values


class StudyOptimiser(Optimiser):
    """An Optuna sampler with an in-memory study of a problem.

    The token of a suggestion is its trial, which has all parameters; it has no point.
    """

    def __init__(
        self, sampler: optuna.samplers.BaseSampler, problem: Problem, n_objectives: int
    ) -> None:
        super().__init__()
        directions = [optuna.study.StudyDirection.MINIMIZE] * n_objectives
        self._study = optuna.create_study(sampler=sampler, directions=directions)
        self._problem = problem

    def use(self, sampler: optuna.samplers.BaseSampler) -> None:
        """Go on with another sampler."""
        self._study.sampler = sampler

    def suggest(self, count: int) -> list[Suggestion]:
        """Ask for `count` trials, each with all its parameters."""
        trials = [self._study.ask() for _ in range(count)]
        for trial in trials:
            self._problem.suggest(trial)
        return [Suggestion(np.empty(0), trial) for trial in trials]

    def evaluate(self, suggestion: Suggestion) -> Outcome:
        """Return the outcome of a suggestion's trial, and set the trial's constraints."""
        outcome = self._problem.evaluate(suggestion.token.params)
        for k, constraint in enumerate(outcome.constraints.tolist()):
            suggestion.token.set_constraint(f"c{k}", constraint)
        return outcome

    def tell(self, suggestions: Sequence[Suggestion], values: Array) -> None:
        """Finish the trials with values `(n, m)`."""
        for suggestion, row in zip(suggestions, values.tolist(), strict=True):
            self._study.tell(suggestion.token, row)
