"""Errors carry the value and the choices."""

from typing import Any

import numpy as np
import optuna
import pytest

from optuna_bkop import BKOPSampler
from optuna_bkop._coordination.records import batch_of

ALIKE = [
    ("batch_size", 0, "`batch_size` must be a positive integer, got 0."),
    ("batch_size", -3, "got -3"),
    ("batch_size", 2.5, "got 2.5"),
    ("batch_size", True, "got True"),
    ("batch_size", "4", "got '4'"),
    ("n_startup_trials", -1, "`n_startup_trials` must be an integer of at least 0, got -1."),
    ("n_startup_trials", None, "got None"),
    ("strategy", "ei", "`strategy` must be one of bkop, gp_bucb, gp_ucb_pe, bull, got 'ei'."),
    ("strategy", None, "got None"),
    ("strategy", ["bkop"], "bkop"),
    ("acquisition_form", "max", "`acquisition_form` must be one of .*mean.* got 'max'"),
    ("acquisition_form", "max", "rms"),
    ("maximizer", "adam", "`maximizer` must be one of .*gradient.* got 'adam'"),
    ("maximizer", "adam", "cma"),
    ("kernel", "rbf", "`kernel` must be one of matern52, se, got 'rbf'"),
    ("warping", "rank", "`warping` must be one of .*none.* got 'rank'"),
    ("rkhs_norm", 0.0, "`rkhs_norm` must be a positive finite number, got 0.0."),
    ("rkhs_norm", -1.0, "got -1.0"),
    ("rkhs_norm", float("nan"), "got nan"),
    ("rkhs_norm", float("inf"), "got inf"),
    ("rkhs_norm", "1", "got '1'"),
    ("rkhs_norm", True, "got True"),
    ("noise_var", -1e-9, "`noise_var` must be a non-negative finite number, got -1e-09."),
    ("noise_var", float("inf"), "got inf"),
    ("trust_margin", -0.1, "`trust_margin` .* got -0.1"),
    ("cma_evaluations", 0, "`cma_evaluations` .* got 0"),
    ("stale_after", 0, "`stale_after` must be a positive finite number, got 0."),
    ("prior_mean", float("nan"), "`prior_mean` must be a finite number, got nan."),
    ("prior_mean", "low", "`prior_mean` must be a finite number, got 'low'."),
    ("prior_mean", None, "`prior_mean` must be a finite number, got None."),
    ("length_scale_factors", (), "`length_scale_factors` must .* got"),
    ("length_scale_factors", (1.0, 0.0), "`length_scale_factors` .* got 0.0"),
    ("length_scale_factors", 0.5, "`length_scale_factors` .* got 0.5"),
    ("seed", -1, "`seed` must be an integer of at least 0, got -1."),
    ("seed", "7", "got '7'"),
    ("independent_sampler", "tpe", "`independent_sampler` must be an Optuna sampler, got 'tpe'."),
    ("search_space", {"x": (0, 1)}, "`search_space` must map names to Optuna distributions"),
    ("search_space", {"x": (0, 1)}, r"got \(0, 1\) for 'x'"),
    ("search_space", [("x", 1)], "`search_space`"),
    ("warn_independent_sampling", "no", "`warn_independent_sampling` .* got 'no'"),
]


@pytest.mark.parametrize(("name", "value", "message"), ALIKE)
def test_a_wrong_argument_is_named_with_its_value(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BKOPSampler(**{name: value})


@pytest.mark.parametrize(
    "arguments",
    [
        {"batch_size": np.int64(4), "seed": np.int64(3), "n_startup_trials": np.int32(0)},
        {"rkhs_norm": 2, "noise_var": 0, "trust_margin": 0, "prior_mean": 0},
        {"rkhs_norm": np.float32(0.5), "noise_var": np.float64(0.1)},
        {"length_scale_factors": [1]},
        {"length_scale_factors": np.array([0.5, 1.0])},
        {"batch_size": None, "search_space": None, "noise_var": None, "trust_margin": None},
        {"search_space": {}},
        {"search_space": {"x": optuna.distributions.IntDistribution(3, 3)}},
        {"seed": 2**80},
        {"maximizer": "cma", "cma_evaluations": np.int64(20)},
        {"trust_margin": np.float32(0.2), "prior_mean": np.int64(-1), "stale_after": 5},
        {"warn_independent_sampling": np.True_, "strategy": "bull", "kernel": "se"},
        {"length_scale_factors": iter([0.5, 1.0]), "warping": "half-rank"},
    ],
)
def test_what_is_a_number_is_accepted_and_reaches_the_model(arguments: dict[str, Any]) -> None:
    sampler = BKOPSampler(**{"n_startup_trials": 2, **arguments})
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=6)
    # An empty search space leaves nothing to the model.
    is_modelled = batch_of(study.trials[-1]) is not None
    assert is_modelled is (arguments.get("search_space") is None)
    assert len({trial.params["x"] for trial in study.trials}) == 6


def test_arguments_are_keywords_only() -> None:
    with pytest.raises(TypeError, match="positional"):
        BKOPSampler(4)  # type: ignore[misc]
