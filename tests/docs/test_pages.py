"""The Python of the documentation is run as it stands, page by page."""

import re
from pathlib import Path

import optuna
import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [
    page for page in sorted(DOCS.glob("*.md")) if "```python" in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    names: dict[str, object] = {"__name__": page.stem}
    for block in re.findall(
        r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S
    ):
        exec(compile(block, page.name, "exec"), names)


def test_every_picture_of_a_page_exists() -> None:
    for page in DOCS.glob("*.md"):
        for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert (DOCS / name).exists(), f"{page.name}: {name}"
