"""Steps of successive coordinate search, to be compiled: the same choices as `lattice_tools.scs`.

Glossary: ``N`` number of points, ``H = N // 2``, ``c`` the table of `lattice_tools._folded`, ``b``
base vector (d,), ``S`` squared lengths (H + 1,) of all points, ``R`` those without one component.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lattice_tools._folded import SquareArray

#: How many of the shortest points bound a step from above before points are added one by one.
_N_BINDING = 8


def row(table: SquareArray, N: int, v: int, out: SquareArray) -> SquareArray:
    """Row c[v] (H + 1,): taken from the table or, if that is empty, computed into ``out``."""
    if table.shape[0] > 0:
        taken: SquareArray = table[v]
        return taken
    r = 0
    for i in range(len(out)):
        out[i] = min(r, N - r) ** 2
        r += v
        if r >= N:
            r -= N
    return out


def search_components(
    table: SquareArray,
    N: int,
    b: NDArray[np.int64],
    S: SquareArray,
    squared: int,
    forbidden: NDArray[np.bool_],
    first: int,
    end: int,
) -> int:
    """Set components ``first`` to ``end`` - 1 of ``b``, one after the other, to their best values.

    The best value of a component is the one with the largest minimum distance on the torus, and
    the smallest one if several have it. A component stays as it is if no value gives a larger
    distance.

    A step keeps an upper bound of the squared minimum distance for every value, from a few points.
    It measures the value with the largest bound; if its shortest point lowers the bound, that
    point joins the few, and so on until a measured value equals its bound.

    With H = N // 2, all squared lengths and distances are those in the unit cube times N².

    Args:
        table: Table c (H + 1, H + 1) with c[i, v] = min(i v mod N, N - i v mod N)², or an array
            (0, 0) if its rows are to be computed.
        N: Number of points.
        b: Base vector (d,), with components from 0 to H; changed in place.
        S: Squared lengths (H + 1,) of the points of ``b``; changed in place.
        squared: Squared minimum distance of ``b``, the smallest of ``S[1:]``.
        forbidden: For each value from 0 to H, whether no component may get it (H + 1,).
        first: Index of the first component to search.
        end: Index after the last component to search.

    Returns:
        The squared minimum distance of the new ``b``.
    """
    H1 = len(S)
    R = np.empty_like(S)
    bound = np.empty_like(S)
    buffer = np.empty_like(S)
    binding = np.empty(_N_BINDING, np.int64)
    for j in range(first, end):
        c = row(table, N, b[j], buffer)
        for i in range(H1):
            R[i] = S[i] - c[i]
        n_binding = 0
        for i in range(1, H1):
            if n_binding < _N_BINDING or R[i] < R[binding[n_binding - 1]]:
                if n_binding < _N_BINDING:
                    n_binding += 1
                k = n_binding - 1
                while k > 0 and R[binding[k - 1]] > R[i]:
                    binding[k] = binding[k - 1]
                    k -= 1
                binding[k] = i
        for v in range(H1):
            bound[v] = -1 if forbidden[v] else np.iinfo(S.dtype).max
        for k in range(n_binding):
            c = row(table, N, binding[k], buffer)
            least = R[binding[k]]
            for v in range(H1):
                bound[v] = min(bound[v], least + c[v])
        while True:
            top = bound[0]
            for v in range(H1):
                top = max(top, bound[v])
            if top <= squared:
                break
            value = 0
            while bound[value] != top:
                value += 1
            c = row(table, N, value, buffer)
            low = np.iinfo(S.dtype).max
            for i in range(1, H1):
                low = min(low, R[i] + c[i])
            if low >= top:
                b[j] = value
                squared = top
                for i in range(1, H1):
                    S[i] = R[i] + c[i]
                break
            shortest = 1
            while R[shortest] + c[shortest] != low:
                shortest += 1
            least = R[shortest]
            c = row(table, N, shortest, buffer)
            for v in range(H1):
                bound[v] = min(bound[v], least + c[v])
    return squared
