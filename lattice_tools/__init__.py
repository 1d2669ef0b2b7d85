"""Rank-1 lattices: constructions, measures, a SciPy engine and a command line."""

from typing import TYPE_CHECKING, Any

from lattice_tools._interrupt import SearchInterrupted
from lattice_tools._version import __version__ as __version__
from lattice_tools.best import best
from lattice_tools.build import METHODS, build
from lattice_tools.exact import exact
from lattice_tools.hua_wang import alg6, alg7
from lattice_tools.korobov import korobov
from lattice_tools.lattice import Rank1Lattice, kronecker
from lattice_tools.limit import distance_limit, fraction_of_limit
from lattice_tools.records import record, records
from lattice_tools.scs import scs
from lattice_tools.subgroup import subgroup

if TYPE_CHECKING:
    from lattice_tools.engine import LatticeEngine
    from lattice_tools.radius import Radius, covering_radius, mesh_ratio, separation

__all__ = [
    "METHODS",
    "LatticeEngine",
    "Radius",
    "Rank1Lattice",
    "SearchInterrupted",
    "alg6",
    "alg7",
    "best",
    "build",
    "covering_radius",
    "distance_limit",
    "exact",
    "fraction_of_limit",
    "korobov",
    "kronecker",
    "mesh_ratio",
    "record",
    "records",
    "scs",
    "separation",
    "subgroup",
]

# SciPy takes long to import, and most users of a lattice need none of it.
_LAZY = {
    "LatticeEngine": "engine",
    "Radius": "radius",
    "covering_radius": "radius",
    "mesh_ratio": "radius",
    "separation": "radius",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
