"""All constructions by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from lattice_tools._interrupt import keeps_best
from lattice_tools.best import best
from lattice_tools.exact import exact
from lattice_tools.hua_wang import alg6, alg7
from lattice_tools.korobov import korobov
from lattice_tools.lattice import Rank1Lattice
from lattice_tools.scs import scs
from lattice_tools.subgroup import subgroup

#: The constructions by name.
METHODS: dict[str, Callable[..., Rank1Lattice]] = {
    "korobov": korobov,
    "scs": scs,
    "alg6": alg6,
    "alg7": alg7,
    "subgroup": subgroup,
    "exact": exact,
    "best": best,
}


@keeps_best
def build(method: str, n_points: int, dim: int, **options: Any) -> Rank1Lattice:
    """Build a rank-1 lattice with a large packing radius.

    The packing radius is half of the smallest distance of two points on the torus. Ctrl-C ends the
    search early: the best lattice so far is returned, with the warning `SearchInterrupted`. A
    second Ctrl-C raises `KeyboardInterrupt`.

    Args:
        method: "korobov", "scs", "alg6", "alg7", "subgroup", "exact" or "best".
        n_points: The number of points N.
        dim: The dimension d.
        **options: Passed to the function with the name of the method. With ``jobs`` above 1
            processes are spawned, so a script must guard its main part by
            ``if __name__ == "__main__":``.

    Returns:
        The lattice. Its ``points()`` are the points, its ``min_distance`` is their smallest
        distance on the torus.

    Raises:
        ValueError: There is no such method, or it does not take an option or a size.

    Example:
        >>> build("alg6", 100, 2)
        Rank1Lattice(n_points=100, base_vector=(1, 45))
    """
    if method not in METHODS:
        raise ValueError(f"`method` must be one of {', '.join(METHODS)}, got {method!r}.")
    known = option_names(method)
    for name in options:
        if name not in known:
            choices = ", ".join(f"`{option}`" for option in known)
            raise ValueError(f"Method {method!r} takes no option `{name}`; it takes: {choices}.")
    return METHODS[method](n_points, dim, **options)


def option_names(method: str) -> list[str]:
    """The names of the options that a construction takes."""
    return list(inspect.signature(METHODS[method]).parameters)[2:]
