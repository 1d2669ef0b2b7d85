"""Lattices for numerical integration: figures of merit, constructions, an engine, error estimates.

A lattice for integration need not have a large packing radius. Its quality is P_alpha (`p_alpha`),
and component-by-component search (`cbc`, `embedded_cbc`) makes that small. `LatticeSequence` is an
engine for any number of points; `integrate` estimates an integral and its error by random shifts.
"""

from lattice_tools.integration.cbc import cbc, embedded_cbc
from lattice_tools.integration.estimate import Estimate, integrate, tent
from lattice_tools.integration.merit import p_alpha, p_alpha_of_points
from lattice_tools.integration.sequence import LatticeSequence

__all__ = [
    "Estimate",
    "LatticeSequence",
    "cbc",
    "embedded_cbc",
    "integrate",
    "p_alpha",
    "p_alpha_of_points",
    "tent",
]
