"""The README's Python is run as it stands."""

import re
from pathlib import Path

import optuna
import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("index", range(len(BLOCKS)))
def test_every_block_runs(index: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    verbosity = optuna.logging.get_verbosity()
    try:
        exec(compile(BLOCKS[index], f"README.md, block {index}", "exec"), {"__name__": "readme"})
    finally:
        optuna.logging.set_verbosity(verbosity)
