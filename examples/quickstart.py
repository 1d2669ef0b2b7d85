"""A study with batches in an SQLite file: a predator-prey model is fitted to 21 years of fur data.

Rounds of eight trials are planned jointly and evaluated in parallel. The script prints the best
fit and draws study.png. After an interruption, run it again: it continues the study in study.db.
"""

from concurrent.futures import ThreadPoolExecutor

import click
import numpy as np
import optuna
from matplotlib.figure import Figure
from optuna.distributions import FloatDistribution
from scipy.integrate import solve_ivp

from optuna_bkop import BKOPSampler

HARES = [30, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22, 25.4, 27.1, 40.3, 57, 76.6, 52.3, 19.5]
LYNXES = [4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7, 51.1]
PELTS = np.array([[*HARES, 11.2, 7.6, 14.6, 16.2, 24.7], [*LYNXES, 29.7, 15.8, 9.7, 10.1, 8.6]]).T
RANGES = {"birth": (0.2, 1), "eaten": (0.01, 0.1), "death": (0.3, 1.5), "growth": (0.01, 0.1),
          "hares": (20, 50), "lynxes": (2, 10)}  # fmt: skip
SPACE = {name: FloatDistribution(*ends, log=True) for name, ends in RANGES.items()}
N_TRIALS, N_AT_ONCE = 96, 8


def model(birth, eaten, death, growth, hares, lynxes):
    """Return hares and lynxes (21, 2), a row per year from 1900 on (Lotka and Volterra)."""

    def change(_, z):
        return z[0] * (birth - eaten * z[1]), z[1] * (growth * z[0] - death)

    years = np.arange(21.0)
    return solve_ivp(change, (0, 20), [hares, lynxes], t_eval=years, rtol=1e-5).y.T


def error(trial):
    """Return the root mean square error of the logarithms."""
    return np.sqrt(np.mean(np.log(np.maximum(model(**trial.params), 1e-3) / PELTS) ** 2))


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(
    storage="sqlite:///study.db",
    study_name="fur",
    load_if_exists=True,
    sampler=BKOPSampler(seed=0),
)
todo = max(N_TRIALS - len(study.get_trials(states=[optuna.trial.TrialState.COMPLETE])), 0)
with click.progressbar(length=todo, label="trials") as bar, ThreadPoolExecutor(N_AT_ONCE) as pool:
    for start in range(0, todo, N_AT_ONCE):
        trials = [study.ask(SPACE) for _ in range(min(N_AT_ONCE, todo - start))]  # one joint plan
        for trial, value in zip(trials, pool.map(error, trials), strict=True):
            study.tell(trial, value)
        bar.update(len(trials))
print(f"{len(study.trials)} trials in study.db, best error {study.best_value:.4f} with")
print(", ".join(f"{name} {value:.3g}" for name, value in study.best_params.items()))

left, right = Figure(figsize=(11, 4), layout="constrained").subplots(1, 2)
left.semilogy(np.minimum.accumulate([t.value for t in study.trials if t.value is not None]))
left.set(xlabel="trials", ylabel="best error so far")
right.plot(np.arange(1900, 1921), PELTS, "o", label=["hares", "lynxes"])
right.set_prop_cycle(None)  # the same two colours
right.plot(np.arange(1900, 1921), model(**study.best_params))
right.set(xlabel="year", ylabel="pelts (thousands)", xticks=range(1900, 1921, 5))
right.legend()
left.figure.savefig("study.png", dpi=120)
