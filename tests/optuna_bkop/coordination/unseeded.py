"""Workers without a seed that begin at the same moment: `python unseeded.py STORAGE N`.

In each of N studies a worker waits for a line on its input and then begins.

Each prints the root from which its randomness follows and the parameters of its first trial.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))
    import optuna

    from optuna_bkop import BKOPSampler
    from tests.support.storages import open_storage

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage, n_tries = open_storage(sys.argv[1]), int(sys.argv[2])
    for number in range(n_tries):
        sys.stdin.readline()  # all begin at once
        sampler = BKOPSampler()
        study = optuna.create_study(
            study_name=f"same {number}",
            storage=storage,
            sampler=sampler,
            load_if_exists=True,
        )
        trial = study.ask()
        trial.suggest_float("x", 0.0, 1.0)
        frozen = study.get_trials()[trial.number]
        print(json.dumps([sampler._root(study, frozen), trial.params]), flush=True)  # noqa: T201
