"""A rank-1 lattice for the startup of another sampler, here TPE.

`lattice_tools` does not depend on Optuna: it makes points of the unit cube. Here they are scaled
to the search space and enqueued, so that any sampler begins with them. They cover the space more
evenly than random points: their covering radius, which is the largest distance of any place to
its nearest point, is smaller.
"""

import numpy as np
import optuna
from optuna.distributions import FloatDistribution

from lattice_tools import build, covering_radius

SPACE = {"x": FloatDistribution(-5.0, 10.0), "y": FloatDistribution(0.0, 15.0)}
N_STARTUP = 20


def branin(trial: optuna.Trial) -> float:
    """Branin's function; the minimum is 0.39789."""
    x, y = (trial.suggest_float(name, d.low, d.high) for name, d in SPACE.items())
    parabola = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    return parabola**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    rng = np.random.default_rng(0)
    lattice = build("alg7", N_STARTUP, len(SPACE))
    points = lattice.points(rng.random(len(SPACE)))  # a random shift
    for name, X in (("lattice", points), ("random", rng.random(points.shape))):
        print(f"{name:8} covering radius {covering_radius(X, periodic=False)}")

    sampler = optuna.samplers.TPESampler(n_startup_trials=N_STARTUP, seed=0)
    study = optuna.create_study(sampler=sampler)
    low = np.array([d.low for d in SPACE.values()])
    high = np.array([d.high for d in SPACE.values()])
    for point in low + points * (high - low):
        study.enqueue_trial(dict(zip(SPACE, point.tolist(), strict=True)))
    study.optimize(branin, n_trials=60)
    print(f"best {study.best_value:.5f} after {len(study.trials)} trials")
