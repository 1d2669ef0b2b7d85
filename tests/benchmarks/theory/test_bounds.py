"""Measured regret stays below the bounds; the command `bounds` has 500 functions of each kind."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.theory.__main__ import main
from benchmarks.theory.algorithms import acquisitions, multisets
from benchmarks.theory.bounds import adversarial_ratios, ratios
from benchmarks.theory.cases import CASES, Case
from optuna_bkop._batch.acquisition import BatchAcquisition
from optuna_bkop._model.kernel_model import Hyperparameters, KernelModel
from optuna_bkop._model.kernels import KERNELS


@pytest.mark.parametrize("case", [c for c in CASES if c.understated == 1], ids=lambda c: c.label)
def test_measured_regret_never_exceeds_the_bounds(case: Case) -> None:
    for seed in range(8):
        assert max(ratios(case, 10_000 + seed).values()) <= 1


def test_an_understated_norm_is_found_out() -> None:
    control = next(case for case in CASES if case.understated > 1)
    assert any(max(ratios(control, 10_000 + seed).values()) > 1 for seed in range(8))


def test_best_of_random_points_never_exceeds_the_adversarial_bound() -> None:
    assert all(max(adversarial_ratios(10_000 + seed).values()) <= 1 for seed in range(20))


@pytest.mark.parametrize("form", ["rms", "mean"])
def test_enumerated_batches_are_scored_as_by_the_sampler(form: str) -> None:
    X = np.random.default_rng(3).random((9, 2))
    model = KernelModel.condition(
        X[:5],
        np.sin(X[:5].sum(axis=1)),
        kernel=KERNELS["se"],
        hyperparameters=Hyperparameters(np.array([0.4, 0.4]), 1.0, 1e-3),
        groups=np.arange(2),
        prior_mean=0.0,
    )
    batches = multisets(9, 2)
    naive = acquisitions(model.mean(X), model.cov(X), batches, 1.7, form)
    acquisition = BatchAcquisition([model], 1.7, form)
    np.testing.assert_allclose(naive, [acquisition.value(X[b]) for b in batches], atol=1e-9)


def test_command_counts_violations_of_the_control_only() -> None:
    done = CliRunner().invoke(main, ["bounds", "--functions", "4"])
    assert done.exit_code == 0, done.output
    lines = [line for line in done.output.splitlines() if line.endswith("of 4")]
    assert len(lines) == len(CASES) + 1
    assert [line for line in lines if not line.endswith("0 of 4")] == [
        line for line in lines if "control" in line
    ]
