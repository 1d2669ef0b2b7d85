"""What a front does not dominate, as boxes: against inclusion and exclusion, and random points."""

import itertools

import numpy as np
import pytest

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.boxes import Boxes, hypervolume, thinned
from optuna_bkop._model.pareto import nondominated


def make_front(m: int, n: int = 9, seed: int = 0) -> FloatArray:
    V = np.abs(np.random.default_rng(seed).standard_normal((n, m)))
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    return V[nondominated(V)]


def naive_hypervolume(front: FloatArray, reference: FloatArray) -> float:
    """Inclusion and exclusion over all subsets."""
    total = 0.0
    for size in range(1, len(front) + 1):
        for subset in itertools.combinations(front, size):
            sides = np.maximum(np.min(subset, axis=0) - reference, 0.0)
            total += (-1) ** (size + 1) * sides.prod()
    return total


@pytest.mark.parametrize("m", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_hypervolume_equals_inclusion_and_exclusion(m: int, seed: int) -> None:
    front = make_front(m, seed=seed)
    reference = np.full(m, 0.05)  # some points of the front are below it
    np.testing.assert_allclose(
        hypervolume(front, reference), naive_hypervolume(front, reference), rtol=1e-10
    )


def test_hypervolume_without_a_point_above_the_reference_is_zero() -> None:
    assert hypervolume(np.array([[1.0, 0.0]]), np.array([0.5, 0.5])) == 0.0


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_every_point_is_dominated_or_in_one_box(m: int) -> None:
    front = make_front(m, n=25)
    reference = np.full(m, -0.1)
    boxes = Boxes.above(reference, front)
    tried = reference + np.random.default_rng(1).random((500, m)) * 1.4
    n_boxes = (
        ((tried[:, None] > boxes.lower) & (tried[:, None] < boxes.upper)).all(axis=2).sum(axis=1)
    )
    is_dominated = (tried[:, None] <= front).all(axis=2).any(axis=1)
    np.testing.assert_array_equal(n_boxes, np.where(is_dominated, 0, 1))


def test_the_order_of_points_does_not_matter_to_what_is_covered() -> None:
    front, reference = make_front(3, n=12), np.zeros(3)
    boxes = Boxes.above(reference, front[:1])
    for point in front[1:]:
        boxes = boxes.below(point)
    ideal = np.full(3, 1.5)
    np.testing.assert_allclose(
        boxes.volume(ideal), Boxes.above(reference, front).volume(ideal), rtol=1e-12
    )
    assert boxes.below(np.full(3, -1.0)) is boxes


def test_two_objectives_need_one_box_more_than_points() -> None:
    front = make_front(2, n=40)
    assert len(Boxes.above(np.full(2, -1.0), front).lower) == len(front) + 1


def test_a_thinned_front_is_close_to_all_of_its_points() -> None:
    front = make_front(3, n=400)
    few = thinned(front, np.ones(3), 50)
    assert 10 < len(few) <= 50
    shortfall = (front[:, None] - few).max(axis=2).min(axis=1)
    assert shortfall.max() < 0.4
    np.testing.assert_array_equal(thinned(front, np.ones(3), 400), front)
