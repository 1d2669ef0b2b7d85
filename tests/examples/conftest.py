"""Begins the examples with the session: they run on another core while other tests run."""

from __future__ import annotations

import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

#: The checks that have begun, by the id of their test.
BEGUN = pytest.StashKey[dict[str, "Future[None]"]]()
_POOL = pytest.StashKey[ThreadPoolExecutor]()
_FOLDER = pytest.StashKey["tempfile.TemporaryDirectory[str]"]()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin the checks of the selected tests, one at a time."""
    stash = session.config.stash
    stash[BEGUN], stash[_POOL] = {}, ThreadPoolExecutor(1)
    stash[_FOLDER] = tempfile.TemporaryDirectory()
    if session.config.option.collectonly:
        return
    for number, item in enumerate(session.items):
        checks = getattr(getattr(item, "module", None), "CHECKS", {})
        check = checks.get(getattr(item, "originalname", ""))
        if check is not None and item.path.parent == Path(__file__).parent:
            names = item.callspec.params.values() if hasattr(item, "callspec") else ()
            folder = Path(stash[_FOLDER].name) / str(number)
            folder.mkdir()
            stash[BEGUN][item.nodeid] = stash[_POOL].submit(check, *names, folder)


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Future[None]:
    """The check of a test, which has begun with the session."""
    return request.config.stash[BEGUN][request.node.nodeid]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Forget the checks that have not begun."""
    stash = session.config.stash
    if _POOL in stash:
        stash[_POOL].shutdown(cancel_futures=True)
        stash[_FOLDER].cleanup()
