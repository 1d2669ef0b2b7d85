"""Batches by ask-and-tell, evaluated in processes; one of them fails now and then.

The loop is yours: ask for as many trials as there are workers, evaluate them wherever you like,
tell the results. The trials of a round are one joint plan, and a failed one costs nothing else.
At the end: which trials were planned together, and the regret bounds of the run.
"""

import math
from concurrent.futures import ProcessPoolExecutor

import optuna
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState

from optuna_bkop import BKOPSampler
from optuna_bkop.plots import plot_batches
from optuna_bkop.regret import regret_bound

SPACE = {"x": FloatDistribution(-5.0, 10.0), "y": FloatDistribution(0.0, 15.0)}
N_WORKERS = 4


def branin(params: dict[str, float]) -> float:
    """Branin's function; like a simulation that crashes in a corner of its domain."""
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
    print(
        f"{len(study.trials)} trials, {n_failed} failed; best {study.best_value:.5f} (0.39789 is)"
    )
    print(regret_bound(study))
    plot_batches(study).figure.savefig("batches.png", dpi=120)


if __name__ == "__main__":
    main()
