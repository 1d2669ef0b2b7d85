"""Batches by ask-and-tell, evaluated in several processes; some evaluations fail.

You write the loop: ask for as many trials as there are workers, evaluate them wherever you like,
and tell the results. The trials of a round are planned jointly, and a failed one does not affect
the others. At the end, the regret bounds of the run are printed, and a picture shows which trials
were planned together.
"""

import math
from concurrent.futures import ProcessPoolExecutor

import optuna
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState

from optuna_bkop import BKOPSampler
from optuna_bkop.plots.matplotlib import plot_batches
from optuna_bkop.regret import regret_bound

SPACE = {"x": FloatDistribution(-5.0, 10.0), "y": FloatDistribution(0.0, 15.0)}
N_WORKERS = 4


def branin(params: dict[str, float]) -> float:
    """Branin's function; it fails in a corner of its domain, as a simulation may do."""
    x, y = params["x"], params["y"]
    if x + y > 19:
        raise ArithmeticError("did not converge")
    parabola = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return parabola**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def main() -> None:
    """Run twelve rounds."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = BKOPSampler(batch_size=N_WORKERS, n_startup_trials=12, seed=0)
    study = optuna.create_study(sampler=sampler)
    with ProcessPoolExecutor(N_WORKERS) as pool:
        for _ in range(12):
            trials = [study.ask(SPACE) for _ in range(N_WORKERS)]
            futures = [pool.submit(branin, trial.params) for trial in trials]
            for trial, future in zip(trials, futures, strict=True):
                if future.exception() is None:
                    study.tell(trial, future.result())
                else:
                    study.tell(trial, state=TrialState.FAIL)

    n_failed = len(study.get_trials(states=(TrialState.FAIL,)))
    print(f"{len(study.trials)} trials, {n_failed} failed; best value {study.best_value:.5f}")
    print("the minimum is 0.39789")
    print(regret_bound(study))
    plot_batches(study).figure.savefig("batches.png", dpi=120)


if __name__ == "__main__":
    main()
