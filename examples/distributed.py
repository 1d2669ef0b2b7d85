"""Workers in several processes on one study. One of them may be killed, with `--kill`.

    python examples/distributed.py
    python examples/distributed.py --workers 8 --kill
    python examples/distributed.py --storage postgresql+psycopg://user@host/database

Workers know the storage and the study's name, and nothing about each other. On a cluster, start
as many as you like, on any machines, with the same storage and name.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path

import click
import optuna
from optuna.study import MaxTrialsCallback
from optuna.trial import TrialState

from optuna_bkop import BKOPSampler

STUDY = "distributed"
COMPLETE = (TrialState.COMPLETE,)


def objective(trial: optuna.Trial) -> float:
    """Return Rosenbrock's function; an evaluation takes a tenth of a second."""
    x = trial.suggest_float("x", -2.0, 2.0)
    y = trial.suggest_float("y", -1.0, 3.0)
    time.sleep(0.1)
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def work(storage: str, n_trials: int) -> None:
    """Run one worker; it stops when the study has enough finished trials."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(study_name=STUDY, storage=storage, sampler=BKOPSampler())
    study.optimize(objective, callbacks=[MaxTrialsCallback(n_trials, states=COMPLETE)])


@click.command()
@click.option("--storage", help="URL of SQLAlchemy; by default a new SQLite file.")
@click.option("--workers", default=4, show_default=True, help="Number of processes.")
@click.option(
    "--trials",
    default=80,
    show_default=True,
    help="Number of trials to finish.",
)
@click.option(
    "--kill", is_flag=True, help="Kill a worker after a third of the trials; start another."
)
def main(storage: str | None, workers: int, trials: int, kill: bool) -> None:
    """Minimise a function with several workers and show their progress."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        storage = storage or f"sqlite:///{Path(folder) / 'study.db'}"
        study = optuna.create_study(study_name=STUDY, storage=storage, load_if_exists=True)
        n_before = len(study.get_trials(states=COMPLETE))
        task = (storage, n_before + trials)

        processes = [context.Process(target=work, args=task) for _ in range(workers)]
        for process in processes:
            process.start()
        with click.progressbar(length=trials, label=f"{workers} workers") as bar:
            while bar.pos < trials:
                time.sleep(0.2)
                is_over = not any(process.is_alive() for process in processes)
                n_done = len(study.get_trials(deepcopy=False, states=COMPLETE)) - n_before
                if is_over and n_done < trials:
                    raise click.ClickException("All workers ended before the last trial.")
                bar.update(min(n_done, trials) - bar.pos)
                if kill and n_done >= trials // 3:
                    kill = False
                    processes[0].kill()
                    processes.append(context.Process(target=work, args=task))
                    processes[-1].start()
        for process in processes:
            process.join()

        states = [trial.state for trial in study.get_trials(deepcopy=False)]
        click.echo(
            f"{states.count(TrialState.COMPLETE)} trials finished, "
            f"{states.count(TrialState.RUNNING)} lost with a killed worker"
        )
        click.echo(f"best value {study.best_value:.3g} at {study.best_params}")


if __name__ == "__main__":
    main()
