"""The command line: what it writes, where, and how it fails."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from lattice_tools import METHODS, __version__, build, korobov
from lattice_tools import cli as cli_module
from lattice_tools.cli import main

COMMANDS = list(main.commands)
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
SMALL = ["build", "--method", "korobov", "--points", "20", "--dim", "3"]


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(a) for a in arguments], **options)


def shell(command, **options):
    command = command.replace("lattice-tools", f"{sys.executable} -m lattice_tools")
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=ENVIRONMENT, **options
    )


def rows(text):
    return np.array([[float(x) for x in line.split(",")] for line in text.splitlines()])


def fails(result, code, *words):
    """It ended with one sentence, no traceback, and nothing on stdout."""
    assert result.exit_code == code
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    sentence = result.stderr.splitlines()[-1]
    assert sentence.startswith("Error: ")
    for word in words:
        assert word in sentence
    return True


def test_build_writes_the_points_to_stdout_and_the_rest_to_stderr():
    result = run(*SMALL)
    assert result.exit_code == 0
    head, _, body = result.stdout.partition("\n")
    assert head == "x1,x2,x3"
    lattice = korobov(20, 3)
    np.testing.assert_array_equal(rows(body), lattice.points())
    vector = ",".join(map(str, lattice.base_vector))
    summary = (
        rf"korobov: N=20 d=3 base vector \({vector}\) minimum distance 0\.\d{{5}}, "
        rf"0\.\d{{4}} of the limit in 0\.\d s\n"
    )
    assert re.match(summary, result.stderr)


def test_no_header_leaves_the_first_line_out():
    assert run(*SMALL, "--no-header").stdout.splitlines()[0] == "0,0,0"


@pytest.mark.parametrize("suffix", ["csv", "json", "npy", "txt"])
def test_the_format_follows_the_name_of_the_output(tmp_path, suffix):
    file = tmp_path / f"points.{suffix}"
    result = run(*SMALL, "-o", file)
    assert (result.exit_code, result.stdout) == (0, "")
    data = file.read_bytes()
    expected = {"json": b"{", "npy": b"\x93NUMPY"}.get(suffix, b"x1,x2,x3\n")
    assert data.startswith(expected)
    assert list(tmp_path.iterdir()) == [file]


def test_the_format_can_be_chosen(tmp_path):
    data = json.loads(run(*SMALL, "--format", "json").stdout)
    assert data["base_vector"] == list(korobov(20, 3).base_vector)
    run(*SMALL, "--format", "npy", "--output", tmp_path / "a.csv")
    assert np.load(tmp_path / "a.csv", allow_pickle=False).shape == (20, 3)


def test_center_moves_the_points_by_half_a_cell():
    points = rows(run(*SMALL, "--shift", "center", "--no-header").stdout)
    np.testing.assert_allclose(points, korobov(20, 3).points() + 0.5 / 20)
    assert points.min() == 0.025
    assert points.max() == pytest.approx(0.975)


def test_a_random_shift_follows_the_seed():
    shifted = [*SMALL, "--shift", "random"]
    one = run(*shifted, "--seed", "1").stdout
    assert one == run(*shifted, "--seed", "1").stdout
    assert one != run(*shifted, "--seed", "2").stdout
    assert run(*shifted).stdout == run(*shifted, "--seed", "0").stdout
    shift = json.loads(run(*shifted, "--seed", "1", "--format", "json").stdout)["shift"]
    np.testing.assert_array_equal(rows(one.partition("\n")[2]), korobov(20, 3).points(shift))


@pytest.mark.parametrize(
    ("method", "flags", "options"),
    [
        ("scs", ["--sweeps", 2, "--restarts", 3, "--seed", 5, "--units-only"],
         {"n_sweeps": 2, "n_restarts": 3, "seed": 5, "units_only": True}),
        ("alg6", ["--primes", 2], {"n_primes": 2}),
        ("alg7", ["--primes", 2, "--sweeps", 1, "--budget", 60, "--jobs", 1],
         {"n_primes": 2, "n_sweeps": 1}),
        ("best", ["--effort", 0.01, "--seed", 4, "--no-records"],
         {"effort": 0.01, "seed": 4, "use_records": False}),
        ("exact", ["--units-only"], {"units_only": True}),
    ],
)  # fmt: skip
def test_options_reach_the_library(method, flags, options):
    result = run(
        "build", "--method", method, "--points", 90, "--dim", 3, "--format", "json", *flags
    )
    data = json.loads(result.stdout)
    assert tuple(data["base_vector"]) == build(method, 90, 3, **options).base_vector


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--points", 1, "--dim", 2], 2, ["--points", "1 is not in the range x>=2"]),
        (["--points", "many", "--dim", 2], 2, ["'many' is not a valid integer"]),
        (["--points", 9, "--dim", 0], 2, ["--dim", "0 is not in the range"]),
        (["--dim", 2], 2, ["Missing option '--points'"]),
        (["--points", 9, "--dim", 2, "--method", "sobol"], 2, ["'sobol'", "'korobov', 'scs'"]),
        (["--points", 9, "--dim", 2, "--budget", 0], 2, ["--budget", "0.0"]),
        (["--points", 9, "--dim", 2, "--budget", "nan"], 1, ["--budget", "nan"]),
        (["--points", 9, "--dim", 2, "--format", "xls"], 2, ["'xls'", "'csv', 'json', 'npy', 'v"]),
        (["--points", 9, "--dim", 2, "--method", "korobov", "--primes", 3], 1,
         ["'korobov' takes no option --primes; it takes: --units-only, --jobs, --budget."]),
        (["--points", 9, "--dim", 2, "--method", "alg6", "--seed", 3], 1, ["no option --seed"]),
        (["--points", 1000, "--dim", 10, "--method", "subgroup"], 1, ["941 and 1021"]),
        (["--points", 10**13, "--dim", 2], 1, ["--points", str(10**13)]),
        (["--points", 10**9, "--dim", 2], 1, ["--points", str(10**9)]),
    ],
)  # fmt: skip
def test_bad_input_to_build_ends_with_one_sentence(tmp_path, arguments, code, words):
    fails(run("build", *arguments, "--output", tmp_path / "a.csv"), code, *words)
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_written_is_named_before_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr(cli_module, "build", lambda *a, **k: pytest.fail("searched in vain"))
    fails(run(*SMALL, "-o", tmp_path / "nowhere" / "a.csv"), 1, str(tmp_path / "nowhere"))
    fails(run(*SMALL, "-o", tmp_path), 2, str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    fails(run(*SMALL, "-o", tmp_path / "a.csv"), 1, str(tmp_path), "Permission denied")


def test_too_little_memory_is_one_sentence(monkeypatch):
    def build(*args, **options):
        raise MemoryError

    monkeypatch.setattr(cli_module, "build", build)
    fails(run(*SMALL), 1, "not enough memory")


@pytest.mark.parametrize("format", ["csv", "json", "npy"])
def test_inspect_reads_what_build_writes(tmp_path, format):
    file = tmp_path / f"points.{format}"
    run(*SMALL, "-o", file)
    result = run("inspect", file)
    assert result.exit_code == 0
    assert result.stdout.startswith("20 points in 3 dimensions\n")
    assert file.name in result.stdout
    assert f"{korobov(20, 3).min_distance:.5g}*" in result.stdout
    assert result.stderr == ""


def test_inspect_reads_stdin():
    result = run("inspect", "-", input="0.25,0.25\n0.75,0.75\n")
    assert "2 points in 2 dimensions" in result.stdout
    assert "stdin" in result.stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello\nworld\n", ["line 2", "'world' is not a number"]),
        ("0.5,0.5\n0.5,1.5\n", ["[0, 1]", "1.5", "row 2, column 2"]),
        ("0.5,0.5\n", ["at least 2 points, got 1"]),
        ('{"n_points": 2, "base_vector": [1], "points": [[0, 0], [0, 0.5]]}', ["length 1"]),
    ],
)
def test_bad_files_end_with_one_sentence(tmp_path, text, words):
    file = tmp_path / "points.csv"
    file.write_text(text)
    fails(run("inspect", file), 1, *words)


def test_a_missing_file_is_named(tmp_path):
    fails(run("inspect", tmp_path / "none.csv"), 2, "none.csv", "does not exist")
    fails(run("plot", tmp_path / "none.csv"), 2, "none.csv", "does not exist")


def test_compare_prints_a_table_by_method():
    result = run("compare", "--points", 13, "--dim", 2, "--dim", 3, "--method", "subgroup",
                 "--method", "korobov", "--method", "alg6", "--budget", 5)  # fmt: skip
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "N=13"
    assert [line.split()[0] for line in lines[2:5]] == ["subgroup", "korobov", "alg6"]
    assert "(0." in lines[3]
    assert lines[-1] == "(fraction of the limit)"
    assert result.stderr.startswith("6 cells in ")


def test_compare_with_the_paper_marks_each_cell():
    result = run("compare", "--paper", "--method", "korobov", "--method", "alg6", "--jobs", 2)
    assert result.exit_code == 0
    assert result.stdout.count(" = ") == 30
    assert "0.59632 = 0.59632" in result.stdout
    assert result.stdout.endswith("korobov: 15 of 15 equal; alg6: 15 of 15 equal.\n")


def test_compare_needs_a_size():
    fails(run("compare", "--points", 10), 2, "--points and --dim, or --paper")


def test_plot_writes_a_picture_beside_the_file(tmp_path):
    run(*SMALL, "-o", tmp_path / "points.csv")
    result = run("plot", tmp_path / "points.csv")
    assert (result.exit_code, result.stdout) == (0, "")
    assert str(tmp_path / "points.png") in result.stderr
    assert (tmp_path / "points.png").read_bytes().startswith(b"\x89PNG")
    run("plot", tmp_path / "points.csv", "--pair", "3,1", "-o", tmp_path / "b.svg")
    assert (tmp_path / "b.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (["--pair", "1,9"], 1, ["from 1 to 3, got 1,9"]),
        (["--pair", "one"], 2, ["--pair", "such as 1,2, got 'one'"]),
        (["-o", "a.gif"], 1, ["png, pdf, svg, got 'gif'"]),
        (["-o", "nowhere/a.png"], 1, ["nowhere"]),
    ],
)
def test_bad_input_to_plot_ends_with_one_sentence(tmp_path, monkeypatch, flags, code, words):
    monkeypatch.chdir(tmp_path)
    run(*SMALL, "-o", "points.csv")
    fails(run("plot", "points.csv", *flags), code, *words)
    assert [file.name for file in tmp_path.iterdir()] == ["points.csv"]


def test_plot_without_matplotlib_names_the_extra(tmp_path, monkeypatch):
    run(*SMALL, "-o", tmp_path / "points.csv")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    fails(run("plot", tmp_path / "points.csv"), 1, "optuna-bkop[plot]")


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_every_help_ends_with_an_example_that_works(tmp_path, command):
    result = run(*([command] if command else []), "--help")
    assert result.exit_code == 0
    _, _, example = result.stdout.partition("Example:\n")
    lines = [line.strip() for line in example.splitlines()]
    assert lines
    assert all(line.startswith("lattice-tools ") for line in lines)
    for line in lines:
        done = shell(f"set -o pipefail; {line}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr


def test_every_option_has_help():
    for command in main.commands.values():
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help


def test_the_vector_alone_can_be_written(tmp_path):
    vector = ",".join(map(str, korobov(20, 3).base_vector)) + "\n"
    assert run(*SMALL, "--format", "vector").stdout == vector
    run(*SMALL, "-o", tmp_path / "b.vector")
    assert (tmp_path / "b.vector").read_text() == vector


def test_coordinates_that_take_few_values_are_mentioned_with_a_way_out():
    command = ["build", "--method", "exact", "--points", 20, "--dim", 3, "--format", "vector"]
    result = run(*command)
    assert "3 of 3 coordinates take fewer than 20 values; coordinate 2 takes 4." in result.stderr
    assert "The prime 19 as number of points, or --units-only" in result.stderr
    assert "Warning" not in run(*command, "--units-only").stderr


def test_an_optimal_lattice_is_called_so():
    result = run("build", "--method", "best", "--points", 17, "--dim", 2, "--format", "vector")
    assert "of the limit (optimal) in" in result.stderr


def test_links_that_cannot_be_written_are_named_before_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr(cli_module, "build", lambda *a, **k: pytest.fail("searched in vain"))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    fails(run(*SMALL, "-o", tmp_path / "loop"), 1, "loop", "Too many levels of symbolic links")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere" / "a.csv")
    fails(run(*SMALL, "-o", tmp_path / "dangling"), 1, str(tmp_path / "nowhere"))


def test_records_are_shown_with_the_fraction_and_stars():
    result = run("records", "--points", 100, "--dim", 2, "--dim", 5)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["N", "d=2", "d=5"]
    assert lines[1].split() == ["100", "0.9490*", "0.9124*"]
    fails(run("records", "--points", 7), 1, "no such size")


def test_records_are_found_and_extended(tmp_path):
    file = tmp_path / "records.txt"
    search = ["records", "--improve", file, "--points", 23, "--dim", 3, "--effort", 0.01]
    assert "N=23 d=3 minimum distance" in run(*search, "--dim", 2).stdout
    assert run(*search).stderr == "0 of 1 sizes improved\n"
    assert [line.split()[:2] for line in file.read_text().splitlines()[1:]] == [
        ["23", "2"],
        ["23", "3"],
    ]


def test_the_version_is_told():
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"lattice-tools, version {__version__}\n"


def test_a_reader_that_stops_early_is_no_error():
    done = shell(
        "lattice-tools build --method korobov --points 19997 --dim 5 --budget 0.1 | head -1"
    )
    assert done.stdout == "x1,x2,x3,x4,x5\n"
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("korobov: ")


def test_a_terminal_gets_a_progress_bar_and_stdout_stays_clean():
    terminal, stderr = pytest.importorskip("pty").openpty()
    done = subprocess.run(
        [sys.executable, "-m", "lattice_tools", *SMALL],
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=ENVIRONMENT,
        check=True,
    )
    os.close(stderr)
    shown = os.read(terminal, 10_000).decode()
    os.close(terminal)
    assert "100%" in shown
    assert "minimum distance" in shown
    assert done.stdout.decode() == run(*SMALL).stdout


def test_the_help_of_build_explains_every_method():
    lines = run("build", "--help").stdout.partition("Methods:\n")[2].splitlines()
    explained = {line.split()[0] for line in lines if line.startswith("    ")}
    assert explained >= set(METHODS)
