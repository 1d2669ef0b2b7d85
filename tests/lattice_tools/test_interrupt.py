"""Ctrl-C: a real SIGINT keeps the best lattice so far, in every method."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lattice_tools import Rank1Lattice
from lattice_tools._interrupt import is_interrupted, keep_best_on_interrupt

# Sends SIGINT to its own process soon after the search began to watch for it.
DRIVER = """
import signal, sys, threading, time

def interrupt():
    import lattice_tools._interrupt as watcher
    while not watcher._is_watching:
        time.sleep(0.01)
    time.sleep(0.2)
    signal.raise_signal(signal.SIGINT)

if __name__ == "__main__":
    # A shell starts background processes with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from lattice_tools.cli import main
    threading.Thread(target=interrupt, daemon=True).start()
    main(sys.argv[1:], prog_name="lattice-tools")
"""


@pytest.fixture(autouse=True)
def _sigint_is_not_ignored():
    """As in a terminal, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


#: Whole, each of these searches takes minutes at least.
LONG = {
    "korobov": ["--points", 2_000_003, "--dim", 20],
    "scs": ["--points", 19_997, "--dim", 20, "--restarts", 100_000],
    "alg6": ["--points", 2_000_003, "--dim", 40],
    "alg7": ["--points", 19_997, "--dim", 20],
    "exact": ["--points", 1009, "--dim", 8],
    "best": ["--points", 19_997, "--dim", 12],
}


def interrupted(tmp_path, *arguments):
    file = tmp_path / "driver.py"
    file.write_text(DRIVER)
    return subprocess.run(
        [sys.executable, str(file), *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=60,
    )


@pytest.mark.parametrize(
    ("method", "jobs"), [*((method, 1) for method in LONG), ("alg7", 2), ("best", 2)]
)
def test_build_writes_the_best_so_far(tmp_path, method, jobs):
    flags = ["--jobs", jobs] if jobs > 1 else []
    done = interrupted(
        tmp_path, "build", "--method", method, *LONG[method], *flags, "--format", "vector"
    )
    assert done.returncode == 130, done.stderr
    assert "Interrupted: this is the best lattice found so far." in done.stderr
    assert "Traceback" not in done.stderr
    vector = tuple(map(int, done.stdout.split(",")))
    assert Rank1Lattice(LONG[method][1], vector).min_distance > 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_compare_prints_the_cells_that_are_done(tmp_path, jobs):
    size = ["--points", 19_997, "--dim", 2, "--dim", 20, "--dim", 30]
    done = interrupted(tmp_path, "compare", "--method", "alg7", *size, "--jobs", jobs)
    assert done.returncode == 130, done.stderr
    assert done.stdout.startswith("N=19997\n")
    assert "Interrupted: " in done.stderr


#: Whole, each of these calls takes minutes at least.
CALLS = [
    'build("alg7", 19_997, 20)',
    "korobov(2_000_003, 20)",
    "scs(19_997, 20, n_restarts=100_000)",
    "alg6(2_000_003, 20)",
    "alg7(19_997, 20)",
    "exact(1009, 20)",
    "best(19_997, 20)",
]


def test_from_python_the_best_so_far_is_returned_with_a_warning(tmp_path):
    code = DRIVER.replace(
        """threading.Thread(target=interrupt, daemon=True).start()
    main(sys.argv[1:], prog_name="lattice-tools")""",
        """import warnings
    from lattice_tools import *
    for call in sys.argv[1:]:
        threading.Thread(target=interrupt, daemon=True).start()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            lattice = eval(call)
        print(lattice.dim, *((w.category.__name__, w.filename) for w in caught))""",
    ).replace("sleep(0.5)", "sleep(0.2)")
    file = tmp_path / "script.py"
    file.write_text(code)
    done = subprocess.run(
        [sys.executable, str(file), *CALLS],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=60,
    )
    # The warning points to the call, which `eval` compiled.
    expected = ["20 ('SearchInterrupted', '<string>')"] * len(CALLS)
    assert done.stdout.splitlines() == expected, done.stderr


def test_the_second_interrupt_raises():
    def press_twice():
        with keep_best_on_interrupt():
            signal.raise_signal(signal.SIGINT)
            assert is_interrupted()
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        press_twice()
    assert not is_interrupted()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_applications_own_handler_is_left_alone():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with keep_best_on_interrupt():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            signal.raise_signal(signal.SIGINT)
            assert not is_interrupted()
    finally:
        signal.signal(signal.SIGINT, before)
