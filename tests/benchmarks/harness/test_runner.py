"""Runs resume where they ended, and a failed model is an error."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click
import optuna
import pytest

from benchmarks.harness.records import Cell, Record, failed, load
from benchmarks.harness.runner import run_cell, run_missing
from optuna_bkop import BKOPSampler, _suggest
from tests.support.model_guard import ModelFailedError, model_must_not_fail


@dataclass(frozen=True)
class NumberCell(Cell):
    number: int


def measure(cell: NumberCell) -> Record:
    if cell.number < 0:
        raise ValueError("negative")
    return {"final": cell.number**2, "cpu_per_point": 0.5}


def run(cell: NumberCell) -> Record:
    return run_cell(cell, measure)


def cells(*numbers: int) -> list[NumberCell]:
    return [NumberCell("random", number) for number in numbers]


def test_only_missing_runs_are_made(tmp_path: Path) -> None:
    output = tmp_path / "records.jsonl"
    run_missing(cells(1, 2), run, NumberCell.of, output)
    before = output.read_text()
    # The last line of an interrupted run.
    output.write_text(before + '{"sampler": "random", "num')
    records = run_missing(cells(1, 2, 3, 3), run, NumberCell.of, output)
    assert output.read_text().startswith(before)
    assert [record["final"] for record in records] == [1, 4, 9]
    assert set(records[0]["versions"]) >= {"python", "optuna"}


def test_failed_runs_are_recorded_reported_and_repeated_on_request(tmp_path: Path) -> None:
    output = tmp_path / "records.jsonl"
    with pytest.raises(click.ClickException, match="1 of 2 runs failed"):
        run_missing(cells(-1, 2), run, NumberCell.of, output)
    error, fine = load([output], NumberCell.of)
    assert failed(error)
    assert error["error"] == "ValueError: negative"
    assert "measure" in error["traceback"]
    assert not failed(fine)
    assert len(run_missing(cells(-1, 2), run, NumberCell.of, output)) == 2
    with pytest.raises(click.ClickException, match="1 of 1 runs failed"):
        run_missing(cells(-1, 2), run, NumberCell.of, output, retry_failed=True)


def _optimise(n_trials: int = 4) -> None:
    study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=2, seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=n_trials)


def _guarded_optimise() -> None:
    with model_must_not_fail():
        _optimise()


def _break_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def fit_models(*_args: object, **_kwargs: object) -> None:
        raise ArithmeticError("broken")

    monkeypatch.setattr(_suggest, "fit_models", fit_models)


@pytest.mark.fallback
@pytest.mark.parametrize("verbosity", [optuna.logging.INFO, optuna.logging.ERROR])
def test_a_failed_model_is_an_error_whatever_the_verbosity(
    monkeypatch: pytest.MonkeyPatch, verbosity: int
) -> None:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(verbosity)
    try:
        _guarded_optimise()
        _break_the_model(monkeypatch)
        with pytest.raises(ModelFailedError, match="ArithmeticError: broken"):
            _guarded_optimise()
        assert optuna.logging.get_verbosity() == verbosity
    finally:
        optuna.logging.set_verbosity(before)


@pytest.mark.fallback
def test_a_failed_model_is_an_error_even_if_something_catches_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _break_the_model(monkeypatch)
    with pytest.raises(ModelFailedError), model_must_not_fail(), suppress(ModelFailedError):
        _optimise()
    _optimise()  # outside of the block the sampler falls back as usual


@pytest.mark.fallback
def test_a_run_whose_model_fails_is_a_failed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure_model(cell: NumberCell) -> Record:
        _optimise(cell.number)
        return {}

    (cell,) = cells(4)
    assert not failed(run_cell(cell, measure_model))
    _break_the_model(monkeypatch)
    record = run_cell(cell, measure_model)
    assert "ArithmeticError: broken" in record["error"]
