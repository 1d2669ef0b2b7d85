"""Tuning tasks with several objectives: the loss of a scikit-learn model against its costs.

Costs are counted, not timed, so that an evaluation has the same result on every machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.trial import BaseTrial, FixedTrial

from benchmarks.harness.studies import Outcome, Problem
from benchmarks.tuning import models
from benchmarks.tuning.models import Estimator
from benchmarks.tuning.tasks import Task, training_data


@dataclass(frozen=True)
class TaskProblem(Problem):
    """The loss of a tuning task, and costs of the model that is trained on all data.

    Attributes:
        task: Determines the parameters, the data and the loss.
        costs: Returns the costs of a trained model.
    """

    task: Task
    costs: Callable[[Estimator], tuple[float, ...]]

    def suggest(self, trial: BaseTrial) -> None:
        """Suggest the parameters of the model."""
        self.task.model(trial)

    def evaluate(self, params: Mapping[str, Any]) -> Outcome:
        """Return the loss and the costs of the model with these parameters."""
        estimator = self.task.model(FixedTrial(dict(params)))
        loss = self.task.loss(estimator)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # models that do not converge
            estimator.fit(*training_data(self.task))
        return Outcome(np.array([loss, *self.costs(estimator)], dtype=float), np.empty(0))


def _leaves(forest: Estimator) -> tuple[float, ...]:
    """Return the number of leaves of a random forest."""
    return (sum(tree.get_n_leaves() for tree in forest.estimators_),)


def _leaves_and_columns(boosting: Estimator) -> tuple[float, ...]:
    """Return the number of leaves, and that of the columns that some tree asks for."""
    trees = boosting.estimators_[:, 0]
    columns = {k for tree in trees for k in tree.tree_.feature.tolist() if k >= 0}
    return sum(tree.get_n_leaves() for tree in trees), len(columns)


def _multiplications(scaled_network: Estimator) -> tuple[float, ...]:
    """Return the number of weights of a perceptron: multiplications per prediction."""
    return (sum(weights.size for weights in scaled_network[-1].coefs_),)


def _nonzero_weights(scaled_linear: Estimator) -> tuple[float, ...]:
    """Return the number of weights of a linear model that are not zero."""
    return (float(np.count_nonzero(scaled_linear[-1].coef_)),)


TASK_PROBLEMS = {
    "forest-digits": TaskProblem(Task(models.forest, "digits", "neg_log_loss", rows=300), _leaves),
    "boosting-cancer": TaskProblem(
        Task(models.boosting, "breast_cancer", "neg_log_loss", rows=200), _leaves_and_columns
    ),
    "perceptron-wine": TaskProblem(
        Task(models.perceptron, "wine", "neg_log_loss", conditional=True), _multiplications
    ),
    "sgd-cancer": TaskProblem(
        Task(models.stochastic_gradient, "breast_cancer", "neg_log_loss", conditional=True),
        _nonzero_weights,
    ),
}
