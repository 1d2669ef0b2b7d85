"""Maximising an acquisition over a whole batch: greedy starts and gradients, or CMA-ES.

Both take a function of batches ``U`` (q, d) inside a box and return a batch at least as good as
the start. They know nothing of models.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from optuna_bkop._kernels import FloatArray

#: U (q, d) -> value, gradient (q, d).
Objective = Callable[[FloatArray], tuple[float, FloatArray]]
#: Many batches (p, q, d) -> values (p,).
Values = Callable[[FloatArray], FloatArray]

MAXIMIZERS = ("gradient", "cma")


def by_gradient(
    objective: Objective,
    start: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    max_steps: int,
    tolerance: float,
) -> tuple[FloatArray, float]:
    """Projected quasi-Newton ascent (L-BFGS-B) over all numbers of a batch at once.

    Args:
        objective: Value and gradient.
        start: Batch (q, d).
        lower: Lower ends (d,) or (q, d) of the box.
        upper: Upper ends.
        max_steps: The largest number of steps.
        tolerance: It stops when a step gains less than this share of the value.

    Returns:
        The batch (q, d) and its value.
    """
    from scipy.optimize import fmin_l_bfgs_b

    def negative(flat: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(flat.reshape(start.shape))
        return -value, -gradient.reshape(-1)

    low = np.broadcast_to(lower, start.shape).reshape(-1)
    high = np.broadcast_to(upper, start.shape).reshape(-1)
    # It spends half of what `minimize` spends around such short searches.
    found, value, _ = fmin_l_bfgs_b(
        negative,
        np.clip(start.reshape(-1), low, high),
        bounds=np.column_stack([low, high]),
        m=30,
        factr=tolerance / np.finfo(float).eps,
        maxiter=max_steps,
    )
    return np.clip(found, low, high).reshape(start.shape), -float(value)


def by_cma(
    values_of: Values,
    start: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    rng: np.random.Generator,
    max_evaluations: int,
) -> tuple[FloatArray, float]:
    """CMA-ES (pycma) in all q * d dimensions, box-bounded: the paper's maximiser.

    Args:
        values_of: Values of many batches.
        start: Batch (q, d).
        lower: Lower ends (d,) or (q, d) of the box.
        upper: Upper ends.
        rng: Source of its randomness.
        max_evaluations: The largest number of evaluations.

    Returns:
        The best batch (q, d) that was evaluated, and its value.
    """
    import cma

    low = np.broadcast_to(lower, start.shape).reshape(-1)
    high = np.broadcast_to(upper, start.shape).reshape(-1)
    free = high > low
    best = np.clip(start, lower, upper)
    best_value = float(values_of(best[None])[0])
    if not free.any():
        return best, best_value
    span = (high - low)[free]
    flat = best.reshape(-1)

    def batches(population: list[FloatArray]) -> FloatArray:
        U = np.tile(flat, (len(population), 1))
        U[:, free] = low[free] + span * np.clip(np.array(population)[:, : len(span)], 0.0, 1.0)
        return U.reshape(-1, *start.shape)

    options = {
        "bounds": [0.0, 1.0],
        "maxfevals": max_evaluations,
        # pycma would seed numpy's global generator; NaN tells it not to.
        "seed": np.nan,
        "randn": lambda *shape: rng.standard_normal(shape),
        "verbose": -9,
        "verb_log": 0,
        "verb_disp": 0,
    }
    x0 = (flat[free] - low[free]) / span
    if len(x0) == 1:
        # pycma fails in one dimension; a second one, without effect, helps.
        x0 = np.append(x0, 0.5)
    strategy = cma.CMAEvolutionStrategy(x0, 0.3, options)
    while not strategy.stop():
        population = strategy.ask()
        tried = batches(population)
        values = values_of(tried)
        strategy.tell(population, list(-values))
        top = int(np.argmax(values))
        if values[top] > best_value:
            best, best_value = tried[top], float(values[top])
    return best, best_value
