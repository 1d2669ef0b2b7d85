"""Rank-1 lattices near a random rotation of the densest lattice of the dimension.

The dual of a rank-1 lattice with N points, {h in Z^d: h.b = 0 modulo N}, is an integer lattice of
determinant N whose quotient Z^d / dual is cyclic; and every such lattice has a base vector. So the
search grows integer bases, row by row, whose inner products are close to those of the dual of the
densest lattice, scaled to determinant N. A change of a few entries of one row then makes the
determinant exactly N.

Glossary: ``H`` integer dual bases (m, d, d) in rows, ``target`` the wanted inner products (d, d)
of their rows, ``primal`` the bases N H^-T of the lattices themselves, times N.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np

from lattice_tools._dense import MAX_DIM, FloatArray, densest_lattice
from lattice_tools._folded import IntArray
from lattice_tools._search import Found
from lattice_tools.scs import CoordinateSearch

#: Bases that are grown together.
N_BASES = 512
#: Number of random directions that are tried for each row; the best is kept. With 32 of them rows
#: fit better, but fewer bases are grown in the same time. At N = 10,007, d = 8 both numbers reach
#: the same distance.
_N_DIRECTIONS = 8
#: The most entries of a row that are changed to correct the determinant.
_N_CHANGES = 3
#: The number of candidates per batch whose base vectors are measured exactly at most.
_N_MEASURED = 16


def has_target(n_points: int, dim: int) -> bool:
    """Whether integer dual bases can come close to the densest lattice of the dimension.

    Their entries are about N^(1/d), and they are rounded to integers: N^(1/d) must be at least 2.
    Dense lattices are known for ``dim`` from 2 to `MAX_DIM`.
    """
    return 2 <= dim <= MAX_DIM and n_points ** (1 / dim) >= 2


@dataclass
class TargetSearch(CoordinateSearch):
    """Two searches: coordinate search, and samples near the densest lattice of the dimension.

    `improve` runs coordinate search from a start vector. `sample` draws lattices near the densest
    known lattice and measures them; it uses no start vectors and no coordinate search.

    Attributes:
        first_free: Index of the first component that coordinate search may change; here 0, so that
            all may change.
    """

    first_free: int = 0

    def sample(self, rng: np.random.Generator, current: int) -> list[Found]:
        """Return the lattices that one batch of random bases gives and that improve the search.

        Args:
            rng: Source of randomness.
            current: The squared minimum distance, times N², to exceed.

        Returns:
            Pairs of a squared minimum distance, times N², and its base vector (d,). Each distance
            is larger than ``current`` and than all before it. Empty if there is none.
        """
        N, d = self.n_points, self.dim
        dense = densest_lattice(d)
        order = rng.permutation(d)
        target = N ** (2 / d) * dense.dual_gram[np.ix_(order, order)]
        H = _with_determinant(_grown(target, rng), N)
        if len(H) == 0:
            return []
        adjugate = N * np.linalg.inv(H)
        # Few vectors of the target are shortest, and one of these nearly always stays shortest.
        primal = adjugate.transpose(0, 2, 1)[:, np.argsort(order)]
        bound = ((dense.shortest @ primal) ** 2).sum(axis=-1).min(axis=-1)
        found: list[Found] = []
        for k in np.argsort(-bound)[:_N_MEASURED]:
            if bound[k] <= current or self.is_late():
                break
            b = _base_vector(np.rint(adjugate[k]).astype(np.int64), N, rng)
            if b is None or (self.units_only and np.gcd(b, N).max() > 1):
                continue
            squared = self.squared_length(b)
            if squared > current:
                current = squared
                found.append((squared, b))
        return found

    @property
    def work_per_batch(self) -> int:
        """The work of one call of `sample`, in units of about 20 ns, as `work_per_pass`."""
        return 4 * N_BASES * self.dim**3


def _grown(target: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return integer bases (m, d, d) with inner products close to ``target`` (d, d).

    At most `N_BASES` are returned. A basis is grown row by row. Given rows 1, ..., j - 1, a vector
    with exactly the wanted inner products with them is a combination of them plus any vector of
    the right length in the orthogonal complement. Row j is the best of a few such vectors,
    rounded. Later rows thus make up for the rounding of earlier ones. Bases whose rows become
    dependent or too long are dropped.
    """
    d = len(target)
    H: FloatArray = np.empty((N_BASES, 0, d))
    for j in range(d):
        u = rng.standard_normal((len(H), _N_DIRECTIONS, d))
        rows = H.transpose(0, 2, 1)
        gram = H @ rows
        independent = np.linalg.det(gram) > 0.5
        H, rows, gram, u = H[independent], rows[independent], gram[independent], u[independent]
        inverse = np.linalg.inv(gram)
        base = ((inverse @ target[:j, j])[:, None, :] @ H)[:, 0]
        rest = target[j, j] - (base**2).sum(axis=1)
        possible = rest > 0.05 * target[j, j]
        H, rows, inverse, u = H[possible], rows[possible], inverse[possible], u[possible]
        base, rest = base[possible], rest[possible]
        u = u - u @ rows @ inverse @ H
        u *= np.sqrt(rest)[:, None, None] / np.linalg.norm(u, axis=-1, keepdims=True)
        rounded = np.rint(base[:, None] + u)
        error = ((rounded**2).sum(axis=-1) - target[j, j]) ** 2 / 2
        error += ((rounded @ rows - target[:j, j]) ** 2).sum(axis=-1)
        chosen = rounded[np.arange(len(H)), error.argmin(axis=1)]
        H = np.concatenate([H, chosen[:, None]], axis=1)
    return H


