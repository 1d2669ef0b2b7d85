"""A study that is interrupted and resumed has the same trials as one that is not.

All state is in the storage: a study that is loaded with the same seed continues exactly. Here one
study runs without a stop. Another one stops, is loaded with a new sampler, and finishes. Their
trials are the same.
"""

import tempfile
from pathlib import Path

import optuna

from optuna_bkop import BKOPSampler


def objective(trial: optuna.Trial) -> float:
    """Return Rosenbrock's function."""
    x, y = trial.suggest_float("x", -2, 2), trial.suggest_float("y", -2, 2)
    return 100 * (y - x**2) ** 2 + (1 - x) ** 2


def run(storage: str, n_trials: int) -> optuna.Study:
    """Create the study, or load it, and add trials."""
    study = optuna.create_study(
        storage=storage,
        study_name="rosenbrock",
        load_if_exists=True,
        sampler=BKOPSampler(n_startup_trials=10, seed=7),
    )
    study.optimize(objective, n_trials=n_trials)
    return study


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        through = run(f"sqlite:///{Path(folder) / 'through.db'}", 24)
        run(f"sqlite:///{Path(folder) / 'resumed.db'}", 15)
        resumed = run(f"sqlite:///{Path(folder) / 'resumed.db'}", 9)
        same = [t.params for t in through.trials] == [t.params for t in resumed.trials]
        print(f"one run: {through.best_value:.6f}, 15 + 9 trials: {resumed.best_value:.6f}")
        print(f"the same trials: {same}")
