"""The first points follow from the trial's number, the root and the names alone."""

import subprocess
import sys

import numpy as np
import pytest

from lattice_tools import build
from optuna_bkop import BKOPSampler
from optuna_bkop._startup import lattice_point, lone_point, seed_of

NAMES = ("a", "b", "c")


def points(n: int, n_startup: int = 20, root: str = "seed 0") -> np.ndarray:
    return np.array([lattice_point(root, NAMES, i, n_startup) for i in range(n)])


def test_the_first_points_are_a_shifted_rank_1_lattice() -> None:
    X = points(20)
    differences = (X - X[0]) % 1.0
    multiples = np.rint(differences * 20).astype(int) % 20
    np.testing.assert_allclose(differences, (differences * 20).round() / 20, atol=1e-12)
    np.testing.assert_array_equal(multiples, np.outer(np.arange(20), multiples[1]) % 20)


def test_the_lattice_is_as_wide_as_algorithm_7_makes_it() -> None:
    X = points(20)
    gaps = np.abs(X[:, None] - X)
    gaps = np.minimum(gaps, 1 - gaps)
    distances = np.linalg.norm(gaps, axis=2)[np.triu_indices(20, 1)]
    assert distances.min() >= 0.95 * build("alg7", 20, 3).min_distance


def test_points_are_in_the_cube_and_distinct_beyond_the_lattice() -> None:
    X = points(200, n_startup=8)
    assert (X >= 0).all()
    assert (X < 1).all()
    assert len(np.unique(X.round(9), axis=0)) == 200


@pytest.mark.parametrize("n_startup", [0, 1, 2, 3, 1000])
def test_any_number_of_startup_trials_has_points(n_startup: int) -> None:
    X = points(30, n_startup=n_startup)
    assert len(np.unique(X.round(9), axis=0)) == 30


def test_point_0_needs_no_space() -> None:
    alone = [lone_point("seed 0", name, 0) for name in NAMES]
    np.testing.assert_array_equal(lattice_point("seed 0", NAMES, 0, 20), alone)
    np.testing.assert_array_equal(
        lattice_point("seed 0", ("b",), 0, 7), [lone_point("seed 0", "b", 0)]
    )


def test_trials_that_do_not_know_the_space_are_spread_and_distinct() -> None:
    X = np.array([[lone_point("seed 0", name, i) for name in NAMES] for i in range(32)])
    for column in X.T:
        assert len(np.unique(column.round(9))) == 32
        assert len(np.unique((column * 4).astype(int))) == 4
    # The parameters do not move in step.
    assert np.abs(np.corrcoef(X.T) - np.eye(3)).max() < 0.6


def test_the_root_decides() -> None:
    np.testing.assert_array_equal(points(5), points(5))
    assert not np.allclose(points(5), points(5, root="seed 1"))
    assert seed_of("a", "bc") != seed_of("ab", "c")


def test_another_process_has_the_same_points() -> None:
    code = (
        "from optuna_bkop._startup import lattice_point;"
        "print(lattice_point('seed 0', ('a', 'b', 'c'), 3, 20).tolist())"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == str(points(4)[3].tolist())


def test_reseeding_does_not_move_the_lattice() -> None:
    import optuna

    def first_points(reseed: bool) -> list[dict[str, float]]:
        sampler = BKOPSampler(seed=3, n_startup_trials=6)
        study = optuna.create_study(sampler=sampler)
        for _ in range(6):
            if reseed:
                sampler.reseed_rng()
            study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=1)
        return [t.params for t in study.trials]

    assert first_points(True) == first_points(False)
