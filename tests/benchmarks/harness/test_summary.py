"""Ranks and comparisons of paired runs."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.harness.summary import bootstrap_interval, compare, cost_rows, mean_ranks
from benchmarks.harness.tables import aligned, markdown

BLOCKS = [
    {"a": 1.0, "b": 3.0, "c": 2.0},
    {"a": 2.0, "b": 2.0, "c": np.inf},
    {"a": 5.0, "b": 4.0},
]


def test_ranks_are_over_complete_blocks_and_a_failed_run_is_last() -> None:
    assert mean_ranks(BLOCKS, ["a", "b", "c"]) == {"a": 1.25, "b": 2.25, "c": 2.5}
    assert mean_ranks(BLOCKS[2:], ["a", "b", "c"]) == {}


def test_comparison_is_over_the_blocks_that_both_have_finished() -> None:
    found = compare(BLOCKS, "a", "b")
    assert found is not None
    assert found.differences.tolist() == [-2.0, 0.0, 1.0]
    assert found.wins.tolist() == [1.0, 0.5, 0.0]
    assert found.mean == pytest.approx(-1 / 3)
    low, high = found.interval
    assert -2.0 <= low < found.mean < high <= 1.0
    failed = compare(BLOCKS, "c", "a")
    assert failed is not None
    assert failed.n_pairs == 1
    assert compare(BLOCKS, "a", "a") is None
    assert compare(BLOCKS, "a", "d") is None


def test_bootstrap_interval_is_about_two_standard_errors_wide() -> None:
    values = np.random.default_rng(1).normal(3.0, 2.0, 400)
    low, high = bootstrap_interval(values)
    assert (low + high) / 2 == pytest.approx(values.mean(), abs=0.02)
    assert (high - low) / 2 == pytest.approx(1.96 * values.std() / 20, rel=0.05)


def test_costs_leave_failed_runs_out_and_count_them() -> None:
    records = [
        {"sampler": "a", "cpu_per_point": 0.1},
        {"sampler": "a", "cpu_per_point": 0.3},
        {"sampler": "b", "error": "ValueError"},
    ]
    assert cost_rows(records, ["a", "b"]) == [["CPU s/point", "0.2", "-"], ["failed", "0", "1"]]


def test_tables_are_aligned_or_markdown() -> None:
    rows = [["name", "x"], ["  long name", "1.5"]]
    assert aligned(rows) == "name           x\n  long name  1.5"
    assert markdown(rows) == "| name | x |\n|---|---:|\n| long name | 1.5 |"
