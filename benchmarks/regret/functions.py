"""Test functions with known minima.

Glossary: `n` points, `d` parameters, `z` a point of a function's own domain. Every function maps
rows to values, `(n, d) -> (n,)`, is defined on all of R^d, and attains its minimum over all of R^d
at a known point, so that a shifted or rotated copy (`problems.py`) has the same minimum.
Rosenbrock to Levy are those of the table "Test functions" of the BKOP paper, as printed there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.harness.arrays import Array


def rosenbrock(z: Array) -> Array:
    """Return sum_i 100 (z_{i+1} - z_i^2)^2 + (1 - z_i)^2; the minimum is 0 at 1."""
    a, b = z[:, :-1], z[:, 1:]
    return np.asarray(np.sum(100 * (b - a**2) ** 2 + (1 - a) ** 2, axis=1))


def nesterov(z: Array) -> Array:
    """Return |z_1 - 1| / 4 + sum_i |z_{i+1} - 2 |z_i| + 1|; the minimum is 0 at 1."""
    kinks = np.abs(z[:, 1:] - 2 * np.abs(z[:, :-1]) + 1)
    return np.asarray(np.abs(z[:, 0] - 1) / 4 + kinks.sum(axis=1))


def different_powers(z: Array) -> Array:
    """Return sum_i |z_i|^(2 + 10 (i-1)/(d-1)); the minimum is 0 at 0."""
    return np.asarray(np.sum(np.abs(z) ** np.linspace(2, 12, z.shape[1]), axis=1))


def dixon_price(z: Array) -> Array:
    """Return (z_1 - 1)^2 + sum_{i>1} i (2 z_i^2 - z_{i-1})^2; the minimum is 0."""
    i = np.arange(2, z.shape[1] + 1)
    chain = np.sum(i * (2 * z[:, 1:] ** 2 - z[:, :-1]) ** 2, axis=1)
    return np.asarray((z[:, 0] - 1) ** 2 + chain)


def ackley(z: Array) -> Array:
    """Return Ackley's function; the minimum is 0 at 0."""
    radius = np.sqrt(np.mean(z**2, axis=1))
    waves = np.mean(np.cos(2 * np.pi * z), axis=1)
    return np.asarray(-20 * np.exp(-0.2 * radius) - np.exp(waves) + 20 + np.e)


def levy(z: Array) -> Array:
    """Return Levy's function; the minimum is 0 at 1."""
    w = 1 + (z - 1) / 4
    first, last = w[:, 0], w[:, -1]
    inner = np.sum((w[:, :-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:, :-1] + 1) ** 2), axis=1)
    end = (last - 1) ** 2 * (1 + np.sin(2 * np.pi * last) ** 2)
    return np.asarray(np.sin(np.pi * first) ** 2 + inner + end)


_HARTMANN_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
_HARTMANN_A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_HARTMANN_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann6(z: Array) -> Array:
    """Return the 6-dimensional Hartmann function; the minimum is -3.32236801141551.

    All four centres are in the unit cube, and clipping a point to the cube brings it closer to
    each of them. So no value outside the cube is lower.
    """
    exponents = np.einsum("kj,nkj->nk", _HARTMANN_A, (z[:, None, :] - _HARTMANN_P) ** 2)
    return np.asarray(-np.exp(-exponents) @ _HARTMANN_ALPHA)


def branin(z: Array) -> Array:
    """Return Branin's function; the minimum is 10 / (8 pi), attained at three points."""
    a, b = z[:, 0], z[:, 1]
    parabola = b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6
    return np.asarray(parabola**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10)


def _michalewicz_terms(z: Array) -> Array:
    z = np.mod(z, np.pi)
    i = np.arange(1, z.shape[1] + 1)
    return np.asarray(-np.sin(z) * np.sin(i * z**2 / np.pi) ** 20)


def michalewicz(z: Array) -> Array:
    """Return -sum_i sin(z_i) sin(i z_i^2 / pi)^20, repeated with period pi in each coordinate.

    The formula alone has lower values outside its domain than inside, hence the repetition. It is
    continuous, because the terms are 0 at 0 and at pi. The minimum is the sum of the minima of
    the terms.
    """
    return np.asarray(_michalewicz_terms(z).sum(axis=1))


