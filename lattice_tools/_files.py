"""Point files: reading CSV, JSON and npy, and writing whole files or none.

Formats are ``csv`` (one row per point, 17 significant digits), ``json`` (a lattice with its
points), ``npy`` (numpy's own) and, for writing only, ``vector`` (the base vector in one line). A
file's format is recognised by its content, not by its name.
"""

from __future__ import annotations

import errno
import io
import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lattice_tools.lattice import Rank1Lattice

FORMATS = ("csv", "json", "npy", "vector")

FloatArray = NDArray[np.float64]

_NPY_MAGIC = b"\x93NUMPY"
#: Rows that are written together.
_ROWS = 4096


def read_points(path: str) -> FloatArray:
    """Read points (n, d) in [0, 1] from a CSV (with or without header), JSON or npy file.

    A JSON file is a table, or an object with "points", or one with a lattice, whose points are
    computed if the file lacks them.

    Args:
        path: The file's name; "-" reads standard input.

    Returns:
        The points, an array (n, d).

    Raises:
        ValueError: The file is not a table of numbers in [0, 1]; the message names the place.
        OSError: The file cannot be read.
    """
    # SciPy takes long to import, and writing needs none of it.
    from lattice_tools.radius import unit_cube_points

    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        if data.startswith(_NPY_MAGIC):
            return unit_cube_points(_from_npy(data))
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError("this is not a CSV, JSON or npy file.") from None
        is_json = text.lstrip()[:1] in ("{", "[")
        return unit_cube_points(_from_json(text) if is_json else _from_csv(text))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def encode(
    format: str,
    lattice: Rank1Lattice,
    shift: ArrayLike | None = None,
    *,
    header: bool = True,
) -> Iterator[bytes]:
    """Yield the content of a file with the points of a lattice, in parts.

    Args:
        format: "csv", "json", "npy" or "vector", which has the base vector alone.
        lattice: The lattice.
        shift: A vector (d,) added modulo 1 to every point; None for no shift.
        header: Whether a CSV begins with the line ``x1,...,xd``.

    Raises:
        ValueError: The format is none of the four.
    """
    if format not in FORMATS:
        raise ValueError(f"`format` must be one of {', '.join(FORMATS)}, got {format!r}.")
    if format == "vector":
        yield (",".join(map(str, lattice.base_vector)) + "\n").encode()
        return
    N, d = lattice.n_points, lattice.dim
    blocks = (
        lattice.sequence(start, min(_ROWS, N - start), shift) for start in range(0, N, _ROWS)
    )
    if format == "npy":
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            head, {"descr": "<f8", "fortran_order": False, "shape": (N, d)}
        )
        yield head.getvalue()
        for X in blocks:
            yield X.astype("<f8").tobytes()
    elif format == "csv":
        if header:
            yield (",".join(f"x{j + 1}" for j in range(d)) + "\n").encode()
        for X in blocks:
            # 17 significant digits identify a float.
            rows = (",".join([f"{x:.17g}" for x in row]) for row in X.tolist())
            yield "".join(f"{row}\n" for row in rows).encode()
    else:
        data = lattice.to_dict() | {
            "shift": None if shift is None else np.asarray(shift, dtype=np.float64).tolist(),
            "min_distance": lattice.min_distance,
            "is_optimal": lattice.is_optimal,
        }
        yield (json.dumps(data)[:-1] + ', "points": [\n').encode()
        for k, X in enumerate(blocks):
            yield (",\n" * (k > 0) + ",\n".join(json.dumps(row) for row in X.tolist())).encode()
        yield b"\n]}\n"


def check_writable(path: Path) -> None:
    """Raise an OSError if a file cannot be written at ``path``: before the work, not after it."""
    try:
        path = _target_of(path)
    except RuntimeError:  # Python before 3.13 reports a loop of links so.
        raise _os_error(errno.ELOOP, path) from None
    if path.is_dir():
        raise _os_error(errno.EISDIR, path)
    if not path.parent.is_dir():
        raise _os_error(errno.ENOENT, path.parent)
    needed = [path] if _is_special(path) else [path.parent, path]
    for place in needed:
        if place.exists() and not os.access(place, os.W_OK):
            raise _os_error(errno.EACCES, place)


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file whole or not at all: into a temporary file beside it, then rename that."""
    check_writable(path)
    if _is_special(path):
        with path.open("wb") as file:
            file.writelines(parts)
        return
    target = _target_of(path)
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _target_of(path: Path) -> Path:
    """Return the file that ``path`` links to, or ``path`` itself: a link stays a link."""
    target = path.resolve()
    if target.is_symlink():  # Python from 3.13 on leaves a loop of links as it is.
        raise _os_error(errno.ELOOP, path)
    return target


def _is_special(path: Path) -> bool:
    """Whether ``path`` is a device or a pipe, such as /dev/null, which must not be replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _os_error(code: int, path: Path) -> OSError:
    return OSError(code, os.strerror(code), str(path))


def _from_npy(data: bytes) -> FloatArray:
    try:
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, SyntaxError):
        raise ValueError("this npy file is damaged or holds Python objects.") from None
    if array.dtype.kind not in "iuf":
        raise ValueError(f"expected an array of numbers, got one of {array.dtype}.")
    return _table(array)


def _from_json(text: str) -> FloatArray:
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"this is not JSON ({error}).") from None
    if not isinstance(data, dict):
        return _table(data)
    if "base_vector" not in data and "points" in data:
        return _table(data["points"])
    lattice = Rank1Lattice.from_dict(data)
    shift = data.get("shift")
    X = lattice.points(None if shift is None else _table([shift])[0])
    if "points" not in data:
        return X
    given = _table(data["points"])
    if given.shape != X.shape:
        raise ValueError(
            f"n_points={lattice.n_points} and a base vector of length {lattice.dim} do not "
            f"belong to {len(given)} points in {given.shape[1]} dimensions."
        )
    return given


def _from_csv(text: str) -> FloatArray:
    lines = list(_cells(text))
    if lines and not any(_is_number(cell) for cell in lines[0][1]):
        lines = lines[1:]  # The header.
    if not lines:
        raise ValueError("there are no points in it.")
    width = len(lines[0][1])
    rows = []
    for number, cells in lines:
        if len(cells) != width:
            raise ValueError(f"line {number} has {len(cells)} columns, the others have {width}.")
        bad = [cell for cell in cells if not _is_number(cell)]
        if bad:
            raise ValueError(f"line {number}: {bad[0]!r} is not a number.")
        rows.append([float(cell) for cell in cells])
    return _table(rows)


def _cells(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number (from 1) and the cells of each line of a CSV; separators , ; tab or space.

    Empty lines, and lines that begin with #, are left out.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if line and not line.startswith("#"):
            separator = next((s for s in ",;\t" if s in line), None)
            yield number, [cell.strip().strip('"') for cell in line.split(separator)]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _table(data: object) -> FloatArray:
    try:
        X = np.asarray(data, dtype=np.float64)
    except (ValueError, TypeError):
        raise ValueError("expected a table of numbers, all rows of the same length.") from None
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"expected a table of points (n, d), got the shape {X.shape}.")
    return X
