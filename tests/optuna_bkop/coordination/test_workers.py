"""Threads, processes, restarts, dead workers and retries."""

import datetime
import json
import shutil
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import optuna
import pytest
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop import BKOPSampler, _suggest
from optuna_bkop._coordination.records import batch_of, from_integers
from tests.support.plans import unpacked
from tests.support.storages import close_storage, open_storage

SPACE = {
    "x": optuna.distributions.FloatDistribution(0.0, 1.0),
    "y": optuna.distributions.FloatDistribution(0.0, 1.0),
}
#: Optuna 5 has new names for the callback that retries trials of dead workers.
IS_OPTUNA_5 = hasattr(optuna.storages, "RetryHeartbeatStaleTrialCallback")
CALLBACK_ARGUMENT = "heartbeat_stale_trial_callback" if IS_OPTUNA_5 else "failed_trial_callback"
Retry: Any = getattr(
    optuna.storages,
    "RetryHeartbeatStaleTrialCallback" if IS_OPTUNA_5 else "RetryFailedTrialCallback",
)
FAST: dict[str, Any] = {"n_startup_trials": 4, "length_scale_factors": (1.0,)}


def suggest(trial: optuna.Trial) -> tuple[float, float]:
    return trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)


def objective(trial: optuna.Trial) -> float:
    x, y = suggest(trial)
    return (x - 0.3) ** 2 + (y - 0.8) ** 2


def params(trials: list[FrozenTrial]) -> list[tuple[Any, ...]]:
    return [tuple(trial.params.values()) for trial in trials]


# Threads


