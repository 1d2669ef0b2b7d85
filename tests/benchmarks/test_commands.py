"""Commands that the README names exist, and tests do not depend on benchmarks."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
README = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
#: `python -m MODULE`, perhaps a subcommand, perhaps options.
COMMANDS = sorted(
    {" ".join(span.split()) for span in re.findall(r"`python -m (benchmarks\.[^`]*)`", README)}
)


def command_of(module: str) -> click.Command:
    """Return the command that `python -m module` runs."""
    spec = importlib.util.find_spec(module)
    assert spec is not None, module
    if spec.submodule_search_locations is not None:
        module = f"{module}.__main__"
    main = importlib.import_module(module).main
    assert isinstance(main, click.Command)
    return main


@pytest.mark.parametrize("text", COMMANDS)
def test_commands_of_the_readme_exist_with_their_options(text: str) -> None:
    module, *words = text.split()
    subcommand = words[:1] if words and not words[0].startswith("-") else []
    shown = CliRunner().invoke(command_of(module), [*subcommand, "--help"])
    assert shown.exit_code == 0, shown.output
    for option in (word for word in words if word.startswith("--")):
        assert re.search(rf"{option}\b", shown.output), option


def test_readme_names_every_folder_with_a_command() -> None:
    folders = {path.parent.name for path in (ROOT / "benchmarks").glob("*/__main__.py")}
    named = {text.split()[0].split(".")[1] for text in COMMANDS}
    assert folders <= named


def test_only_tests_of_benchmarks_import_them() -> None:
    importing = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "benchmarks" for name in names):
                importing.add(path.relative_to(ROOT / "tests").parts[0])
    assert importing <= {"benchmarks"}
