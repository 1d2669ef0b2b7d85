"""The time of imports."""

from __future__ import annotations

import subprocess
import sys

#: The fastest of this many imports counts: slower ones were disturbed by other processes.
REPEATS = 5

_CODE = """
import time
begun = time.process_time()
import optuna
between = time.process_time()
import optuna_bkop
print(between - begun, time.process_time() - between)
"""


def import_seconds() -> tuple[float, float]:
    """Return the CPU seconds of `import optuna`, and of `import optuna_bkop` after it."""
    runs = [subprocess.check_output([sys.executable, "-c", _CODE]).split() for _ in range(REPEATS)]
    optuna, bkop = (min(map(float, seconds)) for seconds in zip(*runs, strict=True))
    return optuna, bkop


def import_text() -> str:
    """Return the CPU seconds of both imports as a line of text."""
    optuna, bkop = import_seconds()
    return f"import optuna: {optuna:.2f} CPU s, then import optuna_bkop: {bkop:.2f} s"
