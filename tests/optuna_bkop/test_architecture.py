"""One ask goes straight through the rooms; files are short, and prose is plain."""

import re
import subprocess
import sys
from pathlib import Path

from tests.optuna_bkop.trace_ask import trace_planning_ask

ROOT = Path(__file__).parents[2]
PACKAGES = ("optuna_bkop", "lattice_tools")
#: Names of the moment, which say nothing about what a file holds.
VAGUE_NAMES = {"_situation.py", "_data.py", "_stack.py", "_ask.py", "_queries.py", "utils.py"}
#: Signs of clipped prose: "Of a maximisation, at most.", "so many", "taken for", "but for".
CLIPPED = re.compile(r"^\s+[a-z_]+: Of |so many|taken for|but for ", re.MULTILINE)


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


def sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(found) > 20
    return found


def test_no_file_is_long_or_has_a_name_that_says_nothing() -> None:
    for path in sources(*PACKAGES):
        n_lines = len(path.read_text(encoding="utf-8").splitlines())
        assert n_lines <= 300, f"{path}: {n_lines} lines"
        assert path.name not in VAGUE_NAMES, path


def test_no_sentence_is_clipped() -> None:
    for path in sources(*PACKAGES, "benchmarks", "examples"):
        found = CLIPPED.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path}: {found}"
