"""What is released together agrees: versions, addresses, dependencies of the documentation."""

import re

import lattice_tools
import optuna_bkop
from tests.support.pages import ROOT

PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_both_packages_have_the_version_that_is_built() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", optuna_bkop.__version__)
    assert lattice_tools.__version__ == optuna_bkop.__version__
    (path,) = re.findall(r'^\[tool\.hatch\.version\]\n(?:#.*\n)*path = "(.*)"$', PYPROJECT, re.M)
    text = (ROOT / path).read_text(encoding="utf-8")
    assert f'__version__ = "{optuna_bkop.__version__}"' in text
    assert not re.search(r"^version = ", PYPROJECT, re.M)


def test_the_changelog_begins_with_what_is_not_released_or_with_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (newest, *_) = re.findall(r"^## (.*)$", changelog, re.M)
    assert newest.split()[0] in ("Unreleased", optuna_bkop.__version__)


def test_all_addresses_are_of_one_project() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "pyproject.toml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for owner in re.findall(r"github\.com/([\w-]+/[\w.-]*\w)", text):
            project = owner.removesuffix(".git")
            assert project in ("optuna-bkop/optuna-bkop", "optuna/optunahub-registry"), name


def test_the_classifiers_name_the_pythons_that_were_tried() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tried = re.findall(r"^\| (3\.\d+)\.\d+ \|.* \d+ \|$", contributing, re.M)
    named = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PYPROJECT)
    assert tried == named
