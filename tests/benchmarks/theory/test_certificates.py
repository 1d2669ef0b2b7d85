"""Measured regret stays below the certificates; the command `certificates` has 500 functions."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.theory.__main__ import main
from benchmarks.theory.certificates import (
    CERTIFICATES,
    CertificateCase,
    certificate_outcome,
    same_history_ratios,
)
from benchmarks.theory.rates import CASES, rates, slopes
from benchmarks.theory.stopping import WARMUP, function_trials, rules, stop_of

TRUE = [case for case in CERTIFICATES if case.understated == 1]
CONTROLS = [case for case in CERTIFICATES if case.understated > 1]


@pytest.mark.parametrize("case", TRUE, ids=lambda case: case.label)
def test_measured_regret_never_exceeds_the_certificate(case: CertificateCase) -> None:
    outcomes = [certificate_outcome(case, 10_000 + seed) for seed in range(5)]
    assert max(outcome.ratio for outcome in outcomes) <= 1
    if case.form == "sharp":
        assert np.median([outcome.share for outcome in outcomes]) <= 0.1


@pytest.mark.parametrize("case", CONTROLS, ids=lambda case: case.label)
def test_a_quarter_of_the_norm_is_found_out(case: CertificateCase) -> None:
    assert any(certificate_outcome(case, 10_000 + seed).ratio > 1 for seed in range(5))


def test_theorem_7s_line_holds_and_its_control_does_not() -> None:
    assert np.max([same_history_ratios(10_000 + seed) for seed in range(30)]) <= 1
    control = np.array([same_history_ratios(10_000 + seed, 4.0) for seed in range(30)])
    assert (control > 1).any(axis=0).all()


def test_deviations_of_lattices_fall_with_the_rates_of_the_theorems(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(CASES, ("matern52", 2), (3.0, (34, 89, 233)))
    monkeypatch.setitem(CASES, ("se", 1), (0.15, (5, 8, 13, 21)))
    assert slopes(rates("matern52", 2))[2] == pytest.approx(2.5, abs=0.3)
    first, last, _ = slopes(rates("se", 1))
    assert 2.5 < first < last - 2


def test_a_rule_stops_at_the_first_trial_that_meets_it() -> None:
    trials, optimum = function_trials("branin", 2, 0, 40)
    values = [trial.values[0] for trial in trials]
    at = stop_of(lambda some, gap: len(some) >= 30 and gap > 0, trials, optimum, 0.01)
    assert (at.n_trials, at.stopped) == (30, True)
    assert at.left == pytest.approx(min(values[:30]) / np.ptp(values[:30]))
    never = stop_of(lambda some, gap: False, trials, optimum, 0.01)
    assert (never.n_trials, never.stopped) == (40, False)
    stop = stop_of(rules(0)["certificate (estimate)"], trials, optimum, 0.01)
    assert stop.stopped
    assert WARMUP <= stop.n_trials < 40
    assert stop.left <= 0.01


def test_the_command_counts_violations_of_controls_only() -> None:
    done = CliRunner().invoke(main, ["certificates", "--functions", "2", "--seed", "7"])
    assert done.exit_code == 0, done.output
    lines = [line for line in done.output.splitlines() if " of 2" in line]
    assert len(lines) == len(CERTIFICATES) + 4
    assert all("control" in line for line in lines if " 0 of 2" not in line)
