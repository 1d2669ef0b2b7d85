"""Every public name has a page in the reference and an example that runs."""

import doctest
import importlib
import inspect
import pkgutil
import re
import runpy

import pytest

import lattice_tools
import optuna_bkop
from tests.support.pages import DOCS

#: Public modules: those that say what they offer.
MODULES = [
    module
    for package in (optuna_bkop, lattice_tools)
    for module in [
        package.__name__,
        *(info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")),
    ]
    if "._" not in module
    and module not in ("lattice_tools.__main__", "lattice_tools.cli")
    and hasattr(importlib.import_module(module), "__all__")
]
NAMES = [(module, name) for module in MODULES for name in importlib.import_module(module).__all__]
PAGES = "".join(page.read_text("utf-8") for page in sorted((DOCS / "reference").glob("*.md")))


def names_of_page() -> set[tuple[str, str]]:
    """The names that get a page: all entries of lists, by the module that is current there."""
    found, module = set(), ""
    for line in PAGES.splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line):
            found.add((module, line.strip()))
    return found


def test_all_public_modules_are_known() -> None:
    assert len(MODULES) >= 10
    assert "optuna_bkop.plots.matplotlib" in MODULES


def test_every_public_name_has_a_page_and_no_other_has_one() -> None:
    assert names_of_page() == set(NAMES)


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_every_public_name_has_an_example(module: str, name: str) -> None:
    thing = getattr(importlib.import_module(module), name)
    if inspect.isclass(thing) or callable(thing):
        # Docstrings are run with the tests of their modules.
        assert ">>> " in (inspect.getdoc(thing) or "")
    else:
        # A constant has no docstring; its text is written for the page alone.
        text = runpy.run_path(str(DOCS / "_extensions" / "docstrings.py"))["CONSTANTS"]
        example = doctest.DocTestParser().get_doctest(text[f"{module}.{name}"], {}, name, None, 0)
        assert doctest.DocTestRunner().run(example).failed == 0
        assert any(name in line.source for line in example.examples)


def test_every_argument_of_the_sampler_is_explained_and_no_other_is() -> None:
    text = (DOCS / "arguments.md").read_text(encoding="utf-8")
    explained = re.findall(r"^## (\w+)$", text, re.M)
    arguments = inspect.signature(optuna_bkop.BKOPSampler).parameters
    assert sorted(explained) == sorted(arguments)
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        name = section.split("\n", 1)[0]
        default = re.search(r"^\*Default: `([^`]+)`", section, re.M)
        assert default, name
        told, true = default[1].strip('"'), arguments[name].default
        assert told in (str(true), f"{true:g}" if isinstance(true, float) else ""), name
