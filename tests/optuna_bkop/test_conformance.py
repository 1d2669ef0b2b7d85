"""Optuna's own suite for samplers, with default and with the paper's settings."""

from collections.abc import Callable
from functools import partial

import numpy as np
import optuna
import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
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
DISTRIBUTIONS = [
    FloatDistribution(-1.0, 0.0),
    FloatDistribution(1e-7, 1.0, log=True),
    FloatDistribution(-10.2, 10.2, step=0.1),
    IntDistribution(-10, 10, step=2),
    IntDistribution(1, 100, log=True),
    CategoricalDistribution((1, "a", None)),
]


@pytest.mark.parametrize("sampler", [BKOPSampler, DEFAULT, PAPER])
class TestBKOPSampler(
    BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase
):
    @pytest.fixture
    def sampler(self, request: pytest.FixtureRequest) -> Callable[[], BaseSampler]:
        return request.param


@pytest.mark.parametrize("sampler", [DEFAULT, PAPER])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_several_objectives_in_every_kind_of_range(
    sampler: Callable[[], BaseSampler], distribution: BaseDistribution
) -> None:
    """Optuna's suite for several objectives never gets as far as the model of the front."""
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler())
    for number in range(6):
        trial = study.ask({"x": distribution, "y": FloatDistribution(0.0, 1.0)})
        x = trial.params["x"]
        assert distribution._contains(distribution.to_internal_repr(x))
        assert not isinstance(x, np.generic)
        study.tell(trial, [number % 3 + trial.params["y"], number % 2])
    assert len({tuple(trial.params.items()) for trial in study.trials}) == 6
