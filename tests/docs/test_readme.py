"""The README's Python and commands are run as they stand, and its links work on PyPI, too."""

import pytest

from tests.support.pages import ROOT, links, missing_file, python_blocks

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = python_blocks(README)


@pytest.mark.parametrize("index", range(len(BLOCKS)))
def test_every_block_runs(index: int, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[index], f"README.md, block {index}", "exec"), {"__name__": "readme"})


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_links_are_absolute_and_lead_somewhere() -> None:
    assert len(links(README)) > 10
    for link in links(README):
        assert link.startswith("https://"), link
        assert missing_file(link) is None, link
