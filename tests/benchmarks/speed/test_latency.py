"""Latency is measured about one base cell, and tables show what was measured."""

from __future__ import annotations

import click
import pytest

from benchmarks.speed.asks import MEASURES, AskCell, run
from benchmarks.speed.latency import BASE, grid, parse_limits, sweeps, tables


def test_sweeps_vary_one_thing_at_a_time_and_have_the_base_once() -> None:
    cells = sweeps([20, 100], [6, 50], [1, 5])
    assert len(cells) == len(set(cells)) == 4
    for cell in cells:
        assert sum(getattr(cell, name) != value for name, value in BASE.items()) <= 1


def test_a_grid_has_all_combinations() -> None:
    assert len(set(grid([20, 100], [6, 50], [1, 5, 128]))) == 12


def test_limits_are_parsed_or_refused() -> None:
    assert parse_limits(("gp=1000", "m:f?a=1=20")) == {"gp": 1000, "m:f?a=1": 20}
    with pytest.raises(click.BadParameter, match="got 'gp'"):
        parse_limits(("gp",))


def test_run_measures_an_ask_and_tables_show_it() -> None:
    record = run(AskCell(sampler="random", trials=20, dim=2, q=3, rounds=2, function="sphere"))
    assert record.get("error") is None
    assert record["slowest"] >= record["wall"] > 0.0
    assert record["process_mib"] > 1.0
    found = tables([record])
    assert [rows[0][0] for rows in found] == list(MEASURES.values())
    assert found[0][1][1:5] == ["sphere", "20", "2", "3"]
    assert found[0][1][5] == f"{record['cpu']:.3g}"
