"""Storages for tests: each test has a database, a file or a key prefix of its own."""

import os
from collections.abc import Iterator
from functools import lru_cache

import pytest
from optuna.storages import BaseStorage, InMemoryStorage

from benchmarks import storages

missing = lru_cache(storages.missing)


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
    """Every kind of storage that the benchmarks use."""
    reason = missing(request.param)
    if reason is not None and os.environ.get("OPTUNA_BKOP_REQUIRE_SERVICES") != "1":
        pytest.skip(reason)
    return str(request.param)


@pytest.fixture
def sqlite() -> Iterator[str]:
    """The name of an empty SQLite storage."""
    yield from name_of_new("sqlite")


@pytest.fixture
def memory() -> BaseStorage:
    """An empty storage in memory."""
    return InMemoryStorage()
