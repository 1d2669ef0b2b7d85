"""Applies mutants to copies of the project and runs tests on them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.mutant import Mutant

ROOT = Path(__file__).parents[2]
#: Tests that are not counted, because they fail with every change of the code: the recorded trials
#: and the test that this list of mutants is current.
_NOT_COUNTED = ("tests/optuna_bkop/test_golden.py", "tests/benchmarks/mutants")
#: Seconds after which a run of the tests is ended. The whole suite takes less than half of it.
_TIMEOUT = 1200.0
#: Status of pytest if tests have failed. All others but 0 are no verdict of a test.
_FAILED = 1


class BrokenRunError(Exception):
    """The tests could not be run, or fail without any mutant."""


@dataclass(frozen=True)
class Verdict:
    """What the tests say of a mutant.

    Attributes:
        mutant: The mutant.
        seen_by: The first test that failed; None if all passed.
        seconds: Wall seconds of the test runs.
    """

    mutant: Mutant
    seen_by: str | None
    seconds: float


def copy_project(target: Path) -> None:
    """Copy all tracked files of the project, as they are now, into an empty folder."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        source = ROOT / name
        if name and source.is_file():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.read_bytes())


def changed_since(commit: str) -> set[str]:
    """Return the tracked files that differ from those of a commit."""
    command = ["git", "diff", "--name-only", "-z", commit, "--"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return set(filter(None, listed.stdout.decode().split("\0")))


def check_without_mutants(copy: Path, tests: Sequence[str]) -> None:
    """Raise a `BrokenRunError` unless the tests pass in an unchanged copy."""
    failed = _first_failure(copy, tests)
    if failed is not None:
        raise BrokenRunError(f"Without any mutant, this fails already: {failed}")


def judge(copy: Path, mutant: Mutant) -> Verdict:
    """Apply a mutant to a copy, run its tests, if these pass all tests, and restore the copy."""
    began = time.monotonic()
    path = copy / mutant.file
    original = path.read_bytes()
    path.write_text(mutant.mutated(copy), encoding="utf-8")
    try:
        seen_by = _first_failure(copy, mutant.tests) or _first_failure(copy, ())
    finally:
        path.write_bytes(original)
    return Verdict(mutant, seen_by, time.monotonic() - began)


def _first_failure(copy: Path, tests: Sequence[str]) -> str | None:
    """Return the first failing test of some files, or of the whole suite; None if all pass.

    Raises:
        BrokenRunError: If pytest does not come to a verdict.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider"]
    # Subprocesses of tests must import the copy as well. Without compiled files, a changed
    # source is never confused with an older one of the same second.
    environment = {
        **os.environ,
        "PYTHONPATH": str(copy),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
    }
    try:
        done = subprocess.run(
            [*command, *(f"--ignore={path}" for path in _NOT_COUNTED), *tests],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
        )
    except subprocess.TimeoutExpired as error:
        raise BrokenRunError(f"The tests did not end within {_TIMEOUT:.0f} seconds.") from error
    if done.returncode == 0:
        return None
    if done.returncode != _FAILED:
        raise BrokenRunError(f"pytest ended with {done.returncode}:\n{done.stdout[-3000:]}")
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return found.group(1) if found else "a test without a name"
