"""The package for OptunaHub loads, runs, and has the header that the registry asks for."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import optuna
import pytest

from optuna_bkop import BKOPSampler

optunahub = pytest.importorskip("optunahub")

REGISTRY = Path(__file__).parents[2] / "hub" / "package"
PACKAGE = REGISTRY / "samplers" / "bkop"
#: The keys that the registry's header check demands.
HEADER = {"author", "title", "description", "tags", "optuna_versions", "license"}


def test_it_is_loaded_as_a_local_module():
    module = optunahub.load_local_module("samplers/bkop", registry_root=str(REGISTRY))
    assert module.BKOPSampler is BKOPSampler
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=module.BKOPSampler(**module.PAPER_SETTINGS, seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=3)
    assert len(study.trials) == 3


def test_the_example_runs_as_it_does_after_a_download(tmp_path: Path):
    # OptunaHub keeps downloaded packages in this folder and loads them from there.
    cached = tmp_path / "github.com" / "optuna" / "optunahub-registry" / "main" / "package"
    shutil.copytree(REGISTRY, cached)
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, str(PACKAGE / "example.py")],
        env=os.environ | {"OPTUNAHUB_CACHE_HOME": str(tmp_path), "PYTHONPATH": root},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (best,) = re.findall(r"best value ([0-9.]+)", done.stdout)
    assert float(best) < 0.45


def test_the_header_is_complete():
    front, body = re.fullmatch(
        r"---\n(.*?)\n---\n(.*)", (PACKAGE / "README.md").read_text("utf-8"), re.S
    ).groups()
    header = dict(line.split(": ", 1) for line in front.splitlines())
    assert set(header) == HEADER
    assert all(header.values())
    assert "sampler" in header["tags"].strip("[]").split(", ")
    # The registry's web page removes HTML.
    assert not re.search(r"<(?!https://)[a-z/!]", body)


def test_the_licence_is_that_of_the_project():
    root = Path(__file__).parents[2]
    assert (PACKAGE / "LICENSE").read_bytes() == (root / "LICENSE").read_bytes()
