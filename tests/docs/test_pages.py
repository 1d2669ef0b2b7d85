"""The code of the documentation is run as it stands, and its links lead somewhere."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import optuna
import pytest

from lattice_tools.cli import main
from tests.support.pages import (
    DOCS,
    ROOT,
    links,
    missing_file,
    python_blocks,
    sessions,
    shell_blocks,
)

#: Written by hand: pages of examples and of names are made when the documentation is built.
MADE = {"examples", "generated", "_build"}
PAGES = [
    *(p for p in sorted(DOCS.rglob("*.md")) if not MADE & set(p.relative_to(DOCS).parts)),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    ROOT / "examples" / "README.md",
    ROOT / "hub" / "package" / "samplers" / "bkop" / "README.md",
]
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
#: The README's blocks are run one by one, and the hub package is not downloaded in tests.
ELSEWHERE = {"README.md", "hub/package/samplers/bkop/README.md"}


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize(
    "page", [page for page, text in TEXTS.items() if python_blocks(text) and page not in ELSEWHERE]
)
def test_every_block_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a page share their names, from top to bottom."""
    monkeypatch.chdir(tmp_path)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    names: dict[str, object] = {"__name__": Path(page).stem}
    for number, block in enumerate(python_blocks(TEXTS[page])):
        exec(compile(block, f"{page}, block {number}", "exec"), names)


def plain(line: str) -> str:
    """A line of output without what differs from run to run."""
    return re.sub(r"in \d+\.\d s$", "in some s", line.rstrip())


COMMANDS = sorted({session for text in TEXTS.values() for session in sessions(text)})


@pytest.mark.parametrize(("command", "shown"), COMMANDS)
def test_every_command_prints_what_is_shown(command: str, shown: str, tmp_path: Path) -> None:
    program, *arguments = command.split()
    assert program == "lattice-tools"
    done = subprocess.run(
        [sys.executable, "-m", "lattice_tools", *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    printed = [plain(line) for line in done.stdout.splitlines()]
    for line in shown.splitlines():
        assert plain(line) in printed


SHELL = [(page, block) for page, text in TEXTS.items() for block in shell_blocks(text)]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("page", "block"), SHELL)
def test_every_shell_block_can_be_read(page: str, block: str) -> None:
    """Long commands are shown without being run in a test."""
    done = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_commands_of_shell_blocks_have_the_options_that_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("points.csv").write_text("x1,x2\n0,0\n", encoding="utf-8")  # an earlier command wrote it
    commands = [
        shlex.split(line)[1:]
        for _, block in SHELL
        for line in block.splitlines()
        if line.startswith("lattice-tools ")
    ]
    assert len(commands) >= 4
    for name, *arguments in commands:
        main.commands[name].make_context(name, arguments)


@pytest.mark.parametrize("page", TEXTS)
def test_links_and_pictures_lead_somewhere(page: str) -> None:
    for link in links(TEXTS[page]):
        path = link.partition("#")[0]
        if "://" in path:
            assert missing_file(link) is None, link
        # What is made by the build is checked by the build.
        elif path and not MADE & set(Path(path).parts) and "pictures" not in Path(path).parts:
            assert ((ROOT / page).parent / path).exists(), link


def test_commands_of_benchmarks_and_examples_that_are_named_exist() -> None:
    for page, text in TEXTS.items():
        for module in re.findall(r"python -m ((?:benchmarks|examples)[\w.]*)", text):
            path = ROOT / module.replace(".", "/")
            assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), (
                f"{page}: {module}"
            )
