"""Maximises functions of a whole batch inside a box: by gradients or by CMA-ES.

Both optimizers return a batch (q, d) at least as good as the start, once that is moved into the
box. They do not know models.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from optuna_bkop._arrays import FloatArray

#: Maps a batch (q, d) to its value and gradient (q, d).
Objective = Callable[[FloatArray], tuple[float, FloatArray]]
#: Maps batches (p, q, d) to their values (p,).
Values = Callable[[FloatArray], FloatArray]

MAXIMIZERS = ("gradient", "cma")

#: Number of past steps from which L-BFGS-B estimates curvature. Evaluations are dear and the
#: dimension is moderate, so more than SciPy's ten pay.
_MEMORY = 30
#: Initial step size of CMA-ES in units of the box: pycma's advice is about a third.
_INITIAL_STEP = 0.3


def by_gradient(
    objective: Objective,
    start: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    max_steps: int,
    tolerance: float,
) -> tuple[FloatArray, float]:
    """Climb by projected quasi-Newton steps (L-BFGS-B) in all q * d dimensions at once.

    Args:
        objective: Returns the value and the gradient (q, d) of a batch (q, d).
        start: Initial batch (q, d), or several (p, q, d) that the objective treats as one. Points
            outside the box are moved to its nearest point.
        lower: Lower ends of the box, in the shape of ``start`` or broadcast to it.
        upper: Upper ends of the box, in the shape of ``start`` or broadcast to it.
        max_steps: Maximum number of steps.
        tolerance: Relative gain of a step below which the climb stops.

    Returns:
        The batch, in the shape of ``start``, and its value.
    """
    from scipy.optimize import fmin_l_bfgs_b

    def negative(flat: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(flat.reshape(start.shape))
        return -value, -gradient.reshape(-1)

    low = np.broadcast_to(lower, start.shape).reshape(-1)
    high = np.broadcast_to(upper, start.shape).reshape(-1)
    # In such short searches, `scipy.optimize.minimize` has twice the overhead.
    found, value, _ = fmin_l_bfgs_b(
        negative,
        np.clip(start.reshape(-1), low, high),
        bounds=np.column_stack([low, high]),
        m=_MEMORY,
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
    """Maximise by CMA-ES (pycma) in all q * d dimensions, as Lyu, Yuan and Tsang do.

    Args:
        values_of: Returns the values (p,) of batches (p, q, d).
        start: Initial batch (q, d).
        lower: Lower ends (d,) or (q, d) of the box.
        upper: Upper ends (d,) or (q, d) of the box.
        rng: Source of randomness.
        max_evaluations: Maximum number of evaluations of a batch.

    Returns:
        The best batch (q, d) that was evaluated, and its value.
    """
    with warnings.catch_warnings():
        # It warns that it cannot plot where matplotlib is not installed.
        warnings.simplefilter("ignore", UserWarning)
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
        # NaN keeps pycma from seeding numpy's global generator.
        "seed": np.nan,
        "randn": lambda *shape: rng.standard_normal(shape),
        "verbose": -9,
        "verb_log": 0,
        "verb_disp": 0,
    }
    x0 = (flat[free] - low[free]) / span
    if len(x0) == 1:
        # pycma fails in one dimension, so a second one without effect is added.
        x0 = np.append(x0, 0.5)
    strategy = cma.CMAEvolutionStrategy(x0, _INITIAL_STEP, options)
    while not strategy.stop():
        population = strategy.ask()
        tried = batches(population)
        values = values_of(tried)
        strategy.tell(population, list(-values))
        top = int(np.argmax(values))
        if values[top] > best_value:
            best, best_value = tried[top], float(values[top])
    return best, best_value
