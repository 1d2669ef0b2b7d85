"""Objectives with learning curves: synthetic ones, and epochs of real models.

An objective is a generator. It yields the reports of a trial one by one, which the caller passes
to the pruner. If the trial is not pruned, it yields a `Finished` with the final loss and another
metric.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import optuna

#: Number of reports of a trial that is not pruned.
N_STEPS = 20


@dataclass(frozen=True)
class Finished:
    """The final results of a trial that is not pruned.

    Attributes:
        loss: The loss by which samplers are compared: regret, or a validation error.
        other: Another metric that a study may return instead of the loss, far from the range of
            the reports: a growing function of the loss, or a test error.
    """

    loss: float
    other: float


#: A trial's reports, one per step, and then its end.
Curve = Iterator[float | Finished]
#: Starts a trial with a seed.
Objective = Callable[[optuna.Trial, int], Curve]


def quadratic(trial: optuna.Trial, seed: int, noise: float = 0.0) -> Curve:
    """A quadratic in four dimensions whose reports fall towards its value, at various speeds.

    Each report has a normal error, with `noise` (1 + value / 10) as standard deviation.
    """
    rng = np.random.default_rng([seed, 1])
    optimum = rng.uniform(-2.0, 2.0, 4)
    x = np.array([trial.suggest_float(f"x{j}", -5.0, 5.0) for j in range(4)])
    value = float(((x - optimum) ** 2 * [1.0, 2.0, 4.0, 0.5]).sum())
    yield from _falling(value, trial.number, seed, noise)


def noisy(trial: optuna.Trial, seed: int) -> Curve:
    """The quadratic with noise in every report."""
    yield from quadratic(trial, seed, noise=0.3)


def rosenbrock(trial: optuna.Trial, seed: int) -> Curve:
    """Rosenbrock's valley in four dimensions, moved, with falling curves."""
    optimum = np.random.default_rng([seed, 2]).uniform(-2.0, 2.0, 4)
    x = np.array([trial.suggest_float(f"x{j}", -5.0, 5.0) for j in range(4)])
    z = x - optimum + 1.0
    value = float((100.0 * (z[1:] - z[:-1] ** 2) ** 2 + (1.0 - z[:-1]) ** 2).sum()) / 100.0
    yield from _falling(value, trial.number, seed, 0.0)


def instances(trial: optuna.Trial, seed: int) -> Curve:
    """A quadratic whose reports are losses on single instances, as Wilcoxon's pruner expects.

    In place of its last report, a trial returns the mean of its reports.
    """
    rng = np.random.default_rng([seed, 3])
    optimum, hardness = rng.uniform(-2.0, 2.0, 3), rng.exponential(3.0, N_STEPS)
    x = np.array([trial.suggest_float(f"x{j}", -5.0, 5.0) for j in range(3)])
    value = float(((x - optimum) ** 2).sum())
    factors = np.random.default_rng([seed, 4, trial.number]).uniform(0.5, 1.5, N_STEPS)
    yield from (hardness + value * factors).tolist()
    yield Finished(value, -50.0 + 2.0 * value)


def _falling(value: float, number: int, seed: int, noise: float) -> Curve:
    rng = np.random.default_rng([seed, 5, number])
    speed = rng.uniform(0.5, 1.5)
    for step in range(N_STEPS):
        error = noise * (1.0 + 0.1 * value) * rng.standard_normal() if noise else 0.0
        yield value + (10.0 + value) * math.exp(-speed * step / 3.0) + error
    yield Finished(value, -50.0 + 2.0 * value**0.9)


def network(trial: optuna.Trial, seed: int) -> Curve:
    """Epochs of a network with one hidden layer on scikit-learn's digits."""
    yield from _epochs(trial, seed, trial.suggest_int("width", 4, 64, log=True))


def linear(trial: optuna.Trial, seed: int) -> Curve:
    """Epochs of a linear classifier on the same digits."""
    yield from _epochs(trial, seed, None)


def _epochs(trial: optuna.Trial, seed: int, width: int | None) -> Curve:
    """Train a classifier of digits, and yield its validation error rate after each epoch.

    The training is by stochastic gradients with momentum, on 300 images. At the end, `loss` is the
    last validation error, and `other` is the error rate on test images minus 50.

    Args:
        trial: Suggests learning rate, momentum, penalty and batch size.
        seed: Seed of the split of the images and of the training.
        width: Number of hidden units. If None, the classifier is linear.
    """
    rate = trial.suggest_float("rate", 1e-4, 3.0, log=True)
    momentum = trial.suggest_float("momentum", 0.0, 0.99)
    penalty = trial.suggest_float("penalty", 1e-6, 1.0, log=True)
    size = trial.suggest_int("batch", 4, 128, log=True)
    X, y, X_valid, y_valid, X_test, y_test = _digits(seed)
    rng = np.random.default_rng([seed, 6])
    sizes = (64, 10) if width is None else (64, width, 10)
    layers = [rng.normal(0.0, a**-0.5, (a, b)) for a, b in itertools.pairwise(sizes)]
    speeds = [np.zeros_like(layer) for layer in layers]

    def outputs(inputs: Any) -> list[Any]:
        found = [inputs]
        for layer in layers:
            found.append((found[-1] if len(found) == 1 else np.maximum(found[-1], 0.0)) @ layer)
        return found

    def error(inputs: Any, labels: Any) -> float:
        return float((outputs(inputs)[-1].argmax(axis=1) != labels).mean())

    with np.errstate(all="ignore"):  # a large rate diverges, which is a poor trial
        for _ in range(N_STEPS):
            for rows in np.array_split(rng.permutation(len(X)), max(1, len(X) // size)):
                found = outputs(X[rows])
                p = np.exp(found[-1] - found[-1].max(axis=1, keepdims=True))
                slope = (p / p.sum(axis=1, keepdims=True) - np.eye(10)[y[rows]]) / len(rows)
                for k in reversed(range(len(layers))):
                    inputs = found[k] if k == 0 else np.maximum(found[k], 0.0)
                    gradient = inputs.T @ slope + penalty * layers[k]
                    slope = (slope @ layers[k].T) * (found[k] > 0)
                    speeds[k] = momentum * speeds[k] - rate * gradient
                    layers[k] = np.nan_to_num(layers[k] + speeds[k])
            yield error(X_valid, y_valid)
        yield Finished(error(X_valid, y_valid), error(X_test, y_test) - 50.0)


@lru_cache(maxsize=8)
def _digits(seed: int) -> tuple[Any, ...]:
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    X, X_rest, y, y_rest = train_test_split(X, y, train_size=300, random_state=seed)
    return (X, y, *_halves(X_rest, y_rest))


def _halves(X: Any, y: Any) -> tuple[Any, ...]:
    half = len(X) // 2
    return X[:half], y[:half], X[half:], y[half:]


OBJECTIVES: dict[str, Objective] = {
    "quadratic": quadratic,
    "noisy": noisy,
    "rosenbrock": rosenbrock,
    "instances": instances,
    "network": network,
    "linear": linear,
}
