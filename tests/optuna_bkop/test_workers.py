"""Threads, processes, restarts, dead workers and retries."""

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

import optuna
import pytest
from optuna.trial import FrozenTrial, TrialState

from benchmarks.storages import close_storage, open_storage
from optuna_bkop import BKOPSampler, _ask, _plan

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
    fits: list[int] = []
    fit_models = _ask.fit_models

    def fit(U: Any, *args: Any, **kwargs: Any) -> Any:
        fits.append(len(U))
        return fit_models(U, *args, **kwargs)

    monkeypatch.setattr(_ask, "fit_models", fit)
    together = threading.Barrier(4, timeout=30.0)

    def wait_for_all(trial: optuna.Trial) -> float:
        value = objective(trial)
        together.wait()  # ends only if four objectives run at once
        return value

    study.optimize(wait_for_all, n_trials=8, n_jobs=4)
    # The first four know the same. Of the others each may know something new.
    assert fits.count(6) == 1
    assert 2 <= len(fits) <= 5
    assert len(set(params(study.get_trials()))) == 14


# Processes

_ASK = """
import json, sys, warnings
import optuna
from optuna_bkop import BKOPSampler, _plan

optuna.logging.set_verbosity(optuna.logging.ERROR)
sampler = BKOPSampler(n_startup_trials=4, length_scale_factors=(1.0,), batch_size=4)
study = optuna.load_study(study_name="same", storage=sys.argv[1], sampler=sampler)
trial = study.ask()
trial.suggest_float("x", 0.0, 1.0)
(owner,) = [t for t in study.get_trials() if t.number == trial.number]
head = owner.system_attrs[_plan.KEY]
print(json.dumps([head["fingerprint"], head["numbers"]]))
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
        study_name="dead",
        storage=storage,
        sampler=BKOPSampler(**FAST, batch_size=3, stale_after=0.3),
    )
    # Finished trials are short, so that the bound is the keyword's.
    study.optimize(objective, n_trials=6)
    yield study
    close_storage(storage)


def restarted(study: optuna.Study, **arguments: Any) -> optuna.Study:
    arguments = {**FAST, "batch_size": 3, "stale_after": 0.3, **arguments}
    return optuna.load_study(
        study_name=study.study_name, storage=study._storage, sampler=BKOPSampler(**arguments)
    )


def _longest(study: optuna.Study) -> float:
    return max(t.duration.total_seconds() for t in study.get_trials() if t.duration is not None)


def test_a_restart_in_the_middle_of_a_batch_goes_on_with_the_unfinished_points(
    study: optuna.Study,
) -> None:
    planned = [suggest(study.ask()) for _ in range(3)]
    time.sleep(5.1 * _longest(study) + 0.5)
    # All workers are dead, and so are their trials.
    again = restarted(study)
    trials = [again.ask() for _ in range(3)]
    assert [suggest(trial) for trial in trials] == planned


def test_before_the_bound_the_points_of_the_dead_are_held(study: optuna.Study) -> None:
    planned = [suggest(study.ask()) for _ in range(3)]
    again = restarted(study, stale_after=600.0)
    assert suggest(again.ask()) not in planned


def test_a_trial_may_take_several_times_as_long_as_the_longest(study: optuna.Study) -> None:
    slow = study.ask()
    objective(slow)
    time.sleep(1.0)  # points are stamped in whole seconds, so less would be a matter of luck
    study.tell(slow, objective(slow))
    held = suggest(study.ask())
    time.sleep(0.5)  # longer than the keyword, not longer than five times the longest
    assert suggest(restarted(study).ask()) != held


def test_a_dead_asker_keeps_no_place(study: optuna.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ask, "_ASK_SECONDS", 0.2)
    for _ in range(3):
        study.ask()  # and nothing more
    time.sleep(0.3)
    trial = restarted(study, stale_after=600.0).ask()
    x, y = suggest(trial)
    numbers = study.get_trials()[-1].system_attrs[_plan.KEY]["numbers"]
    # The point is the first of three.
    assert tuple(_plan.from_integers(tuple(numbers[:2]))) == (x, y)
    assert numbers[2:4] == numbers[:2]
    assert len(numbers) == (1 + 3) * 2


def test_with_heartbeats_trials_are_held_longer_but_not_for_ever(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # heartbeats are experimental, and not for ask-and-tell
        storage = open_storage(sqlite, heartbeat_interval=60)
        study = optuna.create_study(
            storage=storage, sampler=BKOPSampler(**FAST, batch_size=3, stale_after=0.05)
        )
        study.optimize(objective, n_trials=6)
        held = suggest(study.ask())
        time.sleep(5.1 * _longest(study) + 0.2)
        again = restarted(study, stale_after=0.05)
        assert suggest(again.ask()) != held
        # Begun by ask-and-tell, it has no heartbeat that Optuna could miss.
        monkeypatch.setattr(_ask, "_HEARTBEAT_TIMES", 1.0)
        time.sleep(0.1)
        assert suggest(restarted(study, stale_after=0.05).ask()) == held
    close_storage(storage)


def test_a_retried_trial_keeps_its_parameters_and_does_not_confuse_the_plan(sqlite: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        retry = optuna.storages.RetryHeartbeatStaleTrialCallback(max_retry=1)
        storage = open_storage(
            sqlite,
            heartbeat_interval=1,
            grace_period=1,
            heartbeat_stale_trial_callback=retry,
        )
        study = optuna.create_study(
            storage=storage, sampler=BKOPSampler(**FAST, batch_size=3, seed=0)
        )
        study.optimize(objective, n_trials=6)
        dead = study.ask()
        taken = suggest(dead)
        storage.record_heartbeat(dead._trial_id)  # type: ignore[attr-defined]
        time.sleep(2.5)

        seen: list[tuple[int, tuple[float, float]]] = []

        def remember(trial: optuna.Trial) -> float:
            seen.append((trial.number, suggest(trial)))
            return objective(trial)

        study.optimize(remember, n_trials=4)
    trials = study.get_trials()
    assert trials[dead.number].state == TrialState.FAIL
    retried = trials[dead.number + 1]
    assert retried.system_attrs["failed_trial"] == dead.number
    assert seen[0] == (retried.number, taken)
    assert _plan.batch_of(retried) is None
    assert len({point for _, point in seen}) == 4
    assert all(t.state == TrialState.COMPLETE for t in trials if t.number != dead.number)
    close_storage(storage)


def test_a_retried_trial_is_held_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    study = optuna.create_study(sampler=BKOPSampler(**FAST, batch_size=1, seed=0))
    study.optimize(objective, n_trials=6)
    failed = study.ask()
    point = suggest(failed)
    study.tell(failed, state=TrialState.FAIL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optuna.storages.RetryHeartbeatStaleTrialCallback()(study, study.get_trials()[-1])
    again = study.ask()
    assert suggest(again) == point
    held: list[Any] = []
    choose_batch = _ask.choose_batch

    def spy(fitted: Any, U_held: Any, q: int, **kwargs: Any) -> Any:
        held.append(U_held.tolist())
        return choose_batch(fitted, U_held, q, **kwargs)

    monkeypatch.setattr(_ask, "choose_batch", spy)
    assert suggest(study.ask()) != point
    assert any(row == pytest.approx(point) for row in held[0])
