"""Temporary storages, each with a database, a file or a key prefix of its own.

A storage is named by one string, which worker processes can open. The environment variables
`OPTUNA_BKOP_POSTGRESQL_URL`, `OPTUNA_BKOP_MYSQL_URL` and `OPTUNA_BKOP_REDIS_URL` say where the
services are, if not on this machine.
"""

from __future__ import annotations

import inspect
import os
import socket
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import optuna
from optuna.storages import BaseStorage, JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileSymlinkLock, JournalRedisBackend

URLS = {
    "postgresql": "postgresql+psycopg://postgres@127.0.0.1:5432/postgres",
    "mysql": "mysql+pymysql://root@127.0.0.1:3306/",
    "redis": "redis://127.0.0.1:6379",
}
KINDS = ("sqlite", "postgresql", "mysql", "journal-file", "redis")
#: A gRPC server in front of an SQLite storage; not one of `KINDS`, because it stores nothing.
GRPC = "grpc"
#: Where the files of storages are; None for the usual place. Tests keep them in memory, because a
#: database waits for the disk at each commit; benchmarks do not.
folder: str | None = None
#: Seconds after which others break the lock of a journal file whose owner was killed. Optuna's
#: default of 30 would dominate the tests that kill workers.
_LOCK_SECONDS = 10


def folder_in_memory() -> str | None:
    """Return a folder whose files are in memory, or None if there is none here."""
    shared = "/dev/shm"
    return shared if os.access(shared, os.W_OK) else None


def url_of(kind: str) -> str:
    """Return the URL of the service that storages of this kind need."""
    return os.environ.get(f"OPTUNA_BKOP_{kind.upper()}_URL", URLS[kind])


def missing(kind: str) -> str | None:
    """Return why storages of this kind cannot be created here, or None if they can."""
    if kind not in URLS:
        return None
    address = urlsplit(url_of(kind))
    try:
        socket.create_connection((address.hostname or "", address.port or 0), timeout=3).close()
        with temporary(kind):
            return None
    except Exception as error:
        return f"{kind} at {url_of(kind)}: {type(error).__name__}: {error}"


def frees_locks() -> bool:
    """Return whether this version of Optuna breaks a journal file's lock whose owner was killed.

    Early versions of Optuna 4 wait for such a lock for ever.
    """
    return "grace_period" in inspect.signature(JournalFileSymlinkLock).parameters


def open_storage(name: str, **kwargs: Any) -> BaseStorage:
    """Open a storage.

    Args:
        name: A URL of SQLAlchemy, `journal:PATH`, `redis://HOST:PORT#PREFIX` or
            `grpc://HOST:PORT`.
        kwargs: Passed to `RDBStorage`; ignored for other storages.
    """
    scheme, _, rest = name.partition(":")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        if scheme == "journal":
            period = {"grace_period": _LOCK_SECONDS} if frees_locks() else {}
            lock = JournalFileSymlinkLock(rest, **period)
            return JournalStorage(JournalFileBackend(rest, lock_obj=lock))
        if scheme == "redis":
            url, _, prefix = name.partition("#")
            return JournalStorage(JournalRedisBackend(url, prefix=prefix))
        if scheme == GRPC:
            address = urlsplit(name)
            return optuna.storages.GrpcStorageProxy(
                host=address.hostname or "localhost", port=address.port or 13000
            )
        return optuna.storages.get_storage(optuna.storages.RDBStorage(name, **kwargs))


def close_storage(storage: BaseStorage) -> None:
    """Close the connections of a storage, which cannot be used afterwards."""
    backend = getattr(storage, "_backend", None)
    storage.remove_session()
    if isinstance(backend, optuna.storages.RDBStorage):
        backend.engine.dispose()
    elif isinstance(backend, JournalRedisBackend):
        backend._redis.close()
    elif hasattr(storage, "close"):
        storage.close()


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a new folder for files of storages, which is deleted at the end of its context."""
    return tempfile.TemporaryDirectory(prefix="optuna-bkop-", dir=folder)


@contextmanager
def temporary(kind: str) -> Iterator[str]:
    """Yield the name of a new, empty storage of this kind, and delete the storage afterwards."""
    unique = f"optuna_bkop_{uuid.uuid4().hex[:12]}"
    with ExitStack() as stack:
        if kind in ("sqlite", "journal-file"):
            place = Path(stack.enter_context(temporary_folder()))
            yield f"sqlite:///{place / 'db'}" if kind == "sqlite" else f"journal:{place / 'log'}"
        elif kind == "redis":
            stack.callback(_drop_keys, unique)
            yield f"{url_of(kind)}#{unique}"
        elif kind == GRPC:
            yield stack.enter_context(_proxy(stack.enter_context(temporary("sqlite"))))
        else:
            stack.enter_context(_database(kind, unique))
            yield _with_database(url_of(kind), unique)


def _with_database(url: str, name: str) -> str:
    from sqlalchemy.engine import make_url

    return make_url(url).set(database=name).render_as_string(hide_password=False)


@contextmanager
def _database(kind: str, name: str) -> Iterator[None]:
    """Create a database, and drop it afterwards."""
    from sqlalchemy import create_engine, text

    engine = create_engine(url_of(kind), isolation_level="AUTOCOMMIT", pool_pre_ping=True)
    force = " WITH (FORCE)" if kind == "postgresql" else ""
    try:
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        try:
            yield
        finally:
            with engine.connect() as connection:
                connection.execute(text(f"DROP DATABASE {name}{force}"))
    finally:
        engine.dispose()


def _drop_keys(prefix: str) -> None:
    import redis

    with redis.Redis.from_url(url_of("redis")) as client:
        keys = list(client.scan_iter(match=f"{prefix}:*", count=1000))
        for start in range(0, len(keys), 1000):
            client.delete(*keys[start : start + 1000])


@contextmanager
def _proxy(behind: str) -> Iterator[str]:
    """Yield the name of a gRPC server in front of a storage, run by a thread of this process."""
    from optuna.storages._grpc.server import make_server

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    storage = open_storage(behind)
    server = make_server(storage, "127.0.0.1", port)
    server.start()
    try:
        yield f"{GRPC}://127.0.0.1:{port}"
    finally:
        server.stop(grace=None).wait()
        close_storage(storage)
