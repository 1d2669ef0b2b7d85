"""Optuna's own suite for samplers, with default and with the paper's settings."""

from collections.abc import Callable
from functools import partial

import pytest
from optuna.samplers import BaseSampler
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

from optuna_bkop import BKOPSampler

DEFAULT = partial(BKOPSampler, n_startup_trials=0)
PAPER = partial(
    BKOPSampler,
    n_startup_trials=0,
    acquisition_form="rms",
    warping="none",
    length_scale_factors=(1.0,),
    prior_mean=0.0,
    trust_margin=None,
)


@pytest.mark.parametrize("sampler", [BKOPSampler, DEFAULT, PAPER])
class TestBKOPSampler(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self, request: pytest.FixtureRequest) -> Callable[[], BaseSampler]:
        return request.param
