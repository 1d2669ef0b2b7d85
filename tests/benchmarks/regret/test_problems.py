"""The test functions have the minima they are said to have, wherever they are moved."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from benchmarks.harness.arrays import Array
from benchmarks.regret.functions import FUNCTIONS, PAPER_FUNCTIONS
from benchmarks.regret.problems import Problem

MINIMA = {
    ("hartmann6", 6): -3.32236801141551,
    ("branin", 2): 10 / (8 * np.pi),
    ("michalewicz", 2): -1.80130341009855321,
    ("michalewicz", 5): -4.687658,
    ("michalewicz", 10): -9.6601517,
    ("styblinski-tang", 3): -39.16616570377142 * 3,
    ("griewank", 4): 0.0,
} | {(name, dim): 0.0 for name in PAPER_FUNCTIONS for dim in (2, 6)}


def dim_of(name: str) -> int:
    return FUNCTIONS[name].dim or 5


@pytest.mark.parametrize(("name", "dim"), MINIMA)
def test_minimum_is_the_known_one(name: str, dim: int) -> None:
    function = FUNCTIONS[name]
    value = function.formula(function.optimum(dim)[None])[0]
    assert value == pytest.approx(MINIMA[name, dim], abs=1e-6 if "micha" in name else 1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shift", [False, True])
@pytest.mark.parametrize("rotate", [False, True])
def test_no_point_is_below_the_minimum(name: str, shift: bool, rotate: bool) -> None:
    problem = Problem(name, dim_of(name), seed=3, shift=shift, rotate=rotate, offset=-5.0)
    rng = np.random.default_rng(0)
    assert problem.values(problem.optimum[None])[0] == -5.0
    function = FUNCTIONS[name]
    least = function.formula(function.optimum(problem.dim)[None])[0]
    box = np.broadcast_to(np.array([function.lower, function.upper]).T, (problem.dim, 2))
    start = rng.uniform(box[:, 0], box[:, 1], (20_000, problem.dim))
    # Far outside as well: a moved function is also evaluated there.
    start = np.vstack([start, 3 * start])
    values = function.formula(start)

    def value(z: Array) -> float:
        return float(function.formula(z[None])[0])

    found = minimize(value, start[values.argmin()], method="Nelder-Mead")
    assert min(values.min(), found.fun) >= least - 1e-9


@pytest.mark.parametrize("name", FUNCTIONS)
def test_optimum_is_inside_the_cube_and_unlike_for_other_seeds(name: str) -> None:
    optima = np.array([Problem(name, dim_of(name), seed=seed).optimum for seed in range(50)])
    assert optima.min() >= 0.15
    assert optima.max() <= 0.85
    assert len(np.unique(optima, axis=0)) == 50
    assert 0 <= Problem(name, dim_of(name), shift=False).optimum.min()


def test_shift_is_a_translation() -> None:
    moved = Problem("levy", 4, seed=1)
    plain = Problem("levy", 4, seed=1, shift=False)
    points = np.random.default_rng(0).random((30, 4))
    np.testing.assert_allclose(
        moved.regret(points), plain.regret(points - moved.optimum + plain.optimum)
    )


def test_rotation_is_about_the_optimum_and_keeps_distances() -> None:
    straight, turned = (Problem("ackley", 3, seed=2, rotate=rotate) for rotate in (False, True))
    points = np.random.default_rng(0).random((30, 3))
    assert not np.allclose(straight.regret(points), turned.regret(points))
    np.testing.assert_allclose(turned._rotation @ turned._rotation.T, np.eye(3), atol=1e-12)
    np.testing.assert_array_equal(straight.optimum, turned.optimum)


def test_values_are_regret_plus_offset() -> None:
    problem = Problem("rosenbrock", 6, offset=-5.0)
    points = np.random.default_rng(0).random((7, 6))
    np.testing.assert_allclose(problem.values(points), problem.regret(points) - 5.0)


def test_rows_are_independent() -> None:
    for name in FUNCTIONS:
        problem = Problem(name, dim_of(name), rotate=True)
        points = np.random.default_rng(0).random((6, problem.dim))
        singly = [problem.regret(point[None])[0] for point in points]
        np.testing.assert_allclose(problem.regret(points), singly, rtol=1e-12)


def test_noise_has_the_stated_share_of_the_spread() -> None:
    quiet, loud = (Problem("ackley", 6, noise=noise) for noise in (0.0, 0.05))
    points = np.random.default_rng(0).random((20_000, 6))
    assert quiet.spread == loud.spread == pytest.approx(quiet.regret(points).std(), rel=0.05)
    error = loud.observe(points, np.random.default_rng(1)) - quiet.values(points)
    assert error.std() == pytest.approx(0.05 * loud.spread, rel=0.02)
    rng = np.random.default_rng(1)
    np.testing.assert_array_equal(quiet.observe(points, rng), quiet.values(points))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "cube", "dim": 2}, "one of .*'ackley'.* got 'cube'"),
        ({"name": "branin", "dim": 6}, "2 for branin, got 6"),
        ({"name": "ackley", "dim": 1}, "at least 2, got 1"),
        ({"name": "ackley", "dim": 2, "noise": -0.1}, "negative, got -0.1"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Problem(**arguments)  # type: ignore[arg-type]