def test_threads_share_fits_and_do_not_wait_for_each_other_s_objective(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = optuna.create_study(sampler=BKOPSampler(**FAST, seed=0))
    study.optimize(objective, n_trials=6)
    fits: list[tuple[int, bool | None]] = []
    fit_models = _suggest.fit_models

    def fit(U: Any, *args: Any, **kwargs: Any) -> Any:
        fits.append((len(U), kwargs["detailed"]))
        return fit_models(U, *args, **kwargs)

    monkeypatch.setattr(_suggest, "fit_models", create_autospec(fit_models, side_effect=fit))
    together = threading.Barrier(4, timeout=30.0)

    def wait_for_all(trial: optuna.Trial) -> float:
        value = objective(trial)
        together.wait()  # ends only if four objectives run at once
        return value

    study.optimize(wait_for_all, n_trials=8, n_jobs=4)
    # The first four know the same, which both readings are fitted to once. Of the others each may
    # know something new, or all of them the same if the four end before the first one asks.
    assert len(set(fits)) == len(fits)
    assert 2 <= len(fits) <= 7
    assert len(set(params(study.get_trials()))) == 14


# Processes

_ASK = """
import json, sys, warnings
import optuna
from optuna_bkop import BKOPSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)
sampler = BKOPSampler(n_startup_trials=4, length_scale_factors=(1.0,), batch_size=4)
study = optuna.load_study(study_name="same", storage=sys.argv[1], sampler=sampler)
trial = study.ask()
trial.suggest_float("x", 0.0, 1.0)
(owner,) = [t for t in study.get_trials() if t.number == trial.number]
head, numbers = owner.system_attrs["bkop"].split("\\n")
print(json.dumps([json.loads(head)["fingerprint"], json.loads(numbers)]))
"""


def test_processes_that_know_the_same_compute_the_same_plan(tmp_path: Path) -> None:
    """Without a seed, and on copies of one database, so that they cannot see each other."""
    original = f"sqlite:///{tmp_path / 'original.db'}"
    storage = open_storage(original)
    study = optuna.create_study(
        study_name="same", storage=storage, sampler=BKOPSampler(**FAST, batch_size=4)
    )
    study.optimize(objective, n_trials=6)
    close_storage(storage)
    runs = []
    for number in range(2):
        copy = tmp_path / f"copy{number}.db"
        shutil.copy(tmp_path / "original.db", copy)
        command = [sys.executable, "-c", _ASK, f"sqlite:///{copy}"]
        runs.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    plans = [json.loads(run.communicate(timeout=120)[0]) for run in runs]
    assert plans[0] == plans[1]
    assert len(plans[0][1]) == (1 + 4) * 2


# Dead workers


@pytest.fixture
def study(sqlite: str) -> Iterator[optuna.Study]:
    storage = open_storage(sqlite)
    study = optuna.create_study(
        study_name="dead", storage=storage, sampler=BKOPSampler(**FAST, batch_size=3)
    )
    # Finished trials are short, so that the limit is the argument's.
    study.optimize(objective, n_trials=6)
    yield study
    close_storage(storage)


def restarted(study: optuna.Study, **arguments: Any) -> optuna.Study:
    return optuna.load_study(
        study_name=study.study_name,
        storage=study._storage,
        sampler=BKOPSampler(**{**FAST, "batch_size": 3, **arguments}),
    )


def test_a_restart_in_the_middle_of_a_batch_goes_on_with_the_unfinished_points(
    study: optuna.Study, clock: Any
) -> None:
    planned = [suggest(study.ask()) for _ in range(3)]
    clock.forward(61.0)
    # All workers are dead, and so are their trials.
    again = restarted(study)
    trials = [again.ask() for _ in range(3)]
    assert [suggest(trial) for trial in trials] == planned


def test_before_the_limit_the_points_of_the_dead_are_held(study: optuna.Study, clock: Any) -> None:
    planned = [suggest(study.ask()) for _ in range(3)]
    clock.forward(61.0)
    again = restarted(study, stale_after=600.0)
    assert suggest(again.ask()) not in planned


def test_a_trial_may_take_five_times_as_long_as_the_longest(
    study: optuna.Study, clock: Any
) -> None:
    long = optuna.trial.create_trial(params={"x": 0.9, "y": 0.1}, distributions=SPACE, value=1.0)
    long.datetime_start = long.datetime_complete - datetime.timedelta(seconds=100)
    study.add_trial(long)
    held = suggest(study.ask())
    clock.forward(450.0)  # older than the argument, but not five times as old as the longest
    assert suggest(restarted(study).ask()) != held
    clock.forward(100.0)
    assert suggest(restarted(study).ask()) == held


def test_a_dead_asker_keeps_no_place(study: optuna.Study, clock: Any) -> None:
    for _ in range(3):
        study.ask()  # and nothing more
    clock.forward(6.0)
    trial = restarted(study).ask()
    x, y = suggest(trial)
    numbers = unpacked(study.get_trials()[-1])["numbers"]
    # The point is the first of three.
    assert tuple(from_integers(tuple(numbers[:2]))) == (x, y)
    assert numbers[2:4] == numbers[:2]
    assert len(numbers) == (1 + 3) * 2


def test_a_place_is_kept_for_a_trial_that_was_just_begun(study: optuna.Study) -> None:
    study.ask()
    x, y = suggest(restarted(study).ask())
    numbers = unpacked(study.get_trials()[-1])["numbers"]
    # The first of three points is left to the trial that was begun before.
    assert tuple(from_integers(tuple(numbers[4:6]))) == (x, y)


def test_with_heartbeats_trials_are_held_longer_but_not_for_ever(sqlite: str, clock: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # heartbeats are experimental, and not for ask-and-tell
        storage = open_storage(sqlite, heartbeat_interval=60)
        study = optuna.create_study(storage=storage, sampler=BKOPSampler(**FAST, batch_size=3))
        study.optimize(objective, n_trials=6)
        held = suggest(study.ask())
        clock.forward(61.0)
        assert suggest(restarted(study).ask()) != held
        # Begun by ask-and-tell, it has no heartbeat that Optuna could miss.
        clock.forward(600.0)
        assert suggest(restarted(study).ask()) == held
    close_storage(storage)


def open_with_heartbeats(name: str) -> Any:
    return open_storage(
        name, heartbeat_interval=1, grace_period=1, **{CALLBACK_ARGUMENT: Retry(max_retry=1)}
    )


#: A worker that tells its trial's point and then never ends.
ENDLESS = """
import sys
import optuna
from optuna_bkop import BKOPSampler
from tests.optuna_bkop.coordination.test_workers import FAST, open_with_heartbeats, suggest

def endless(trial):
    print(trial.number, *suggest(trial), flush=True)
    sys.stdin.read()

study = optuna.load_study(
    study_name="retried",
    storage=open_with_heartbeats(sys.argv[1]),
    sampler=BKOPSampler(**FAST, batch_size=3, seed=0),
)
study.optimize(endless, n_trials=1)
"""


def test_the_trial_of_a_killed_worker_is_retried_and_does_not_confuse_the_plan(
    sqlite: str,
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # heartbeats are experimental
        storage = open_with_heartbeats(sqlite)
        study = optuna.create_study(
            study_name="retried",
            storage=storage,
            sampler=BKOPSampler(**FAST, batch_size=3, seed=0),
        )
        study.optimize(objective, n_trials=6)
        with subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", ENDLESS, sqlite],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as worker:
            assert worker.stdout is not None
            number, *point = worker.stdout.readline().split()
            worker.kill()
        dead, taken = int(number), tuple(map(float, point))
        deadline = time.monotonic() + 30.0
        while not storage._get_stale_trial_ids(study._study_id):
            assert time.monotonic() < deadline
            time.sleep(0.05)

        seen: list[tuple[int, tuple[float, float]]] = []

        def remember(trial: optuna.Trial) -> float:
            seen.append((trial.number, suggest(trial)))
            return objective(trial)

        study.optimize(remember, n_trials=4)
    trials = study.get_trials()
    assert trials[dead].state == TrialState.FAIL
    retried = trials[dead + 1]
    assert retried.system_attrs["failed_trial"] == dead
    assert seen[0] == (retried.number, taken)
    assert batch_of(trials[dead]) is not None
    assert batch_of(retried) is None
    assert len({point for _, point in seen}) == 4
    assert all(t.state == TrialState.COMPLETE for t in trials if t.number != dead)
    close_storage(storage)


def test_a_retried_trial_is_held_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    study = optuna.create_study(sampler=BKOPSampler(**FAST, batch_size=1, seed=0))
    study.optimize(objective, n_trials=6)
    failed = study.ask()
    point = suggest(failed)
    study.tell(failed, state=TrialState.FAIL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Retry()(study, study.get_trials()[-1])
    again = study.ask()
    assert suggest(again) == point
    spy = create_autospec(_suggest.choose_batch, side_effect=_suggest.choose_batch)
    monkeypatch.setattr(_suggest, "choose_batch", spy)
    assert suggest(study.ask()) != point
    held = spy.call_args_list[0].args[1].tolist()
    assert any(row == pytest.approx(point) for row in held)
