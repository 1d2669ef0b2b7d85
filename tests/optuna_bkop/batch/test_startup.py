"""The first points follow from the trial's number, the root and the names alone."""

import subprocess
import sys

import numpy as np
import pytest

from lattice_tools import build
from optuna_bkop import BKOPSampler
from optuna_bkop._batch.startup import StartupLattice, lone_point
from optuna_bkop._seeds import derived_seed

NAMES = ("a", "b", "c")


def points(n: int, n_startup: int = 20, root: str = "seed 0") -> np.ndarray:
    lattice = StartupLattice.build(n_startup, len(NAMES))
    return np.array([lattice.point(root, NAMES, i) for i in range(n)])


def test_the_first_points_are_a_shifted_rank_1_lattice() -> None:
    X = points(20)
    differences = (X - X[0]) % 1.0
    multiples = np.rint(differences * 20).astype(int) % 20
    np.testing.assert_allclose(differences, (differences * 20).round() / 20, atol=1e-12)
    base = StartupLattice.build(20, 3).lattice.base_vector
    expected = np.outer(np.arange(20), base) % 20
    assert sorted(map(tuple, multiples)) == sorted(map(tuple, expected))


def largest_gaps(X: np.ndarray) -> np.ndarray:
    """The largest gap of each column's values (d,) on the circle."""
    X = np.sort(X, axis=0)
    return np.maximum(np.diff(X, axis=0).max(axis=0), X[0] + 1.0 - X[-1])


@pytest.mark.parametrize("dim", [2, 3, 4, 6, 10])
def test_a_startup_that_is_cut_short_covers_the_range_of_each_parameter(dim: int) -> None:
    lattice = StartupLattice.build(20, dim)
    names = tuple(f"p{j}" for j in range(dim))
    X = np.array([lattice.point("seed 0", names, i) for i in range(20)])
    rng = np.random.default_rng(0)
    for n in (4, 8, 12):
        random = [largest_gaps(rng.random((n, dim))).mean() for _ in range(200)]
        assert largest_gaps(X[:n]).mean() <= np.median(random)
    # In the order of the multiples there would be a gap of 0.65 after 8 points.
    assert largest_gaps(X[:8]).max() <= 0.5


@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.parametrize("n", [4, 8, 16, 32])
def test_trials_that_do_not_know_the_space_are_spread_better_than_random(n: int, dim: int) -> None:
    """Separation and gaps, in the median and in the worst twentieth of 150 studies."""

    def separation(X: np.ndarray) -> float:
        distances = np.linalg.norm(X[:, None] - X, axis=2)
        return float(distances[np.triu_indices(n, 1)].min())

    rng = np.random.default_rng(0)
    ours = [
        np.array([[lone_point(f"name {k}", f"p{j}", i) for j in range(dim)] for i in range(n)])
        for k in range(150)
    ]
    random = [rng.random((n, dim)) for _ in range(150)]
    for quantile in (0.5, 0.05):
        ours_apart, apart = (
            np.quantile([separation(X) for X in sets], quantile) for sets in (ours, random)
        )
        assert ours_apart >= apart
        ours_gap, gap = (
            np.quantile([largest_gaps(X).mean() for X in sets], 1.0 - quantile)
            for sets in (ours, random)
        )
        assert ours_gap <= gap


@pytest.mark.parametrize(("n", "dim"), [(20, 3), (20, 6), (30, 8)])
def test_the_lattice_is_as_wide_as_algorithm_7_makes_it(n: int, dim: int) -> None:
    X = StartupLattice.build(n, dim).lattice.points()
    gaps = np.abs(X[:, None] - X)
    gaps = np.minimum(gaps, 1 - gaps)
    distances = np.linalg.norm(gaps, axis=2)[np.triu_indices(n, 1)]
    assert distances.min() >= 0.999 * build("alg7", n, dim).min_distance


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
    np.testing.assert_array_equal(points(1)[0], alone)
    np.testing.assert_array_equal(
        StartupLattice.build(7, 1).point("seed 0", ("b",), 0), [lone_point("seed 0", "b", 0)]
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
    assert derived_seed("a", "bc") != derived_seed("ab", "c")


def test_another_process_has_the_same_points() -> None:
    code = (
        "from optuna_bkop._batch.startup import StartupLattice;"
        "lattice = StartupLattice.build(20, 3);"
        "print(lattice.point('seed 0', ('a', 'b', 'c'), 3).tolist())"
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