def styblinski_tang(z: Array) -> Array:
    """Return sum_i (z_i^4 - 16 z_i^2 + 5 z_i) / 2; the minimum is -39.1661657037714 d."""
    return np.asarray(np.sum(z**4 - 16 * z**2 + 5 * z, axis=1) / 2)


def griewank(z: Array) -> Array:
    """Return sum_i z_i^2 / 4000 - prod_i cos(z_i / sqrt i) + 1; the minimum is 0 at 0."""
    i = np.arange(1, z.shape[1] + 1)
    return np.asarray(np.sum(z**2, axis=1) / 4000 - np.prod(np.cos(z / np.sqrt(i)), axis=1) + 1)


def sphere(z: Array) -> Array:
    """Return sum_i z_i^2; the minimum is 0 at 0."""
    return np.asarray((z**2).sum(axis=1))


def rastrigin(z: Array) -> Array:
    """Return sum_i z_i^2 + 10 (1 - cos(2 pi z_i)); the minimum is 0 at 0."""
    return np.asarray((z**2 + 10 * (1 - np.cos(2 * np.pi * z))).sum(axis=1))


def _dixon_price_optimum(d: int) -> Array:
    # 2 z_i^2 = z_{i-1} from z_1 = 1 gives z_i = 2^-(1 - 2^(1-i)).
    return np.asarray(2.0 ** -(1 - 2.0 ** (1 - np.arange(1, d + 1))))


def _styblinski_tang_optimum(d: int) -> Array:
    # The derivative 4 z^3 - 32 z + 5 has three real roots, the least of which is the minimum.
    return np.full(d, np.roots([4, 0, -32, 5]).real.min())


def _michalewicz_optimum(d: int) -> Array:
    # Term i has about i local minima. A grid finds the lowest, finer grids locate it.
    lower, upper = np.zeros(d), np.full(d, np.pi)
    for _ in range(3):
        grid = np.linspace(lower, upper, 2001 * (1 + d // 10))
        step = grid[1] - grid[0]
        best = grid[_michalewicz_terms(grid).argmin(axis=0), np.arange(d)]
        lower, upper = best - step, best + step
    return np.asarray(best)


# The eight digits of the literature, refined by Newton steps.
_HARTMANN_OPTIMUM = np.array(
    [
        0.201689511006705,
        0.150010691823458,
        0.476873974221897,
        0.275332430494056,
        0.311651616600113,
        0.65730053406562,
    ]
)


@dataclass(frozen=True)
class Function:
    """A formula, the box in which it is minimised, and a minimiser.

    Attributes:
        formula: The function, `(n, d) -> (n,)`.
        lower: Lower end of the domain, one number or one per coordinate.
        upper: Upper end of the domain. All sides have the same length, so that a rotation does
            not change the scale of a coordinate.
        optimum: Returns a minimiser in the domain `(d,)`, given `d`.
        dim: The only possible `d`, or None if any `d >= 2` is possible.
    """

    formula: Callable[[Array], Array]
    lower: float | tuple[float, ...]
    upper: float | tuple[float, ...]
    optimum: Callable[[int], Array]
    dim: int | None = None


PAPER_FUNCTIONS = {
    "rosenbrock": Function(rosenbrock, -2, 2, np.ones),
    "nesterov": Function(nesterov, -2, 2, np.ones),
    "different-powers": Function(different_powers, -2, 2, np.zeros),
    "dixon-price": Function(dixon_price, -2, 2, _dixon_price_optimum),
    "ackley": Function(ackley, -2, 2, np.zeros),
    "levy": Function(levy, -10, 10, np.ones),
}
FUNCTIONS = PAPER_FUNCTIONS | {
    "hartmann6": Function(hartmann6, 0, 1, lambda _: _HARTMANN_OPTIMUM, dim=6),
    "branin": Function(branin, (-5, 0), (10, 15), lambda _: np.array([np.pi, 2.275]), dim=2),
    "michalewicz": Function(michalewicz, 0, np.pi, _michalewicz_optimum),
    "styblinski-tang": Function(styblinski_tang, -5, 5, _styblinski_tang_optimum),
    "griewank": Function(griewank, -600, 600, np.zeros),
    "sphere": Function(sphere, -2, 2, np.zeros),
    "rastrigin": Function(rastrigin, -5, 5, np.zeros),
}
