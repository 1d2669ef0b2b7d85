"""Every storage for real: rounds of several workers, restarts, and workers that are killed."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import optuna
import pytest
from optuna.storages import BaseStorage, InMemoryStorage
from optuna.trial import TrialState

from optuna_bkop import BKOPSampler
from optuna_bkop._coordination.records import Entry, read_entry, write_entry
from tests.optuna_bkop.coordination.support import cube_of
from tests.optuna_bkop.coordination.unseeded import begin_studies
from tests.support.kills import kill_workers
from tests.support.plans import is_joint, n_broken, n_equal, unpacked
from tests.support.rounds import run_rounds
from tests.support.storages import (
    GRPC,
    close_storage,
    frees_locks,
    missing,
    open_storage,
    temporary,
)
from tests.support.workers import CONTEXT

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
            sampler=BKOPSampler(**FAST, batch_size=4),  # type: ignore[arg-type]
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
    plans = {unpacked(trial)["fingerprint"] for trial in trials[4:]} - {""}
    assert len(plans) == 4
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
    if kind == "journal-file" and not frees_locks():
        pytest.skip("a worker that is killed may keep the lock of the file for ever")
    outcome = kill_workers(
        kind, n_workers=3, n_trials=18, kill_at=(6, 12), dim=2, seconds=0.02, timeout=180, **FAST
    )
    assert outcome.finished >= 18
    assert outcome.kills == 2
    assert outcome.is_good, outcome


@pytest.mark.parametrize("kind", ["sqlite", GRPC])
def test_processes_that_ask_at_once_get_one_joint_plan(kind: str) -> None:
    rounds = run_rounds(kind, n_workers=4, n_rounds=2, n_startup_rounds=5, jitter=0.1)
    assert rounds.joint == rounds.rounds == 2


@pytest.mark.parametrize(("kind", "n_workers"), [("postgresql", 8), ("mysql", 2)])
def test_workers_without_a_seed_that_begin_at_once_agree_on_one_root(
    kind: str, n_workers: int
) -> None:
    """In 20 of 20 studies. MySQL keeps whole seconds."""
    reason = missing(kind)
    if reason is not None:
        pytest.skip(reason)
    n_tries = 20
    with ExitStack() as stack:
        name = stack.enter_context(temporary(kind))
        # Creates the tables: two processes that do it at once collide on MySQL.
        storage = open_storage(name)
        stack.callback(close_storage, storage)
        workers = [stack.enter_context(_worker(name, n_tries)) for _ in range(n_workers)]
        for number in range(n_tries):
            optuna.create_study(study_name=f"same {number}", storage=storage)
            for worker in workers:
                worker.send("begin")
            told = [worker.recv() for worker in workers]
            assert len({root for root, _ in told}) == 1
            assert len({params["x"] for _, params in told}) == n_workers


@contextmanager
def _worker(storage: str, n_studies: int) -> Iterator[Connection]:
    """Yield the pipe to a process that runs `begin_studies`, and end the process afterwards."""
    pipe, end = CONTEXT.Pipe()
    with pipe:
        worker = CONTEXT.Process(target=begin_studies, args=(storage, n_studies, end), daemon=True)
        worker.start()
        end.close()  # so that a worker that dies ends the pipe
        try:
            yield pipe
        finally:
            worker.kill()
            worker.join()


def test_values_of_fifty_points_in_fifty_dimensions_fit(sqlite: str) -> None:
    storage = open_storage(sqlite)
    study = optuna.create_study(storage=storage)
    trial = study.ask()
    frozen = storage.get_trial(trial._trial_id)
    points = [tuple(10**9 - 50 * i - j for j in range(50)) for i in range(50)]
    space = cube_of(50)
    entry = Entry(points[0], "f" * 16, tuple(points), "f" * 16)
    write_entry(study, frozen, space, entry)
    study.tell(trial, state=TrialState.FAIL)
    (read,) = study.get_trials()
    assert read_entry(read, space) == entry
    assert max(len(json.dumps(value)) for value in read.system_attrs.values()) < 2045
    close_storage(storage)


def test_the_example_survives_a_killed_worker() -> None:
    path = Path(__file__).parents[3] / "examples" / "distributed.py"
    run = subprocess.run(
        [sys.executable, path, "--workers", "2", "--trials", "9", "--kill"],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert re.search(r"^(9|1\d) trials finished, [01] lost", run.stdout, re.MULTILINE)
    assert "best value" in run.stdout


def test_a_worker_holds_at_most_two_connections(postgresql: str) -> None:
    """The guide says how many connections 64 workers need (docs/guide/clusters.md)."""
    from sqlalchemy import create_engine, text
    from sqlalchemy.pool import NullPool

    storage = open_storage(postgresql)
    study = optuna.create_study(storage=storage, sampler=BKOPSampler(**FAST))  # type: ignore[arg-type]
    for _ in range(8):
        tell(study, study.ask())
    query = text(
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with create_engine(postgresql, poolclass=NullPool).connect() as connection:
        assert 1 <= connection.execute(query).scalar_one() <= 2
    close_storage(storage)
