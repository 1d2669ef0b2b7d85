"""Storages for tests: each test has a database, a file or a key prefix of its own."""

import os
import time
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from optuna.storages import BaseStorage, InMemoryStorage

from optuna_bkop._coordination import liveness, records
from tests.support import storages

missing = lru_cache(storages.missing)

#: Optuna ships its suite for samplers since 4.5.
collect_ignore = [] if find_spec("optuna.testing.pytest_samplers") else ["test_conformance.py"]


def name_of_new(kind: str) -> Iterator[str]:
    reason = missing(kind)
    if reason is not None:
        if os.environ.get("OPTUNA_BKOP_REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with storages.temporary(kind) as name:
        yield name


@pytest.fixture(params=[*storages.KINDS, storages.GRPC])
def shared(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of an empty storage that several processes can open, of every kind."""
    yield from name_of_new(request.param)


@pytest.fixture(params=storages.KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Every kind of storage that stores something itself."""
    reason = missing(request.param)
    if reason is not None and os.environ.get("OPTUNA_BKOP_REQUIRE_SERVICES") != "1":
        pytest.skip(reason)
    return str(request.param)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """An empty folder as pytest's own, but where storages are: most of these tests need one."""
    with storages.temporary_folder() as folder:
        yield Path(folder)


@pytest.fixture
def sqlite() -> Iterator[str]:
    """The name of an empty SQLite storage."""
    yield from name_of_new("sqlite")


@pytest.fixture
def postgresql() -> Iterator[str]:
    """The name of an empty PostgreSQL storage."""
    yield from name_of_new("postgresql")


class Clock:
    """The clocks by which the sampler tells ages; they can be moved forward."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def forward(self, seconds: float) -> None:
        self._ahead += seconds

    def time(self) -> float:
        return time.time() + self._ahead

    def monotonic(self) -> float:
        return time.monotonic() + self._ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Clocks that can be moved forward, so that no test has to wait."""
    clock = Clock()
    monkeypatch.setattr(liveness, "time", clock)
    monkeypatch.setattr(records, "time", clock)
    return clock


@pytest.fixture
def memory() -> BaseStorage:
    """An empty storage in memory."""
    return InMemoryStorage()
