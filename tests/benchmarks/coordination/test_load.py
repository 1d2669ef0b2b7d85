"""Under load, finished trials and the cost of asks are counted."""

from __future__ import annotations

from benchmarks.coordination import load


def test_workers_finish_trials_and_asks_are_timed() -> None:
    found = load.measure("sqlite", "random", n_workers=2, objective=0.05, seconds=1.0, dim=2)
    assert (found.storage, found.workers, found.sampler) == ("sqlite", 2, "random")
    assert 2 <= found.finished <= 2 * (1.0 / 0.05 + 1)
    assert 0.0 < found.cpu
    assert 0.0 < found.median <= found.slow
