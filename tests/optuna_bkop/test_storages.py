"""Every storage for real: rounds of several workers, restarts, and workers that are killed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import optuna
import pytest
from optuna.storages import BaseStorage, InMemoryStorage
from optuna.trial import TrialState

from benchmarks import protocol
from benchmarks.storages import GRPC, close_storage, open_storage
from benchmarks.workers import is_joint, kill_workers, n_broken, n_equal, run_rounds
from optuna_bkop import BKOPSampler, _plan

FAST = {"n_startup_trials": 4, "length_scale_factors": (1.0,)}


def suggest(trial: optuna.Trial) -> tuple[float, float]:
    return trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)


def tell(study: optuna.Study, trial: optuna.Trial) -> None:
    x, y = suggest(trial)
    study.tell(trial, (x - 0.3) ** 2 + (y - 0.8) ** 2)


def check_rounds(storages: list[BaseStorage]) -> None:
    """Rounds of four trials of several workers, and a worker that comes later."""
    optuna.create_study(study_name="rounds", storage=storages[0])

    def join(storage: BaseStorage) -> optuna.Study:
        return optuna.load_study(
            study_name="rounds",
            storage=storage,
            sampler=BKOPSampler(**FAST),  # type: ignore[arg-type]
        )

    workers = [join(storage) for storage in storages]
    for n_round in range(4):
        owners = (workers * 4)[:4]
        trials = [owner.ask() for owner in owners]
        for trial in trials[::-1]:
            suggest(trial)
        if n_round > 0:
            assert is_joint(workers[0].get_trials(), [trial.number for trial in trials], 2)
        for owner, trial in zip(owners, trials, strict=True):
            tell(owner, trial)

    # Four points are planned and one is taken when the workers end; others go on with the rest.
    suggest(workers[-1].ask())
    later = join(storages[0])
    again = [later.ask() for _ in range(3)]
    for trial in again:
        suggest(trial)
    trials = later.get_trials()
    assert is_joint(trials, range(16, 20), 2)
    assert [t.number for t in trials] == list(range(20))
    assert n_equal(trials, 2) == 0
    assert sum(n_broken(trial, 2) for trial in trials) == 0
    assert sum(bool(t.system_attrs[_plan.KEY]["fingerprint"]) for t in trials[4:]) == 4
    json.dumps([t.system_attrs for t in trials])


def test_rounds_of_several_workers_are_joint_plans(shared: str) -> None:
    storages = [open_storage(shared) for _ in range(2)]
    try:
        check_rounds(storages)
    finally:
        for storage in storages:
            close_storage(storage)


def test_rounds_in_memory_are_joint_plans() -> None:
    check_rounds([InMemoryStorage()])


def test_workers_that_are_killed_lose_nothing(kind: str) -> None:
    outcome = kill_workers(
        kind, n_workers=3, n_trials=18, kill_at=(6, 12), dim=2, seconds=0.02, **FAST
    )
    assert outcome.finished >= 18
    assert outcome.kills == 2
    assert outcome.is_good, outcome


@pytest.mark.parametrize("kind", ["sqlite", GRPC])
def test_processes_that_ask_at_once_get_one_joint_plan(kind: str) -> None:
    rounds = run_rounds(kind, n_workers=4, n_rounds=2, n_startup_rounds=5, jitter=0.1)
    assert rounds.joint == rounds.rounds == 2


def test_values_of_fifty_points_in_fifty_dimensions_fit(sqlite: str) -> None:
    storage = open_storage(sqlite)
    study = optuna.create_study(storage=storage)
    trial = study.ask()
    frozen = storage.get_trial(trial._trial_id)
    points = [tuple(10**9 - 50 * i - j for j in range(50)) for i in range(50)]
    space = _plan.Space("s" * 16, 50)
    entry = _plan.Entry(points[0], "f" * 16, tuple(points), "f" * 16)
    _plan._write_entry(study, frozen, space, entry)
    study.tell(trial, state=TrialState.FAIL)
    (read,) = study.get_trials()
    assert _plan.read_entry(read, space) == entry
    assert max(len(json.dumps(value)) for value in read.system_attrs.values()) < 2045
    close_storage(storage)


def test_the_protocol_reads_twice_and_does_not_mind_old_plans() -> None:
    cost = protocol.measure("sqlite", 40, 40, dim=2, n_asks=3)
    assert cost.n_reads == 2
    assert 0.0 < cost.own < cost.protocol


def test_the_example_survives_a_killed_worker() -> None:
    path = Path(__file__).parents[2] / "examples" / "distributed.py"
    run = subprocess.run(
        [sys.executable, path, "--workers", "2", "--trials", "9", "--kill"],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert re.search(r"^(9|1\d) trials finished, [01] lost", run.stdout, re.MULTILINE)
    assert "best value" in run.stdout
