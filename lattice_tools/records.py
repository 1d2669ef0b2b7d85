"""A catalogue of the widest lattices found so far, shipped with the package.

A lattice is wider than another of the same size (N, d) if its minimum distance on the torus is
larger. The file ``records.txt`` has one lattice per line: N, d, the squared minimum distance times
N², the same number for Algorithm 7 with its default options (a dash if Algorithm 7 was not run),
the word "optimal" or "found", and the base vector, folded and sorted. `lattice-tools records`
prints the table, and ``lattice-tools records --improve FILE`` searches for wider lattices.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from lattice_tools.lattice import Rank1Lattice

#: (N, d) -> lattice.
Records = dict[tuple[int, int], Rank1Lattice]
#: (N, d) -> squared minimum distance, times N², of Algorithm 7; sizes where it was not run lack.
Floors = dict[tuple[int, int], int]


def record(n_points: int, dim: int) -> Rank1Lattice | None:
    """Return the widest known lattice of this size, or None if the catalogue lacks it.

    Args:
        n_points: The number of points N.
        dim: The dimension d.

    Example:
        >>> record(100, 2)
        Rank1Lattice(n_points=100, base_vector=(1, 45))
    """
    return records().get((n_points, dim))


@cache
def records() -> Records:
    """Return the lattices of the catalogue by (N, d), in the order of the file.

    Example:
        >>> len(records()), records()[100, 2].base_vector
        (980, (1, 45))
    """
    return parse(catalogue_text())[0]


def catalogue_text() -> str:
    """The text of the package's file of records."""
    return resources.files("lattice_tools").joinpath("records.txt").read_text("utf-8")


def parse(text: str) -> tuple[Records, Floors]:
    """Read the records in the text of a file; # begins a comment line.

    Minimum distances are taken from the text, not computed from the base vectors.

    Returns:
        The lattices by (N, d), and the squared minimum distances, times N², of Algorithm 7 by
        (N, d) for the sizes where it was run.

    Raises:
        ValueError: A record has a smaller minimum distance than Algorithm 7 reached.
    """
    found: Records = {}
    floors: Floors = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            n_points, dim, squared, floor, state, vector = line.split()
            size = int(n_points), int(dim)
            lattice = Rank1Lattice(
                size[0], tuple(map(int, vector.split(","))), is_optimal=state == "optimal"
            )
            vars(lattice)["squared_min_distance"] = int(squared)
            found[size] = lattice
            if floor != "-":
                floors[size] = int(floor)
                if int(squared) < floors[size]:
                    raise ValueError(
                        f"The record N={n_points} d={dim} has a minimum distance below that of "
                        "Algorithm 7."
                    )
    return found, floors


def text_of(found: Records, floors: Mapping[tuple[int, int], int]) -> str:
    """Return the text of a file of records, sorted by N and d.

    Args:
        found: The lattices by (N, d).
        floors: Squared minimum distances, times N², of Algorithm 7 by (N, d). A size without one
            gets a dash.
    """
    lines = ["# N d (N * minimum distance)^2 the same of Algorithm 7, state, base vector"]
    for size, lattice in sorted(found.items()):
        state = "optimal" if lattice.is_optimal else "found"
        vector = ",".join(map(str, lattice.base_vector))
        floor = floors.get(size, "-")
        lines.append(
            f"{size[0]} {size[1]} {lattice.squared_min_distance} {floor} {state} {vector}"
        )
    return "\n".join(lines) + "\n"
