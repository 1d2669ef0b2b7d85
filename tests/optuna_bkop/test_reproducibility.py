"""The same seed gives the same trials, wherever and however the study is run."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution

from optuna_bkop import BKOPSampler
from optuna_bkop._study.trial_cache import birth_of

SPACE: dict[str, BaseDistribution] = {
    "x": FloatDistribution(0, 1),
    "lr": FloatDistribution(1e-4, 1.0, log=True),
    "c": CategoricalDistribution(["a", "b", "d"]),
}


def value_of(params: dict[str, Any]) -> float:
    return abs(params["x"] - 0.3) + abs(params["lr"] - 0.01) + "abd".index(params["c"])


def objective(trial: optuna.Trial) -> float:
    return value_of({name: trial._suggest(name, d) for name, d in SPACE.items()})


def make_sampler(seed: int | None = 5, **arguments: Any) -> BKOPSampler:
    return BKOPSampler(seed=seed, n_startup_trials=6, **arguments)


def sequential(seed: int | None = 5, n_trials: int = 10, **arguments: Any) -> list[dict[str, Any]]:
    study = optuna.create_study(sampler=make_sampler(seed), **arguments)
    study.optimize(objective, n_trials=n_trials)
    return [trial.params for trial in study.trials]


def play_round(study: optuna.Study, n: int) -> None:
    trials = [study.ask(SPACE) for _ in range(n)]
    for trial in trials:
        study.tell(trial, value_of(trial.params))


def test_the_same_seed_gives_the_same_trials() -> None:
    first = sequential()
    assert first == sequential()
    assert first != sequential(seed=6)


def test_without_a_seed_studies_of_the_same_name_differ() -> None:
    first, second = (sequential(None, study_name="one") for _ in range(2))
    for params in first:
        for other in second:
            assert params["x"] != other["x"]
            assert params["lr"] != other["lr"]


def test_without_a_seed_the_birth_of_the_study_decides(tmp_path: Path) -> None:
    """Copies of a study that has begun go on with the same points."""
    storage = f"sqlite:///{tmp_path}/study.db"
    study = optuna.create_study(storage=storage, study_name="s", sampler=make_sampler(None))
    study.optimize(objective, n_trials=3)
    runs = []
    for number in range(2):
        copy = f"sqlite:///{tmp_path}/copy{number}.db"
        optuna.copy_study(
            from_study_name="s", from_storage=storage, to_storage=copy, to_study_name="s"
        )
        again = optuna.load_study(study_name="s", storage=copy, sampler=make_sampler(None))
        again.optimize(objective, n_trials=7)
        runs.append([trial.params for trial in again.trials])
    assert runs[0] == runs[1]


def test_an_enqueued_trial_does_not_decide_the_birth() -> None:
    """It exists before it begins, so that workers would not agree on when that is."""
    study = optuna.create_study(sampler=make_sampler(None))
    study.enqueue_trial({"x": 0.5})
    assert birth_of(study.get_trials()) == ""
    enqueued, regular = study.ask(), study.ask()
    begun = study.get_trials()[regular.number].datetime_start
    assert begun is not None
    assert birth_of(study.get_trials()) == begun.isoformat()
    assert enqueued.number < regular.number


def test_another_process_gives_the_same_trials() -> None:
    code = (
        "import json, optuna, sys; sys.path.insert(0, sys.argv[1]);"
        "optuna.logging.set_verbosity(optuna.logging.ERROR);"
        "import test_reproducibility as t; print(json.dumps(t.sequential()))"
    )
    here = str(Path(__file__).parent)
    # Strings are hashed differently in every process, and here certainly.
    out = subprocess.run(
        [sys.executable, "-c", code, here],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "77"},
    )
    assert json.loads(out.stdout) == sequential()


@pytest.mark.parametrize("at", [0, 3, 8])
def test_a_pickled_sampler_goes_on_the_same(at: int) -> None:
    study = optuna.create_study(sampler=make_sampler())
    study.optimize(objective, n_trials=at)
    study.sampler = pickle.loads(pickle.dumps(study.sampler))
    study.optimize(objective, n_trials=10 - at)
    assert [trial.params for trial in study.trials] == sequential()


def test_rounds_are_the_same_again() -> None:
    def rounds() -> list[dict[str, Any]]:
        study = optuna.create_study(sampler=make_sampler(batch_size=3))
        for _ in range(4):
            play_round(study, 3)
        return [trial.params for trial in study.trials]

    assert rounds() == rounds()


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_study_resumed_in_the_middle_of_a_batch_goes_on_the_same(
    interrupted: bool, tmp_path: Path
) -> None:
    """Asks of one round, half of them by another sampler object on a reloaded study."""
    storage = f"sqlite:///{tmp_path}/study.db"

    def load() -> optuna.Study:
        return optuna.create_study(
            storage=storage,
            study_name="s",
            sampler=make_sampler(batch_size=4),
            load_if_exists=True,
        )

    study = load()
    for _ in range(2):
        play_round(study, 4)
    begun = [study.ask(SPACE) for _ in range(2)]
    if interrupted:
        study = load()
    begun += [study.ask(SPACE) for _ in range(2)]
    for trial in begun:
        study.tell(trial.number, value_of(trial.params))
    play_round(study, 4)

    expected = optuna.create_study(sampler=make_sampler(batch_size=4))
    for _ in range(4):
        play_round(expected, 4)
    assert [t.params for t in study.trials] == [t.params for t in expected.trials]


def test_a_failed_trial_in_between_does_not_move_what_is_reproducible() -> None:
    def run() -> list[dict[str, Any]]:
        study = optuna.create_study(sampler=make_sampler())
        for i in range(10):
            trial = study.ask(SPACE)
            if i in (3, 7):
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(trial, value_of(trial.params))
        return [trial.params for trial in study.trials]

    assert run() == run()
