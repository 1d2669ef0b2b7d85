"""lattice_tools stands alone."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest


def loaded_after(statement):
    code = f"{statement}; import sys; sys.stdout.write(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "module",
    [
        "lattice_tools",
        "lattice_tools.cli",
        "lattice_tools.engine",
        "lattice_tools.report",
        "lattice_tools.plot",
        "lattice_tools.integration",
        "lattice_tools.find_records",
    ],
)
def test_it_imports_neither_optuna_nor_cma(module):
    loaded = loaded_after(f"import {module}")
    assert not loaded & {"optuna", "cma", "optuna_bkop", "torch", "matplotlib", "numba"}


def test_a_lattice_needs_no_scipy():
    assert "scipy" not in loaded_after("import lattice_tools; lattice_tools.build('alg6', 50, 3)")


def test_every_public_name_is_there():
    import lattice_tools

    for name in lattice_tools.__all__:
        assert getattr(lattice_tools, name) is not None
    assert set(lattice_tools.__all__) <= set(dir(lattice_tools))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lattice_tools.nothing


def test_the_dependency_group_holds_what_the_package_imports():
    root = Path(__file__).parents[2]
    imported = set()
    for file in (root / "lattice_tools").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.partition(".")[0])
    third_party = imported - set(sys.stdlib_module_names) - {"lattice_tools", "__future__"}
    text = (root / "pyproject.toml").read_text("utf-8")
    (group,) = re.findall(r"^lattices = \[(.*)\]$", text, re.M)
    needed = set(re.findall(r'"([a-z]+)>=', group))
    # The extras `fast` and `plot` bring the other two.
    assert third_party == needed | {"numba", "matplotlib"}
