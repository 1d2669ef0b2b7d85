"""Measured regret stays below the certificates; the command `certificates` has 500 functions."""

from __future__ import annotations

from pathlib import Path

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
from benchmarks.theory.stopping import (
    WARMUP,
    function_cell,
    run,
    scores,
    stop_at,
    stops_of,
    trials_of,
)
from benchmarks.theory.tradeoffs import Outcome, comparison, tradeoff

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
    record = run(function_cell("branin", 2, 0, 40))
    trials, values = trials_of(record), np.array(record["values"])
    assert [trial.value for trial in trials] == record["values"]
    found = scores(lambda some: 30 - len(some), trials, 0.0)
    assert found == list(range(10, -1, -1))
    soon, late = (stop_at(found, limit, values, 0.0) for limit in (5.0, 0.0))
    assert (soon.n_trials, soon.stopped) == (25, True)
    assert (late.n_trials, late.stopped) == (30, True)
    assert late.left == pytest.approx(min(values[:30]) / np.ptp(values[:30]))
    never = stop_at(found, -1.0, values, 0.0)
    assert (never.n_trials, never.stopped) == (40, False)
    stops = stops_of(record, 0.01)
    stop, known = (stops[rule]["gap x 1"] for rule in ("certificate (estimate)", "regret known"))
    assert known.n_trials == next(
        n for n in range(WARMUP, 41) if values[:n].min() <= 0.01 * np.ptp(values[:n])
    )
    assert known.n_trials <= stop.n_trials
    assert stop.stopped
    assert WARMUP <= stop.n_trials < 40
    assert stop.left <= 0.01


def test_rules_are_compared_at_what_they_leave() -> None:
    def outcome(trials: float, n_within: int, median: float) -> Outcome:
        return Outcome(trials, 20, 20, n_within, n_within, median, mean_left=100 / trials)

    found = {
        "certificate (estimate)": {"gap x 1": outcome(30, 20, 1e-4)},
        "RegretBoundEvaluator": {
            "gap x 1": outcome(40, 20, 1e-5),
            "gap x 2": outcome(35, 20, 1e-3),
            "gap x 3": outcome(28, 19, 1e-4),
            "gap x 5": outcome(25, 17, 1e-4),
        },
    }
    lines = comparison(found)
    expected = ["35.0 (gap x 2)", "28.0 (gap x 3)", "25.0 (gap x 5)", "35.0 (gap x 2)"]
    expected.append("40.0 (gap x 1)")
    for line, text in zip(lines[1:], expected, strict=True):
        assert f"RegretBoundEvaluator {text}" in line
    assert len(tradeoff(found)) == 6


def test_command_stops_recorded_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.theory.__main__.FUNCTIONS", ("branin",))
    picture, output = tmp_path / "stopping.png", tmp_path / "stopping.jsonl"
    arguments = ["stopping", "--seeds", "0", "--trials", "25", "--no-parallel"]
    arguments += ["--output", str(output), "--picture", str(picture)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "certificate (estimate), gap x 1" in done.output
    assert picture.stat().st_size > 1000
    recorded = output.read_text()
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert output.read_text() == recorded


def test_the_command_counts_violations_of_controls_only() -> None:
    done = CliRunner().invoke(main, ["certificates", "--functions", "2", "--seed", "7"])
    assert done.exit_code == 0, done.output
    lines = [line for line in done.output.splitlines() if " of 2" in line]
    assert len(lines) == len(CERTIFICATES) + 4
    assert all("control" in line for line in lines if " 0 of 2" not in line)
