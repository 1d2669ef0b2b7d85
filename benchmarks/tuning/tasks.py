"""Tuning tasks: scikit-learn models with define-by-run search spaces, on data it ships with.

An evaluation has two steps, so that the sampler's time can be measured apart from the objective's:
`model` asks a trial for parameters and returns an untrained estimator; `loss` trains and validates
it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from optuna.trial import BaseTrial
from sklearn import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    datasets,
    model_selection,
)

from benchmarks.harness.arrays import Array
from benchmarks.tuning import models
from benchmarks.tuning.models import Estimator

#: Folds of the cross-validation of a task without noise; few, so that evaluations are fast.
FOLDS = 3
#: An evaluation of a noisy task is the mean over this many random splits. With a single split,
#: which of eighty evaluations looks best would be a matter of luck.
NOISY_SPLITS = 3
#: The true loss of a noisy task is the mean over this many splits, none of which a trial uses.
TRUE_SPLITS = 20
#: The loss of a classifier that fails to train, by scoring: as bad as any other, and finite.
WORST = {"accuracy": 1.0, "roc_auc": 1.0, "neg_log_loss": 10.0}


@dataclass(frozen=True)
class Task:
    """A model, the data it is trained on and how it is scored.

    Attributes:
        model: Asks a trial for parameters and returns an estimator.
        data: The data set is that of `sklearn.datasets.load_<data>`.
        scoring: Name of a scorer of scikit-learn. The loss is one minus the score, or the negative
            score if the scorer's name begins with `neg_`.
        rows: Number of rows of the data that are used, a random choice that is always the same;
            None for all.
        conditional: Whether some parameters exist only for some values of others.
        noisy: Whether each evaluation draws its own random splits instead of using the same folds;
            only for classifiers.
    """

    model: Callable[[BaseTrial], Estimator]
    data: str
    scoring: str
    rows: int | None = None
    conditional: bool = False
    noisy: bool = False

    def loss(self, estimator: Estimator, split: int = 0) -> float:
        """Return the loss of an estimator, to be minimised.

        Without noise it is the mean over `FOLDS` folds, with noise over `NOISY_SPLITS` random
        splits. A split on which training fails counts with `WORST` for a classifier, and makes the
        loss of a regression NaN.

        Args:
            estimator: What `model` returned.
            split: Seed of the splits of a noisy task; ignored by tasks without noise.
        """
        return self._mean_loss(estimator, [(0, split, k) for k in range(NOISY_SPLITS)])

    def true_loss(self, estimator: Estimator) -> float:
        """Return the mean loss over `TRUE_SPLITS` splits, which is nearly free of noise.

        For a task without noise it is the loss.
        """
        return self._mean_loss(estimator, [(1, 0, k) for k in range(TRUE_SPLITS)])

    def _mean_loss(self, estimator: Estimator, splits: list[tuple[int, int, int]]) -> float:
        x, y = _data(self.data, self.rows)
        if self.noisy:
            cv = [_halves(y, split) for split in splits]
        else:
            stratified = self.scoring in WORST
            kfold = model_selection.StratifiedKFold if stratified else model_selection.KFold
            cv = kfold(FOLDS, shuffle=True, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # models that do not converge
            scores = model_selection.cross_val_score(
                estimator, x, y, scoring=self.scoring, cv=cv, error_score=np.nan
            )
        losses = -scores if self.scoring.startswith("neg_") else 1.0 - scores
        if self.scoring in WORST:
            losses = np.nan_to_num(losses, nan=WORST[self.scoring])
        return float(np.mean(losses))


def _halves(classes: Array, split: tuple[int, int, int]) -> tuple[Array, Array]:
    """Return the indices of rows for training and for validation, each with half of each class."""
    seed = int(np.random.SeedSequence(split).generate_state(1)[0])
    halves = model_selection.StratifiedShuffleSplit(1, test_size=0.5, random_state=seed)
    train, test = next(halves.split(classes, classes))
    return train, test


@lru_cache
def _data(name: str, rows: int | None) -> tuple[Array, Array]:
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(x))[:rows]
    return x[chosen], y[chosen]


def training_data(task: Task) -> tuple[Array, Array]:
    """Return the inputs `(n, features)` and the targets `(n,)` of the rows that a task uses."""
    return _data(task.data, task.rows)


TASKS = {
    "svm-cancer": Task(models.svm_rbf, "breast_cancer", "roc_auc", rows=300),
    "svr-diabetes": Task(
        models.svr_kernels, "diabetes", "neg_mean_squared_error", conditional=True
    ),
    "classifiers-digits": Task(
        models.classifiers, "digits", "accuracy", rows=400, conditional=True
    ),
    "forest-digits": Task(models.forest, "digits", "neg_log_loss", rows=300),
    "boosting-cancer": Task(models.boosting, "breast_cancer", "neg_log_loss", rows=200),
    "perceptron-wine": Task(models.perceptron, "wine", "neg_log_loss", conditional=True),
    "solvers-iris": Task(models.solvers, "iris", "neg_log_loss", conditional=True),
    "sgd-cancer": Task(
        models.stochastic_gradient, "breast_cancer", "neg_log_loss", conditional=True, noisy=True
    ),
    "svm-digits": Task(models.svm_rbf, "digits", "accuracy", rows=300, noisy=True),
    "nearest-digits": Task(models.nearest, "digits", "accuracy", rows=400),
    "trees-diabetes": Task(models.trees, "diabetes", "neg_mean_absolute_error"),
    "pipeline-diabetes": Task(
        models.pipeline, "diabetes", "neg_mean_absolute_error", conditional=True
    ),
}
