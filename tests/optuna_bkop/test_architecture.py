"""One ask goes straight through the rooms."""

import subprocess
import sys
from pathlib import Path

from tests.optuna_bkop.trace_ask import trace_planning_ask


def test_a_planning_ask_enters_each_room_once_and_nothing_calls_back() -> None:
    trace = trace_planning_ask()
    assert trace.entries == [
        ("_study", "take_snapshot"),
        ("_coordination", "read_view"),
        ("_model", "fit_models"),
        ("_batch", "choose_batch"),
        ("_coordination", "claim_point"),
    ]
    assert trace.upward == []


def test_the_trace_is_a_command() -> None:
    script = Path(__file__).parent / "trace_ask.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert "from a lower room to a higher one: none" in run.stdout
