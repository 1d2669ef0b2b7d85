"""A catalogue of the widest lattices found so far, shipped with the package.

The file ``records.txt`` has one lattice per line: N, d, the squared minimum distance times N², the
word "optimal" or "found", and the base vector, folded and sorted. `lattice-tools records` prints
the table, and ``python -m lattice_tools.find_records`` searches on.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from lattice_tools.lattice import Rank1Lattice

#: (N, d) -> lattice.
Records = dict[tuple[int, int], Rank1Lattice]


def record(n_points: int, dim: int) -> Rank1Lattice | None:
    """The widest known lattice of this size, or None if the catalogue lacks it.

    Example:
        >>> record(100, 2)
        Rank1Lattice(n_points=100, base_vector=(1, 45))
    """
    return records().get((n_points, dim))


@cache
def records() -> Records:
    """All records by (N, d), in the order of the file.

    Example:
        >>> len(records()), records()[100, 2].base_vector
        (980, (1, 45))
    """
    text = resources.files("lattice_tools").joinpath("records.txt").read_text("utf-8")
    return parse(text)


def parse(text: str) -> Records:
    """The records in the text of a file; lines that begin with # are comments."""
    found: Records = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            n_points, dim, squared, state, vector = line.split()
            lattice = Rank1Lattice(
                int(n_points), tuple(map(int, vector.split(","))), is_optimal=state == "optimal"
            )
            vars(lattice)["squared_min_distance"] = int(squared)
            found[int(n_points), int(dim)] = lattice
    return found


def text_of(found: Records) -> str:
    """The text of a file with these records, sorted by N and d."""
    lines = ["# N d (N * minimum distance)^2 state base vector"]
    for (n_points, dim), lattice in sorted(found.items()):
        state = "optimal" if lattice.is_optimal else "found"
        vector = ",".join(map(str, lattice.base_vector))
        lines.append(f"{n_points} {dim} {lattice.squared_min_distance} {state} {vector}")
    return "\n".join(lines) + "\n"
