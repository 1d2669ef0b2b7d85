"""Reads Markdown pages: their code blocks, shell sessions and links."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: Addresses of the repository's files and of the documentation's pages.
REPOSITORY = "https://github.com/optuna-bkop/optuna-bkop/blob/main/"
RAW = "https://raw.githubusercontent.com/optuna-bkop/optuna-bkop/main/"
SITE = "https://optuna-bkop.github.io/optuna-bkop/"


def python_blocks(text: str) -> list[str]:
    """Return the contents of all Python blocks."""
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


def shell_blocks(text: str) -> list[str]:
    """Return the contents of all shell blocks, also of those in lists."""
    blocks = re.findall(r"^ *```(?:bash|shell)\n(.*?)^ *```", text, re.M | re.S)
    return [textwrap.dedent(block) for block in blocks]


def sessions(text: str) -> list[tuple[str, str]]:
    """Return the commands of all console blocks, each with the output shown below it."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def links(text: str) -> list[str]:
    """Return the targets of all links and pictures."""
    return re.findall(r"\]\(([^)\s]+)\)", text)


def missing_file(link: str) -> Path | None:
    """Return the file behind an address of this project if it does not exist."""
    address = link.partition("#")[0]
    if address.startswith(REPOSITORY):
        file = ROOT / address.removeprefix(REPOSITORY)
    elif address.startswith(RAW):
        file = ROOT / address.removeprefix(RAW)
    elif address.startswith(SITE):
        page = address.removeprefix(SITE) or "index.html"
        file = (DOCS / page).with_suffix(".md")
        if file.parent == DOCS / "examples":
            return None  # made when the documentation is built
    else:
        return None
    return None if file.exists() else file
