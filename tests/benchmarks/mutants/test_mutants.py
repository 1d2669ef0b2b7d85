"""The list of mutants is current, and the tool tells what is seen from what is not."""

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import benchmarks.mutants.__main__ as command
from benchmarks.mutants import runner
from benchmarks.mutants.__main__ import main
from benchmarks.mutants.catalogue import MUTANTS
from benchmarks.mutants.mutant import Mutant, OutOfDateError

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_can_be_applied_and_has_tests(mutant: Mutant) -> None:
    changed = mutant.mutated(ROOT)
    assert changed != (ROOT / mutant.file).read_text(encoding="utf-8")
    compile(changed, mutant.file, "exec")
    for test in mutant.tests:
        assert (ROOT / test).is_file()


def test_names_are_unique() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 36


def mutant_of(text: str) -> Mutant:
    return Mutant("wrong sum", "sums.py", text, "return a - b", ("test_sums.py",))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two files, of which one tests the other."""
    (tmp_path / "sums.py").write_text("def add(a, b):\n    return a + b\n")
    test = "import sums\n\ndef test_add():\n    assert sums.add(1, {}) == {}\n"
    (tmp_path / "test_sums.py").write_text(test.format(2, 3))
    (tmp_path / "test_blind.py").write_text(test.format(0, 1))
    return tmp_path


@pytest.mark.parametrize("count", [0, 2])
def test_a_text_that_does_not_occur_once_is_out_of_date(project: Path, count: int) -> None:
    (project / "sums.py").write_text("return a + b\n" * count)
    with pytest.raises(OutOfDateError, match=f"'wrong sum' is out of date: .* {count} times"):
        mutant_of("return a + b").mutated(project)


def test_a_mutant_is_seen_by_the_test_that_fails_and_the_copy_is_restored(project: Path) -> None:
    before = (project / "sums.py").read_bytes()
    runner.check_without_mutants(project, ["test_sums.py"])
    verdict = runner.judge(project, mutant_of("return a + b"))
    assert verdict.seen_by == "test_sums.py::test_add"
    assert (project / "sums.py").read_bytes() == before


def test_a_mutant_that_no_test_sees_is_told(project: Path) -> None:
    (project / "test_sums.py").unlink()
    mutant = Mutant("wrong sum", "sums.py", "a + b", "a - b", ("test_blind.py",))
    assert runner.judge(project, mutant).seen_by is None


def test_tests_that_see_every_change_are_not_counted() -> None:
    here = Path(__file__).relative_to(ROOT)
    golden = Path("tests/optuna_bkop/test_golden.py")
    for test in (here, golden):
        assert (ROOT / test).is_file()
        assert any(test.is_relative_to(path) for path in runner._NOT_COUNTED)


def test_a_mutant_that_cannot_be_imported_proves_nothing(project: Path) -> None:
    mutant = Mutant("no sense", "sums.py", "a + b", "a +", ("test_sums.py",))
    with pytest.raises(runner.BrokenRunError, match="pytest ended with"):
        runner.judge(project, mutant)


def test_a_mutant_that_never_ends_proves_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_TIMEOUT", 0.01)
    with pytest.raises(runner.BrokenRunError, match="did not end"):
        runner.judge(project, mutant_of("return a + b"))


def test_what_fails_without_a_mutant_is_an_error(project: Path) -> None:
    (project / "sums.py").write_text("def add(a, b):\n    return 0\n")
    with pytest.raises(runner.BrokenRunError, match=r"fails already: test_sums\.py::test_add"):
        runner.check_without_mutants(project, ["test_sums.py"])


def test_the_list_is_printed_without_running_anything() -> None:
    printed = CliRunner().invoke(main, ["--list", "--only", "argument"])
    assert printed.exit_code == 0
    assert len(printed.output.splitlines()) == 19
    refused = CliRunner().invoke(main, ["--only", "no such mutant"])
    assert refused.exit_code == 2
    assert "No mutant has a name" in refused.output


def test_mutants_are_chosen_by_the_file_that_they_change(monkeypatch: pytest.MonkeyPatch) -> None:
    def chosen(*options: str) -> set[str]:
        printed = CliRunner().invoke(main, ["--list", *options])
        assert printed.exit_code == 0, printed.output
        return {line.split()[-1] for line in printed.output.splitlines()}

    warping, test = "optuna_bkop/_model/warping.py", "tests/optuna_bkop/model/test_fit.py"
    assert chosen("--file", "_model/warping") == {warping}
    monkeypatch.setattr(command, "changed_since", lambda commit: {warping, "README.md"})
    assert warping in chosen("--since", "a commit")
    assert "optuna_bkop/_model/fit.py" not in chosen("--since", "a commit")
    monkeypatch.setattr(command, "changed_since", lambda commit: {test})
    assert "optuna_bkop/_model/fit.py" in chosen("--since", "a commit")
    monkeypatch.setattr(command, "changed_since", lambda commit: {"README.md"})
    printed = CliRunner().invoke(main, ["--since", "a commit"])
    assert printed.output == "Nothing that concerns a mutant has changed.\n"


def test_a_file_that_differs_from_a_commit_is_found(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *arguments], cwd=project, check=True)
    (project / "sums.py").write_text("changed\n")
    monkeypatch.setattr(runner, "ROOT", project)
    assert runner.changed_since("HEAD") == {"sums.py"}
