"""The densest known lattices of up to sixteen dimensions, as targets of a search.

A2, A3, D4, D5, E6, E7 and E8 are the densest lattices of their dimensions. In 9 to 16 dimensions
Conway and Sloane's Construction B on a binary code of distance 8 gives the laminated lattices of
dimensions 9, 12, 15 and 16 (Barnes-Wall), and lattices nearly as dense in between.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from lattice_tools._kernels.shortest import reduce_basis

FloatArray = NDArray[np.float64]

#: The largest dimension with a target.
MAX_DIM = 16

#: Words of length 16 that span the first-order Reed-Muller code with distance 8; its words that
#: vanish beyond position d are the code of length d.
_CODE = (0b1111111100000000, 0b1111000011110000, 0b1100110011001100, 0b1010101010101010, 0xFFFF)


@dataclass(frozen=True)
class DenseLattice:
    """A dense lattice with covolume 1, which a search tries to come close to.

    Attributes:
        dual_gram: Inner products (d, d) of a reduced basis of its dual lattice.
        shortest: Its shortest vectors (k, d), one of each pair ±v, as integer coefficients in the
            basis of the lattice that is dual to the basis behind ``dual_gram``.
    """

    dual_gram: FloatArray
    shortest: FloatArray


@cache
def densest_lattice(dim: int) -> DenseLattice:
    """The densest known lattice in ``dim`` dimensions, 1 <= dim <= 16, or nearly."""
    basis = _cholesky_rows(_root_gram(dim)) if dim <= 8 else _construction_b(dim)
    basis = basis / abs(np.linalg.det(basis)) ** (1 / dim)
    dual = _reduced(np.linalg.inv(basis).T)
    gram: FloatArray = np.linalg.inv(dual @ dual.T).astype(np.float64)
    return DenseLattice(dual @ dual.T, _shortest_coefficients(gram))


def _root_gram(dim: int) -> FloatArray:
    """The Cartan matrix of A1, A2, A3, D4, D5, E6, E7 or E8."""
    gram = 2 * np.eye(dim)
    # A chain of nodes; the last node is attached to the chain's third last (D) or third (E) node.
    n_chain = dim if dim <= 3 else dim - 1
    for j in range(n_chain - 1):
        gram[j, j + 1] = gram[j + 1, j] = -1
    if dim > 3:
        branch = 2 if dim > 5 else dim - 3
        gram[branch, dim - 1] = gram[dim - 1, branch] = -1
    return gram


def _construction_b(dim: int) -> FloatArray:
    """A basis (d, d) of {x in Z^d: x mod 2 in the code, sum of x divisible by 4}."""
    words = [0]
    for generator in _CODE:
        words += [word ^ generator for word in words]
    fitting = [w for w in words if w and w < 1 << dim and w.bit_count() == 8]
    rows = [[w >> j & 1 for j in range(dim)] for w in fitting]
    # All vectors (.., 2, .., ±2, ..): twice the root lattice D_d.
    rows += [[2 * (j == k) + 2 * (j == k + 1) for j in range(dim)] for k in range(dim - 1)]
    rows += [[2 * (j == k) - 2 * (j == k + 1) for j in range(dim)] for k in range(dim - 1)]
    return np.array(_echelon(rows)[:dim], dtype=np.float64)


def _echelon(rows: list[list[int]]) -> list[list[int]]:
    """Integer row operations to echelon form; zero rows come last."""
    rows = [row[:] for row in rows]
    for column in range(len(rows[0])):
        while True:
            live = [row for row in rows[column:] if row[column]]
            if not live:
                break
            pivot = min(live, key=lambda row: abs(row[column]))
            place = next(k for k, row in enumerate(rows) if row is pivot)
            rows[column], rows[place] = rows[place], rows[column]
            if len(live) == 1:
                break
            for row in live:
                if row is not pivot:
                    q = row[column] // pivot[column]
                    row[:] = [a - q * p for a, p in zip(row, pivot, strict=True)]
    return rows


def _cholesky_rows(gram: FloatArray) -> FloatArray:
    return np.linalg.cholesky(gram).astype(np.float64)


def _reduced(basis: FloatArray) -> FloatArray:
    """An LLL-reduced basis of the same lattice."""
    d = len(basis)
    rows = basis.tolist()
    reduce_basis(rows, [[0.0] * d for _ in range(d)], [0.0] * d)
    return np.array(rows)


def _shortest_coefficients(gram: FloatArray) -> FloatArray:
    """Coefficients (k, d) of the shortest vectors of a lattice, one of each pair ±z."""
    d = len(gram)
    upper = np.linalg.cholesky(gram).T
    shortest = float(gram.diagonal().min())
    found: list[tuple[float, list[int]]] = []

    def descend(k: int, z: list[int], length: float) -> None:
        if k < 0:
            leading = next((v for v in reversed(z) if v), 0)
            if leading > 0:
                found.append((length, z[:]))
            return
        centre = -sum(upper[k, i] * z[i] for i in range(k + 1, d)) / upper[k, k]
        reach = math.sqrt(max(0.0, shortest - length) + 1e-9) / upper[k, k]
        for v in range(math.ceil(centre - reach), math.floor(centre + reach) + 1):
            z[k] = v
            descend(k - 1, z, length + (upper[k, k] * (v - centre)) ** 2)
        z[k] = 0

    descend(d - 1, [0] * d, 0.0)
    least = min(length for length, _ in found)
    return np.array([z for length, z in found if length < least + 1e-6], dtype=np.float64)
