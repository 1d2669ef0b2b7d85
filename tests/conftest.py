"""What holds for all tests: the model must work, and Optuna's verbosity is restored. Files of
storages are in memory, where a commit costs nothing.

The sampler answers a failure of its model with lattice points, so that users' studies go on. In
tests that would hide errors. Every test in which it happens fails, doctests included, unless it
has the mark ``fallback``.
"""

from collections.abc import Generator
from typing import Any

import optuna
import pytest

from tests.support import storages
from tests.support.model_guard import model_failures


class ModelMustWork:
    """Fails every test in which the sampler falls back to the lattice."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        verbosity = optuna.logging.get_verbosity()
        try:
            with model_failures() as errors:
                result = yield
        finally:
            optuna.logging.set_verbosity(verbosity)
        if errors and item.get_closest_marker("fallback") is None:
            raise AssertionError(f"The model failed {len(errors)} times.") from errors[0]
        return result


def pytest_configure(config: pytest.Config) -> None:
    # As a plugin it also sees the doctests, which are outside this folder.
    config.pluginmanager.register(ModelMustWork())
    storages.folder = storages.folder_in_memory()