def _with_determinant(H: FloatArray, N: int) -> FloatArray:
    """Return bases (k, d, d) with determinant ±N, made by changing a row of ``H`` (m, d, d).

    At most `_N_CHANGES` entries of the row change, each by 1. The determinant is linear in each
    row: changing row r by delta adds delta.cofactors_r. A basis may give several results or none;
    those with a determinant of at most N / 3 are dropped.
    """
    d = H.shape[-1]
    determinant = np.linalg.det(H)
    near = np.abs(determinant) > N / 3
    H, determinant = H[near], determinant[near]
    inverse = np.linalg.inv(H)
    cofactors = np.rint(determinant[:, None, None] * inverse.transpose(0, 2, 1))
    missing = np.sign(determinant) * N - np.rint(determinant)
    changes = _changes(d)
    hits = np.argwhere(cofactors.reshape(-1, d) @ changes.T == np.repeat(missing, d)[:, None])
    which, row = hits[:, 0] // d, hits[:, 0] % d
    corrected: FloatArray = H[which]
    corrected[np.arange(len(hits)), row] += changes[hits[:, 1]]
    return corrected


@cache
def _changes(d: int) -> FloatArray:
    """All vectors (k, d) of at most `_N_CHANGES` entries ±1 and zeros."""
    rows = []
    for n in range(min(d, _N_CHANGES) + 1):
        for places in combinations(range(d), n):
            for signs in product((-1.0, 1.0), repeat=n):
                row = np.zeros(d)
                row[list(places)] = signs
                rows.append(row)
    return np.array(rows)


def _base_vector(adjugate: IntArray, N: int, rng: np.random.Generator) -> IntArray | None:
    """Return a base vector (d,) of the lattice whose dual basis H has this adjugate; None if none.

    The adjugate is the integer matrix N H^-1 (d, d). Its columns are multiples of a base vector
    modulo N. If the quotient of Z^d by the dual lattice is cyclic, a random combination of them
    generates the lattice with a good chance, and its components have no factor in common with N;
    if it is not cyclic, none does. None is also returned after 32 combinations without success.
    """
    columns = adjugate % N
    if math.gcd(N, *columns.ravel().tolist()) > 1:
        return None
    for _ in range(32):
        b: IntArray = columns @ rng.integers(0, N, len(columns)) % N
        if math.gcd(N, *b.tolist()) == 1:
            return b
    return None
