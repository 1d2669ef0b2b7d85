"""lattice_tools stands alone."""

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
    ],
)
def test_it_imports_neither_optuna_nor_cma(module):
    loaded = loaded_after(f"import {module}")
    assert not loaded & {"optuna", "cma", "optuna_bkop", "torch", "matplotlib"}


def test_a_lattice_needs_no_scipy():
    assert "scipy" not in loaded_after("import lattice_tools; lattice_tools.build('alg6', 50, 3)")


def test_every_public_name_is_there():
    import lattice_tools

    for name in lattice_tools.__all__:
        assert getattr(lattice_tools, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lattice_tools.nothing
