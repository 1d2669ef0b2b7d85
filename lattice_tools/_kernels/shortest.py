"""The shortest vector of a rank-1 lattice: basis, LLL reduction, enumeration.

The functions index their arguments as ``B[i][j]``, so that they run on lists in plain Python and,
compiled by numba, on arrays: one source, two speeds.

Glossary: ``N`` number of points, ``d`` dimension, ``B`` integer basis (d, d), in rows, of the
lattice ``{i b + N z}``, ``mu`` (d, d) and ``r`` (d,) its Gram-Schmidt coefficients and squared
lengths.

The basis changes by exact integer steps only, so it always generates the same lattice. Floating
point decides which steps are made, and which branches of the enumeration are cut: with b the best
squared length so far, a branch is cut where its own is above b - 1/2 + 1e-9 b. Squared lengths are
integers, and the rounding of a reduced basis is far smaller, so that no shorter vector is lost.
Lengths that are compared or returned are exact integers.
"""

from __future__ import annotations

from typing import Any

#: Indexable as [i][j] or [i]: nested lists, or arrays.
Matrix = Any
Vector = Any


def fill_basis(N: int, b: Vector, B: Matrix) -> bool:
    """Fill ``B`` with a triangular basis of the lattice that ``b`` (d,) generates modulo N.

    Row j is the multiple of b whose entries before j are zero and whose entry j is positive and
    smallest. That entry divides N.

    Args:
        N: The number of points.
        b: Components (d,) in [0, N); overwritten.
        B: Overwritten with the basis (d, d), in rows.

    Returns:
        Whether the multiples of b modulo N are N different points. If not, two points coincide,
        and the minimum distance is 0.
    """
    d = len(b)
    order = 1
    for row in range(d):
        # Extended Euclid: k b[row] = g modulo N.
        g, rest, k, next_k = N, b[row], 0, 1
        while rest != 0:
            q = g // rest
            g, rest = rest, g - q * rest
            k, next_k = next_k, k - q * next_k
        k %= N
        for j in range(d):
            B[row][j] = k * b[j] % N if j > row else 0
        B[row][row] = g
        order *= N // g
        for j in range(d):
            b[j] = b[j] * (N // g) % N
    return order == N


def reduce_basis(B: Matrix, mu: Matrix, r: Vector) -> bool:
    """Apply the LLL reduction, with delta = 0.99, to a basis in place.

    Args:
        B: Basis (d, d), in rows; replaced by a reduced basis of the same lattice.
        mu: Filled with the Gram-Schmidt coefficients (d, d) of the reduced basis.
        r: Filled with its squared Gram-Schmidt lengths (d,).

    Returns:
        Whether the reduction ended within 2000 d steps. It fails only if the entries are too large
        for the 53 bits of a float.
    """
    d = len(r)
    n_visits = 0
    k = 0
    while k < d:
        n_visits += 1
        if n_visits > 2000 * d:
            return False
        again = True
        while again:
            again = False
            # Row k of the Gram-Schmidt coefficients.
            for j in range(k + 1):
                s = 0.0
                for t in range(d):
                    s += float(B[k][t]) * float(B[j][t])
                for i in range(j):
                    s -= mu[j][i] * mu[k][i] * r[i]
                if j < k:
                    mu[k][j] = s / r[j]
                else:
                    r[k] = s
            for j in range(k - 1, -1, -1):
                if abs(mu[k][j]) > 0.501:
                    q = round(mu[k][j])
                    # Large quotients are inexact: subtract, then compute the row again.
                    again = again or abs(q) > 1000
                    for t in range(d):
                        B[k][t] -= q * B[j][t]
                    for i in range(j):
                        mu[k][i] -= q * mu[j][i]
                    mu[k][j] -= q
        if k > 0 and r[k] < (0.99 - mu[k][k - 1] ** 2) * r[k - 1]:
            for t in range(d):
                B[k][t], B[k - 1][t] = B[k - 1][t], B[k][t]
            k -= 1
        else:
            k += 1
    return True


def enumerate_shortest(
    B: Matrix, mu: Matrix, r: Vector, best: int, enough: int, x: Vector, c: Vector, w: Vector
) -> int:
    """Find the squared length of the shortest non-zero vector, if it is below ``best``.

    Schnorr and Euchner's enumeration (1994) of the coefficients x (d,) from the last to the first.

    Args:
        B: A reduced basis (d, d).
        mu: Its Gram-Schmidt coefficients (d, d).
        r: Its squared Gram-Schmidt lengths (d,).
        best: The squared length to fall below.
        enough: Stop as soon as a vector of at most this squared length is known.
        x: Work space (d,): integer coefficients.
        c: Work space (2 d + 1,): centres, then squared lengths of the fixed parts.
        w: Work space (d,): distance from a coefficient to the next one to try.

    Returns:
        The smallest squared length found, or ``best`` if none is below it. A value of at most
        ``enough`` need not be the smallest.
    """
    d = len(r)
    for row in range(d):
        length = 0
        for t in range(d):
            length += B[row][t] * B[row][t]
        best = min(best, length)
        x[row] = 0
        c[row] = 0.0
        c[d + row + 1] = 0.0
        w[row] = 1
    x[0] = 1
    k = 0
    last = 0
    bound = best - 0.5 + 1e-9 * best
    while best > enough:
        c[d + k] = c[d + k + 1] + (x[k] - c[k]) ** 2 * r[k]
        if c[d + k] < bound:
            if k > 0:
                k -= 1
                s = 0.0
                for i in range(k + 1, d):
                    s -= x[i] * mu[i][k]
                c[k] = s
                x[k] = round(s)
                w[k] = 1
                continue
            length = 0
            for t in range(d):
                v = 0
                for i in range(d):
                    v += x[i] * B[i][t]
                length += v * v
            if 0 < length < best:
                best = length
                bound = best - 0.5 + 1e-9 * best
        else:
            k += 1
            if k == d:
                break
        # The next coefficient at this level: outwards from the centre, on alternating sides.
        if k >= last:
            last = k
            x[k] += 1
        else:
            if x[k] > c[k]:
                x[k] -= w[k]
            else:
                x[k] += w[k]
            w[k] += 1
    return best


def squared_lengths(
    N: int,
    vectors: Matrix,
    enough: int,
    out: Vector,
    b: Vector,
    B: Matrix,
    mu: Matrix,
    r: Vector,
    x: Vector,
    c: Vector,
    w: Vector,
) -> None:
    """Fill ``out`` (k,) with the squared minimum distances, times N², of base vectors (k, d).

    Args:
        N: The number of points.
        vectors: Base vectors (k, d) with components in [0, N).
        enough: Squared distances, times N², of at most this need not be exact: the value is then
            an upper bound that is at most ``enough``. It rises to the largest value so far.
        out: Filled. 0 if two points coincide. -1 if the distance is not below 1 in the unit cube,
            where the shortest vector of the lattice does not give it, or if the reduction of the
            basis fails.
        b: Work space (d,).
        B: Work space (d, d) of integers.
        mu: Work space (d, d).
        r: Work space (d,).
        x: Work space (d,) of integers.
        c: Work space (2 d + 1,).
        w: Work space (d,) of integers.
    """
    d = len(b)
    for row in range(len(out)):
        for j in range(d):
            b[j] = vectors[row][j]
        if not fill_basis(N, b, B):
            out[row] = 0
        elif not reduce_basis(B, mu, r):
            out[row] = -1
        else:
            found = enumerate_shortest(B, mu, r, N * N, enough, x, c, w)
            out[row] = found if found < N * N else -1
            enough = max(enough, out[row])
