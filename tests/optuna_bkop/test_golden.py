"""A change of structure leaves the trials of recorded studies as they were, to the last bit."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import golden  # noqa: E402

RECORDED = json.loads((HERE / "golden_trials.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def studies() -> dict[str, list[Any]]:
    if RECORDED["versions"] != golden.versions():
        pytest.skip(f"recorded with {RECORDED['versions']}, this is {golden.versions()}")
    out = subprocess.run(
        [sys.executable, str(HERE / "golden.py")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **golden.ENVIRONMENT},
    )
    played: dict[str, list[Any]] = json.loads(out.stdout)["studies"]
    return played


@pytest.mark.parametrize("name", RECORDED["studies"])
def test_trials_are_equal_bit_by_bit(name: str, studies: dict[str, list[Any]]) -> None:
    recorded = RECORDED["studies"][name]
    for number, (now, before) in enumerate(zip(studies[name], recorded, strict=True)):
        assert now == before, f"trial {number}"


def test_no_study_is_left_out(studies: dict[str, list[Any]]) -> None:
    assert list(studies) == list(RECORDED["studies"])
