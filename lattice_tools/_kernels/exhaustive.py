"""Depth-first search over all base vectors with given first components, to be compiled.

Glossary: ``N`` number of points, ``c`` the table of `lattice_tools._folded` with rows of H + 1
entries, ``values`` (m,) the folded values that components may take, in increasing order, ``S``
(d, H + 1) squared lengths of all points after 1, ..., d components.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lattice_tools._folded import IntArray, SquareArray

#: Number of points whose mean distance gives the upper bound for the remaining components.
_N_MEAN = 8


def search_below(
    table: SquareArray,
    N: int,
    inverse: IntArray,
    values: IntArray,
    prefix: IntArray,
    dim: int,
    least_ratio: int,
    best: int,
    vector: IntArray,
) -> int:
    """Find the largest squared minimum distance above ``best`` with the given first components.

    With H = N // 2, all values and components are from 0 to H, and all squared distances are those
    in the unit cube times N².

    Args:
        table: Table c (H + 1, H + 1) with c[i, v] = min(i v mod N, N - i v mod N)².
        N: The number of points.
        inverse: Inverses (H + 1,) modulo N of 0, ..., H; 0 for numbers that have none.
        values: Values (m,) that the further components may take, in increasing order.
        prefix: The first components, fewer than ``dim``. The further components do not decrease.
            They start at the last given one. If only one component is given, which is then 1 or a
            divisor of N, they start at the smallest value.
        dim: The dimension d.
        least_ratio: Smallest allowed ratio r = v / u modulo N of a component v to a component u
            that is a unit modulo N; r and N - r count as the smaller of the two.
        best: The squared minimum distance to exceed.
        vector: Filled with the base vector (d,) if ``best`` is exceeded; otherwise unchanged.

    Returns:
        The largest squared minimum distance, or ``best`` if none is larger.
    """
    H1 = table.shape[0]
    m = len(values)
    n_prefix = len(prefix)
    S = np.zeros((dim, H1), table.dtype)
    b = np.zeros(dim, np.int64)
    index = np.zeros(dim, np.int64)
    for j in range(n_prefix):
        b[j] = prefix[j]
        for i in range(H1):
            S[j, i] = table[b[j], i] + (S[j - 1, i] if j > 0 else 0)
    first = 0
    while n_prefix > 1 and first < m and values[first] < prefix[n_prefix - 1]:
        first += 1
    k = n_prefix  # The component that is chosen next.
    index[k] = first
    if k < dim - 1 and not can_pass(table, S[k - 1], dim - k, best):
        return best
    while k >= n_prefix:
        if k == dim - 1:
            value, best = last_component(table, S[k - 1], values, index[k], best)
            if value > 0:
                b[k] = value
                for j in range(dim):
                    vector[j] = b[j]
            k -= 1
            continue
        if index[k] == m:
            k -= 1
            continue
        v = values[index[k]]
        index[k] += 1
        if not is_canonical(N, inverse, b, k, v, least_ratio):
            continue
        b[k] = v
        for i in range(H1):
            S[k, i] = S[k - 1, i] + table[v, i]
        if k + 1 == dim - 1 or can_pass(table, S[k], dim - k - 1, best):
            index[k + 1] = index[k] - 1
            k += 1
    return best


def is_canonical(N: int, inverse: IntArray, b: IntArray, k: int, v: int, least_ratio: int) -> bool:
    """Return whether ``v`` may follow the first ``k`` components of ``b``, by its ratios to them.

    Multiplying a base vector by the inverse of a component that is a unit modulo N gives an
    equivalent one. So it suffices to search vectors (1, a, ...) whose a is the smallest of all
    such ratios.

    Args:
        N: The number of points.
        inverse: Inverses (H + 1,) modulo N of 0, ..., H = N // 2; 0 for numbers that have none.
        b: Base vector (d,), or its beginning, with components from 0 to H.
        k: Number of components that are set.
        v: The next component, from 0 to H.
        least_ratio: The number a. A ratio r modulo N counts as the smaller of r and N - r, and
            none may be below a.
    """
    for j in range(k):
        if inverse[b[j]] > 0:
            ratio = v * inverse[b[j]] % N
            if min(ratio, N - ratio) < least_ratio:
                return False
        if inverse[v] > 0:
            ratio = b[j] * inverse[v] % N
            if min(ratio, N - ratio) < least_ratio:
                return False
    return True


def can_pass(table: SquareArray, S: SquareArray, n_left: int, best: int) -> bool:
    """Return whether ``n_left`` further components could lift all points above ``best``.

    The mean of a few points' lengths rises with each component by at most the largest mean of the
    table's entries over all values. If the mean cannot rise above ``best``, the minimum cannot.

    Args:
        table: Table c (H + 1, H + 1) with c[i, v] = min(i v mod N, N - i v mod N)².
        S: Squared lengths (H + 1,), times N², of the points with the components so far.
        n_left: Number of components to come.
        best: Squared minimum distance, times N², to exceed.
    """
    H1 = len(S)
    few = np.empty(_N_MEAN, np.int64)
    n_few = smallest(S, few)
    gain = np.zeros(H1, np.int64)
    total = 0
    for k in range(n_few):
        total += S[few[k]]
        largest = 0
        for v in range(H1):
            gain[v] += table[few[k], v]
            largest = max(largest, gain[v])
        if total + n_left * largest <= (k + 1) * best:
            return False
    return True


def last_component(
    table: SquareArray, S: SquareArray, values: IntArray, first: int, best: int
) -> tuple[int, int]:
    """Find the last component v with the largest min_i (S_i + c[i, v]) above ``best``.

    Args:
        table: Table c (H + 1, H + 1) with c[i, v] = min(i v mod N, N - i v mod N)².
        S: Squared lengths (H + 1,), times N², of the points without the last component.
        values: Values (m,) that components may take, in increasing order.
        first: Index in ``values`` of the first one to try.
        best: Squared minimum distance, times N², to exceed.

    Returns:
        The value and its squared minimum distance; 0 and ``best`` if no value exceeds ``best``.
    """
    H1 = len(S)
    few = np.empty(_N_MEAN, np.int64)
    n_few = smallest(S, few)
    bound = np.empty(len(values), np.int64)
    for t in range(first, len(values)):
        bound[t] = np.iinfo(np.int64).max
    for k in range(n_few):
        top = 0
        for t in range(first, len(values)):
            bound[t] = min(bound[t], S[few[k]] + table[few[k], values[t]])
            top = max(top, bound[t])
        if top <= best:
            return 0, best
    while True:
        top, at = best, -1
        for t in range(first, len(values)):
            if bound[t] > top:
                top, at = bound[t], t
        if at < 0:
            return 0, best
        low, shortest = top, 0
        for i in range(1, H1):
            length = S[i] + table[values[at], i]
            if length < low:
                low, shortest = length, i
        if shortest == 0:
            return values[at], top
        for t in range(first, len(values)):
            bound[t] = min(bound[t], S[shortest] + table[shortest, values[t]])


def smallest(S: SquareArray, few: NDArray[np.int64]) -> int:
    """Fill ``few`` with the indices >= 1 of the smallest entries of S; returns how many."""
    n = 0
    for i in range(1, len(S)):
        if n < len(few) or S[i] < S[few[n - 1]]:
            if n < len(few):
                n += 1
            k = n - 1
            while k > 0 and S[few[k - 1]] > S[i]:
                few[k] = few[k - 1]
                k -= 1
            few[k] = i
    return n
