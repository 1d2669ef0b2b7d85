"""Each example runs, in its quick form, and says what it promises."""

import importlib.util
import os
import re
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

import pytest

from examples.paper._settings import BULL, SETTINGS
from optuna_bkop import PAPER_SETTINGS

HERE = Path(__file__).resolve()
ROOT = HERE.parents[2]
EXAMPLES = ROOT / "examples"

#: Example -> what it needs beside the package, and a text of its output.
PLAIN = {
    "quickstart.py": (["matplotlib"], "best error"),
    "ask_and_tell_batches.py": (["matplotlib"], "no certificates"),
    "certificate.py": (["matplotlib"], "estimate: the regret after"),
    "mixed_space.py": (["sklearn"], "best:"),
    "several_objectives.py": (["matplotlib", "sklearn"], "forests are on the front"),
    "constrained.py": ([], "designs hold"),
    "resume.py": ([], "the same trials: True"),
    "lattice_startup_for_another_sampler.py": ([], "covering radius"),
}
PAPER = {
    "lattice_tables.py": (["matplotlib"], "alg7"),
    "lattice_figure.py": (["matplotlib"], "covering radius"),
    "synthetic.py": (["matplotlib"], "GP-UCB-PE"),
    "bull.py": (["matplotlib"], "Bull"),
    "robot_pushing.py": (["matplotlib", "pymunk"], "robot pushing"),
    "network_tuning.py": (["matplotlib", "sklearn", "torch"], "digits"),
}
#: Run by a test of its own.
ELSEWHERE = {"distributed.py"}


def run(arguments: list[str], cwd: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def skip_without(modules: list[str]) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}, which an extra of its own installs")


def check_example(name: str, tmp_path: Path) -> None:
    needs, text = PLAIN[name]
    skip_without(needs)
    assert text in run([str(EXAMPLES / name)], tmp_path)
    if name == "quickstart.py":
        assert (tmp_path / "study.png").stat().st_size > 10_000
        # Again: the study is complete, nothing is added.
        assert "96 trials" in run([str(EXAMPLES / name)], tmp_path)


def check_experiment(name: str, tmp_path: Path) -> None:
    needs, text = PAPER[name]
    skip_without(needs)
    arguments = ["-m", f"examples.paper.{Path(name).stem}", "--quick", "--output", "results"]
    first = run(arguments, tmp_path)
    assert text in first
    written = {path.suffix for path in (tmp_path / "results").iterdir()}
    assert written == {".jsonl", ".csv", ".png"}
    records = next((tmp_path / "results").glob("*.jsonl"))
    before = records.read_bytes()
    assert run(arguments, tmp_path) == first
    assert records.read_bytes() == before


def check_interrupted(tmp_path: Path) -> None:
    skip_without(["matplotlib"])
    arguments = ["-m", "examples.paper.lattice_figure", "--quick", "--output", "results"]
    first = run(arguments, tmp_path)
    records = tmp_path / "results" / "lattice-figure.jsonl"
    lines = records.read_text().splitlines(keepends=True)
    records.write_text("".join(lines[:3]) + lines[3][:20])  # cut in the middle of a record
    assert run(arguments, tmp_path) == first
    assert sorted(records.read_text().splitlines(keepends=True)) == sorted(lines)


#: Test -> what it checks. `conftest.py` begins the checks when the session begins.
CHECKS = {
    "test_example_runs": check_example,
    "test_experiment_of_the_paper_runs_and_resumes": check_experiment,
    "test_an_interrupted_experiment_goes_on": check_interrupted,
}


@pytest.mark.parametrize("name", PLAIN)
def test_example_runs(name: str, check: Future[None]):
    check.result()


@pytest.mark.parametrize("name", PAPER)
def test_experiment_of_the_paper_runs_and_resumes(name: str, check: Future[None]):
    check.result()


def test_an_interrupted_experiment_goes_on(check: Future[None]):
    check.result()


def test_every_example_is_run():
    plain = {path.name for path in EXAMPLES.glob("*.py")}
    paper = {path.name for path in (EXAMPLES / "paper").glob("*.py") if path.name[0] != "_"}
    assert plain - ELSEWHERE == set(PLAIN)
    assert paper == set(PAPER)


def test_the_paper_s_settings_differ_in_the_strategy_alone():
    for method in (*SETTINGS["paper"].values(), BULL["paper"]):
        assert {k: v for k, v in method.items() if k != "strategy"} == dict(PAPER_SETTINGS)
    estimated = dict(PAPER_SETTINGS)
    del estimated["noise_var"]
    assert SETTINGS["estimated-noise"]["BKOP"] == estimated
    assert SETTINGS["ours"]["BKOP"] == {}


def test_every_example_is_in_the_index():
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\]\((\w+\.(?:py|ipynb))\)", index))
    assert listed == {path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb")}
    experiments = set(re.findall(r"examples\.paper\.(\w+)", index))
    assert experiments == {name.removesuffix(".py") for name in PAPER}
