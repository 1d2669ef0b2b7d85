"""Runs the examples and the scripts in docs/pictures when the documentation is built.

An example becomes a page with its text, its code, what it printed and the pictures that it
wrote. It runs as a user runs it, ``python examples/NAME.py`` in an empty folder; if it fails, so
does the build. Scripts in docs/pictures write the pictures that other pages show. The experiments
in examples/paper take too long: their page has their texts, with the figures that they printed.

A script that has not changed since its page or pictures were made is not run again. To run
everything anew, delete docs/examples and docs/pictures/*.png.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

DOCS = Path(__file__).parents[1]
EXAMPLES = DOCS.parent / "examples"
PAGES = DOCS / "examples"
PICTURES = DOCS / "pictures"
REPOSITORY = "https://github.com/optuna-bkop/optuna-bkop/blob/main"

#: Arguments of examples that need some.
ARGUMENTS = {"distributed.py": ["--trials", "40", "--kill"]}
#: Examples that are shown first; the others follow by name.
FIRST = ["quickstart.py", "ask_and_tell_batches.py", "distributed.py"]

_logger = logging.getLogger(__name__)


def run(script: Path, folder: Path) -> str:
    """Run a script in a folder and return what it printed.

    Raises:
        ExtensionError: The script failed.
    """
    _logger.info("running %s", script.name)
    done = subprocess.run(
        [sys.executable, str(script), *ARGUMENTS.get(script.name, [])],
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise ExtensionError(f"{script} failed:\n{done.stderr}")
    return done.stdout


def split(script: Path) -> tuple[str, str, str]:
    """Return title, description and code of an example.

    The title is the beginning of the first sentence.
    """
    source = script.read_text(encoding="utf-8")
    tree = ast.parse(source)
    text = ast.get_docstring(tree)
    if text is None:
        raise ExtensionError(f"{script} has no docstring.")
    title = re.match(r"[^:;.?]+\??", text)[0]
    code = "\n".join(source.splitlines()[tree.body[0].end_lineno :]).strip()
    return title, text, code


def write_page(script: Path) -> None:
    """Run an example and write its page."""
    title, description, code = split(script)
    with tempfile.TemporaryDirectory() as folder:
        output = run(script, Path(folder))
        pictures = []
        for picture in sorted(Path(folder).glob("*.png")):
            pictures.append(f"{script.stem}-{picture.name}")
            shutil.copy(picture, PAGES / pictures[-1])
    arguments = " ".join(["python", f"examples/{script.name}", *ARGUMENTS.get(script.name, [])])
    parts = [
        f"# {title}",
        description,
        *(f"![Picture that the example draws]({name})" for name in pictures),
        f"```console\n$ {arguments}\n{output.strip()}\n```",
        f"```python\n{code}\n```",
        f"[{script.name}]({REPOSITORY}/examples/{script.name}) in the repository.",
    ]
    (PAGES / f"{script.stem}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def write_experiments(scripts: list[Path]) -> None:
    """Write the page with the texts of the paper's experiments, which are not run."""
    parts = [
        "# The experiments of the paper",
        "These are commands with `--help`. They resume where they were interrupted, and write "
        "records, tables and pictures into a folder. The figures were printed by the commands "
        "that stand above them.",
    ]
    for script in scripts:
        title, description, _ = split(script)
        address = f"{REPOSITORY}/examples/paper/{script.name}"
        parts += [f"## {title}", description, f"[{script.name}]({address}) in the repository."]
    (PAGES / "paper.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def write_index(scripts: list[Path]) -> None:
    """Write the page that lists all examples."""
    lines = [
        "# Examples",
        "",
        "Each page shows what the example printed and drew when this documentation was built.",
        "",
        "```{toctree}",
        ":maxdepth: 1",
        "",
        *(script.stem for script in scripts),
        "paper",
        "```",
        "",
    ]
    (PAGES / "index.md").write_text("\n".join(lines), encoding="utf-8")


def is_newer(made: Path, script: Path) -> bool:
    """Return whether a file was made after the last change of the script and of this file."""
    changed = max(script.stat().st_mtime, Path(__file__).stat().st_mtime)
    return made.exists() and made.stat().st_mtime > changed


def run_all(app: Sphinx) -> None:
    """Write all pages of examples and draw all pictures that are missing or older."""
    PAGES.mkdir(exist_ok=True)
    others = sorted(script for script in EXAMPLES.glob("*.py") if script.name not in FIRST)
    scripts = [*(EXAMPLES / name for name in FIRST), *others]
    for script in scripts:
        if not is_newer(PAGES / f"{script.stem}.md", script):
            write_page(script)
    write_experiments(sorted((EXAMPLES / "paper").glob("[!_]*.py")))
    write_index(scripts)
    for script in sorted(PICTURES.glob("*.py")):
        # A script draws NAME.png, or several pictures NAME-*.png.
        made = sorted(PICTURES.glob(f"{script.stem}*.png"))
        if not made or not all(is_newer(picture, script) for picture in made):
            run(script, PICTURES)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension. It runs before autosummary looks for pages."""
    app.connect("builder-inited", run_all, priority=100)
    return {"parallel_read_safe": True}
