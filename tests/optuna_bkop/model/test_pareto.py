"""Dominance against a twin that compares all pairs."""

import numpy as np
import pytest

from optuna_bkop._arrays import FloatArray
from optuna_bkop._model.pareto import by_layers, nondominated


def dominated(V: FloatArray) -> list[bool]:
    return [
        any(bool((w >= v).all() and (w > v).any()) for w in V)
        for v in V  # all pairs
    ]


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_the_front_has_no_dominated_row_and_one_of_equal_rows(m: int, n: int) -> None:
    rng = np.random.default_rng(n + m)
    V = rng.integers(0, 4, (n, m)).astype(float)
    front = nondominated(V)
    expected = np.unique(V[~np.array(dominated(V))], axis=0)
    np.testing.assert_array_equal(np.unique(V[front], axis=0), expected)
    assert len(front) == len(expected)
    assert list(front) == sorted(front)


def test_infinite_values_are_compared() -> None:
    V = np.array([[np.inf, 0.0], [1.0, -np.inf], [1.0, 2.0], [-np.inf, np.inf]])
    assert nondominated(V).tolist() == [0, 2, 3]


def test_layers_follow_each_other() -> None:
    V = np.random.default_rng(0).standard_normal((40, 2))
    order, n_first = by_layers(V, n_enough=len(V))
    assert sorted(order) == list(range(40))
    assert sorted(order[:n_first]) == nondominated(V).tolist()
    rest = np.delete(np.arange(40), nondominated(V))
    second = rest[nondominated(V[rest])]
    assert sorted(order[n_first : n_first + len(second)]) == second.tolist()


def test_rows_beyond_enough_follow_by_mean_rank() -> None:
    V = np.array([[9.0, 9.0], [1.0, 0.0], [5.0, 6.0], [6.0, 5.0], [0.0, 2.0]])
    order, n_first = by_layers(V, n_enough=1)
    assert n_first == 1
    assert order.tolist() == [0, 2, 3, 4, 1] or order.tolist() == [0, 2, 3, 1, 4]
