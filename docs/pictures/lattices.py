"""Draws pictures of lattices: lattices-NAME.png in this folder."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import qmc

from lattice_tools import alg6, alg7, best, build, fraction_of_limit, korobov
from lattice_tools.integration import LatticeSequence
from lattice_tools.plot import plot_points

#: A prime, so that every coordinate takes all values.
N_POINTS = 1009
DIMS = range(2, 11)
N_SHIFTS = 8


def f(X: np.ndarray) -> np.ndarray:
    """Return exp(x_1 + ... + x_d) at points X (n, d)."""
    return np.exp(X.sum(axis=1))


def draw_methods() -> None:
    """Fraction of the limit against the dimension."""
    figure = Figure(figsize=(7, 4), dpi=110, layout="constrained")
    ax = figure.subplots()
    for name, method in (("best", best), ("alg7", alg7), ("alg6", alg6), ("korobov", korobov)):
        fractions = [fraction_of_limit(method(N_POINTS, dim)) for dim in DIMS]
        ax.plot(DIMS, fractions, "o-", label=name)
    ax.set(xlabel="dimension", ylabel="minimum distance / limit")
    ax.grid(alpha=0.3)
    ax.legend()
    figure.savefig("lattices-methods.png")


def draw_integration() -> None:
    """Errors of an integral against the number of points."""
    figure = Figure(figsize=(7, 4), dpi=110, layout="constrained")
    ax = figure.subplots()
    sizes = [2**m for m in range(6, 15)]
    engines = {
        "LatticeSequence, tent": lambda rng: LatticeSequence(5, tent=True, rng=rng),
        "LatticeSequence": lambda rng: LatticeSequence(5, rng=rng),
        "Sobol, scrambled": lambda rng: qmc.Sobol(5, seed=rng),
    }
    for name, engine in engines.items():
        # The first n points of a sequence, for all n at once.
        values = [f(engine(shift).random(sizes[-1])) for shift in range(N_SHIFTS)]
        errors = [
            math.sqrt(np.mean([(v[:n].mean() - (math.e - 1) ** 5) ** 2 for v in values]))
            for n in sizes
        ]
        ax.loglog(sizes, errors, "o-", label=name)
    ax.set(xlabel="points", ylabel="root mean square error")
    ax.grid(alpha=0.3)
    ax.legend()
    figure.savefig("lattices-integration.png")


if __name__ == "__main__":
    points = build("best", 400, 2).points()
    plot_points(points, name="lattice points").savefig("lattices-points.png", dpi=80)
    draw_methods()
    draw_integration()
