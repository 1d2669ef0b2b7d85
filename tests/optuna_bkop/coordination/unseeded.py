"""Workers without a seed that begin at the same moment."""

from __future__ import annotations

from multiprocessing.connection import Connection

import optuna

from optuna_bkop import BKOPSampler
from tests.support.storages import open_storage


def begin_studies(storage: str, n_studies: int, pipe: Connection) -> None:
    """Take part in studies, in each as soon as a message arrives.

    Sends the root from which the randomness of the study follows, and the parameters of the
    worker's first trial.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    opened = open_storage(storage)
    for number in range(n_studies):
        pipe.recv()  # all begin at once
        sampler = BKOPSampler()
        study = optuna.create_study(
            study_name=f"same {number}", storage=opened, sampler=sampler, load_if_exists=True
        )
        trial = study.ask()
        trial.suggest_float("x", 0.0, 1.0)
        frozen = study.get_trials()[trial.number]
        pipe.send((sampler._root(study, frozen), trial.params))
