"""Studies of hundreds of trials go on improving, and their suggestions keep all promises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import optuna
import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from optuna_bkop import BKOPSampler

Params = dict[str, float]


def rotated_ellipsoid(params: Params) -> float:
    """A narrow valley across the parameters: curvatures 1, 10^3 and 10^6 in rotated axes."""
    rotation, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    x = rotation @ (np.array([params[name] for name in ("x", "y", "z")]) - 0.3)
    return float(x**2 @ [1.0, 1e3, 1e6])


def study_of(
    objective: Callable[[Params], float],
    space: dict[str, BaseDistribution],
    n: int,
    sampler: BKOPSampler,
) -> optuna.Study:
    """A study with n finished trials around (0.4, 0.4, ...), which another sampler has made."""
    study = optuna.create_study(sampler=sampler, study_name="long")
    rng = np.random.default_rng(7)
    for _ in range(n):
        params = {}
        for name, distribution in space.items():
            if isinstance(distribution, FloatDistribution):
                params[name] = float(np.clip(0.4 + 0.1 * rng.normal(), 0.0, 1.0))
            elif isinstance(distribution, IntDistribution):
                params[name] = int(rng.integers(distribution.low, distribution.high + 1))
            else:
                assert isinstance(distribution, CategoricalDistribution)
                params[name] = distribution.choices[int(rng.integers(len(distribution.choices)))]
        study.add_trial(
            optuna.trial.create_trial(params=params, distributions=space, value=objective(params))
        )
    return study


CUBE: dict[str, BaseDistribution] = {name: FloatDistribution(0.0, 1.0) for name in ("x", "y", "z")}


def run(study: optuna.Study, objective: Callable[[Params], float], n_rounds: int) -> list[Params]:
    """Ask and tell rounds of ten; return the parameters."""
    asked = []
    for _ in range(n_rounds):
        trials = [study.ask(CUBE) for _ in range(10)]
        for trial in trials:
            study.tell(trial, objective(trial.params))
            asked.append(trial.params)
    return asked


def test_a_narrow_rotated_valley_is_followed() -> None:
    study = study_of(rotated_ellipsoid, CUBE, 250, BKOPSampler(seed=1, batch_size=10))
    before = study.best_value
    run(study, rotated_ellipsoid, 8)
    # The model of all trials alone finds no better point in a hundred trials.
    assert study.best_value < 0.01 * before


def test_seed_and_trials_determine_the_points() -> None:
    first, second = (
        run(
            study_of(rotated_ellipsoid, CUBE, 255, BKOPSampler(seed=3, batch_size=10)),
            rotated_ellipsoid,
            1,
        )
        for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_of_the_values_do_not_matter(scale: float) -> None:
    def scaled(params: Params) -> float:
        return scale * rotated_ellipsoid(params)

    plain = run(
        study_of(rotated_ellipsoid, CUBE, 255, BKOPSampler(seed=3, batch_size=10)),
        rotated_ellipsoid,
        1,
    )
    other = run(study_of(scaled, CUBE, 255, BKOPSampler(seed=3, batch_size=10)), scaled, 1)
    for a, b in zip(plain, other, strict=True):
        assert a == pytest.approx(b, abs=1e-6)


def test_discrete_parameters_keep_their_values_and_points_differ() -> None:
    space: dict[str, BaseDistribution] = {
        "x": FloatDistribution(0.0, 1.0),
        "n": IntDistribution(1, 4),
        "y": FloatDistribution(0.0, 1.0),
        "kind": CategoricalDistribution(["a", "b"]),
    }

    def objective(params: Params) -> float:
        along, across = params["x"] + params["y"] - 0.9, params["x"] - params["y"]
        return along**2 + 1e3 * across**2 + (params["n"] - 2) ** 2 + (params["kind"] == "b")

    study = study_of(objective, space, 250, BKOPSampler(seed=1, batch_size=5))
    before = study.best_value
    for _ in range(4):
        trials = [study.ask(space) for _ in range(5)]
        for trial in trials:
            assert trial.params["n"] in (1, 2, 3, 4)
            assert trial.params["kind"] in ("a", "b")
            study.tell(trial, objective(trial.params))
    assert study.best_value < before
    new = [tuple(trial.params.items()) for trial in study.trials[250:]]
    assert len(set(new)) == len(new)


def test_an_optimum_at_the_bounds_is_reached() -> None:
    def corner(params: Params) -> float:
        return 2.0 - params["x"] - params["y"] + params["z"] ** 2

    study = study_of(corner, CUBE, 250, BKOPSampler(seed=1, batch_size=10))
    run(study, corner, 4)
    assert study.best_params["x"] == pytest.approx(1.0)
    assert study.best_params["y"] == pytest.approx(1.0)
    assert study.best_value < 1e-3
