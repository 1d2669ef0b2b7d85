"""Optuna's own suite for samplers, with default and with the paper's settings."""

from collections.abc import Callable
from functools import partial

import pytest
from optuna.samplers import BaseSampler
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
)

from optuna_bkop import PAPER_SETTINGS, BKOPSampler

DEFAULT = partial(BKOPSampler, n_startup_trials=0)
#: Few evaluations, because the suite is about what is suggested, not about how good it is.
PAPER = partial(BKOPSampler, **{**PAPER_SETTINGS, "n_startup_trials": 0, "cma_evaluations": 30})


@pytest.mark.parametrize("sampler", [BKOPSampler, DEFAULT, PAPER])
class TestBKOPSampler(
    BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase
):
    @pytest.fixture
    def sampler(self, request: pytest.FixtureRequest) -> Callable[[], BaseSampler]:
        return request.param
