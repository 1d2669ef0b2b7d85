"""Point files: exact round trips, whole writes, and errors that name the place."""

import io
import json
import os
import pickle
import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lattice_tools import Rank1Lattice
from lattice_tools import _files as files_module
from lattice_tools._files import FORMATS, check_writable, encode, read_points, write_whole

POINT_FORMATS = [format for format in FORMATS if format != "vector"]
LATTICE = Rank1Lattice(101, (1, 40, 77))


def content(*args, **options):
    return b"".join(encode(*args, **options))


def read(tmp_path, data):
    file = tmp_path / "points"
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_points(str(file))


@pytest.mark.parametrize("format", POINT_FORMATS)
@given(st.integers(2, 300), st.lists(st.integers(0, 10**6), min_size=1, max_size=4), st.data())
@settings(max_examples=25, deadline=None)
def test_points_come_back_exactly(tmp_path_factory, format, n_points, base_vector, data):
    lattice = Rank1Lattice(n_points, base_vector)
    shift = data.draw(
        st.none() | st.lists(st.floats(0, 1), min_size=lattice.dim, max_size=lattice.dim)
    )
    back = read(tmp_path_factory.getbasetemp(), content(format, lattice, shift))
    np.testing.assert_array_equal(back, lattice.points(shift))


@pytest.mark.parametrize("format", FORMATS)
def test_parts_make_the_same_file_as_the_whole(format, monkeypatch):
    whole = content(format, LATTICE)
    monkeypatch.setattr(files_module, "_ROWS", 7)
    assert content(format, LATTICE) == whole


def test_a_csv_has_a_header_and_17_digits():
    lines = content("csv", Rank1Lattice(10, (1, 3))).decode().splitlines()
    assert lines[:3] == ["x1,x2", "0,0", "0.10000000000000001,0.29999999999999999"]
    assert len(lines) == 11
    assert content("csv", LATTICE, header=False).decode().splitlines()[0] == "0,0,0"


def test_a_json_file_holds_the_lattice_and_its_points():
    data = json.loads(content("json", LATTICE, [0.5, 0.25, 0.125]))
    keys = {"n_points", "base_vector", "shift", "min_distance", "is_optimal", "points"}
    assert set(data) == keys
    assert Rank1Lattice.from_dict(data) == LATTICE
    assert data["shift"] == [0.5, 0.25, 0.125]
    assert data["min_distance"] == LATTICE.min_distance
    assert json.loads(content("json", LATTICE))["shift"] is None


def test_an_npy_file_is_numpys_own():
    data = content("npy", LATTICE)
    expected = io.BytesIO()
    np.save(expected, LATTICE.points())
    assert data == expected.getvalue()


def test_an_unknown_format_is_refused_with_the_choices():
    with pytest.raises(ValueError, match="one of csv, json, npy, vector, got 'xls'"):
        content("xls", LATTICE)


@pytest.mark.parametrize(
    "text",
    [
        "0.1,0.2\n0.3,0.4\n",
        "x1,x2\n0.1,0.2\n0.3,0.4",
        "\ufeffa;b\r\n0.1;0.2\r\n0.3;0.4\r\n",
        "# made by hand\n\n0.1 0.2\n  0.3\t0.4  \n",
        '"x","y"\n"0.1", 0.2\n1e-1e,0\n'.replace("1e-1e,0", "3e-1,0.4"),
        "[[0.1, 0.2], [0.3, 0.4]]",
        ' {"points": [[0.1, 0.2], [0.3, 0.4]]}',
    ],
)
def test_many_spellings_of_a_table_are_read(tmp_path, text):
    assert read(tmp_path, text).tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_a_json_lattice_without_points_is_expanded(tmp_path):
    text = json.dumps(LATTICE.to_dict() | {"shift": [0.1, 0.2, 0.3]})
    np.testing.assert_array_equal(read(tmp_path, text), LATTICE.points([0.1, 0.2, 0.3]))


def test_an_npy_file_of_integers_is_read(tmp_path):
    buffer = io.BytesIO()
    np.save(buffer, np.array([[0, 1], [1, 0]]))
    assert read(tmp_path, buffer.getvalue()).tolist() == [[0, 1], [1, 0]]


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "there are no points in it"),
        ("x1,x2\n", "there are no points in it"),
        ("x1,x2\n0.1,0.2\n0.3,oops\n", "line 3: 'oops' is not a number"),
        ("0.1,0.2\n\n0.3\n", "line 3 has 1 columns, the others have 2"),
        ("0.1,0.2,\n", "line 1: '' is not a number"),
        ("0.5\n1.5\n", r"must lie in \[0, 1\], got 1.5 in row 2, column 1"),
        ("0.5\nnan\n", "got nan in row 2"),
        ("-0.1\n", "got -0.1"),
        (b"\xff\xfe\x00binary\x80", "not a CSV, JSON or npy file"),
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[1, 2]", r"got the shape \(2,\)"),
        ("[[1], [1, 2]]", "all rows of the same length"),
        ('[["a"]]', "expected a table of numbers"),
        ('{"points": null}', "got the shape"),
        ('{"n_points": 5}', "A lattice needs 'base_vector'"),
        ('{"n_points": 5, "base_vector": [0.5]}', "must be made of integers"),
        ('{"n_points": 5, "base_vector": [1], "shift": {"a": 1}}', "expected a table of numbers"),
        ('{"n_points": 5, "base_vector": [1, 2], "shift": [0.5]}', "must hold 2 finite numbers"),
        (
            '{"n_points": 2, "base_vector": [1, 1, 1], "points": [[0, 0], [0.5, 0.5]]}',
            "a base vector of length 3 do not belong to 2 points in 2 dimensions",
        ),
        (npy(np.array([[1j]])), "expected an array of numbers"),
        (npy(np.array(["a"])), "expected an array of numbers"),
        (npy(np.array([[{}]], dtype=object)), "holds Python objects"),
        (npy(np.zeros((3, 2)))[:-5], "damaged"),
        (npy(np.zeros(3)), r"got the shape \(3,\)"),
        (b"\x93NUMPY", "damaged"),
        (pickle.dumps([1]), "not a CSV, JSON or npy file"),
    ],
)
def test_a_file_that_is_no_point_set_is_refused_by_name_and_place(tmp_path, data, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(tmp_path, data)
    assert str(caught.value).startswith(str(tmp_path / "points"))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_points(str(tmp_path / "nowhere.csv"))


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("old")

    def parts():
        yield b"new"
        raise RuntimeError("the search broke")

    with pytest.raises(RuntimeError, match="broke"):
        write_whole(file, parts())
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_write_replaces_the_file_and_keeps_its_mode(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("old and longer")
    file.chmod(0o640)
    write_whole(file, [b"ne", b"w"])
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_a_new_file_has_the_usual_mode(tmp_path):
    write_whole(tmp_path / "a", [b""])
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced():
    write_whole(Path(os.devnull), [b"gone"])
    assert not Path(os.devnull).is_file()


def test_places_that_cannot_be_written_are_found_before_the_work(tmp_path, monkeypatch):
    with pytest.raises(IsADirectoryError):
        check_writable(tmp_path)
    with pytest.raises(FileNotFoundError):
        check_writable(tmp_path / "nowhere" / "a.csv")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError):
        check_writable(tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []
