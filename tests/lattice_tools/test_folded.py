"""The table of folded squares, kept whole or computed row by row."""

import numpy as np
import pytest

from lattice_tools._folded import FoldedSquares, fold


def naive_table(N):
    H = N // 2
    return [[min(i * v % N, N - i * v % N) ** 2 for v in range(H + 1)] for i in range(H + 1)]


@pytest.mark.parametrize("N", [2, 3, 4, 5, 30, 101])
@pytest.mark.parametrize("table_bytes", [0, 10**9])
def test_rows_are_those_of_the_formula(N, table_bytes):
    squares = FoldedSquares(N, 3, table_bytes=table_bytes)
    assert squares.rows(np.arange(N // 2 + 1)).tolist() == naive_table(N)


@pytest.mark.parametrize(("N", "dim"), [(2, 1), (31, 4), (500, 30), (40_000, 3), (200_003, 5)])
def test_table_and_chunked_form_agree(N, dim):
    # 40,000 needs 64-bit sums, 200,003 also 64-bit products: rows of the first are spot checks.
    b = np.random.default_rng(0).integers(0, N // 2 + 1, size=dim)
    chunked = FoldedSquares(N, dim, table_bytes=0)
    i = np.random.default_rng(1).integers(1, N // 2 + 1, size=9)
    expected = [sum(min(int(k * v) % N, -int(k * v) % N) ** 2 for v in b) for k in i]
    assert chunked.lengths(b)[i].tolist() == expected
    if N <= 500:
        np.testing.assert_array_equal(FoldedSquares(N, dim).lengths(b), chunked.lengths(b))


def test_rows_in_many_chunks_are_the_same(monkeypatch):
    import lattice_tools._folded as folded

    i, b = np.array([3, 1, 50]), np.array([1, 7, 33, 20])
    whole = FoldedSquares(101, 4, table_bytes=0)
    monkeypatch.setattr(folded, "_CHUNK_BYTES", 1)
    parts = FoldedSquares(101, 4, table_bytes=0)
    S = whole.lengths(b)
    np.testing.assert_array_equal(parts.lengths(b), S)
    np.testing.assert_array_equal(parts.rows(i), whole.rows(i))
    np.testing.assert_array_equal(parts.lowest(i, S), whole.lowest(i, S))


def test_the_origin_is_never_the_shortest():
    squares = FoldedSquares(4, 2)
    lengths = squares.lengths(np.array([2, 2]))
    assert lengths[0] > lengths[1:].max()


def test_fold_takes_the_smaller_of_v_and_its_negative():
    assert fold(np.array([[0, 1, 6], [7, -1, 13]]), 7).tolist() == [[0, 1, 1], [0, 1, 1]]
