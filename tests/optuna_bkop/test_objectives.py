"""Studies with several objectives, as a user runs them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import TrialState

from optuna_bkop import BKOPSampler
from tests.support.constraints import set_constraint
from tests.support.plans import is_joint

XY: dict[str, BaseDistribution] = {"x": FloatDistribution(-1, 2), "y": FloatDistribution(0, 3)}


def two(params: dict[str, Any]) -> list[float]:
    """The Pareto set is the segment from (0, 1) to (1, 1)."""
    x, y = params["x"], params["y"]
    return [x**2 + (y - 1) ** 2, (x - 1) ** 2 + (y - 1) ** 2]


def run(
    n_rounds: int,
    q: int = 4,
    *,
    values: Callable[[dict[str, Any]], list[float]] = two,
    directions: tuple[str, ...] = ("minimize", "minimize"),
    space: dict[str, BaseDistribution] = XY,
    **arguments: Any,
) -> optuna.Study:
    arguments = {"seed": 0, "n_startup_trials": 8, **arguments}
    study = optuna.create_study(directions=directions, sampler=BKOPSampler(**arguments))
    for _ in range(n_rounds):
        for trial in [study.ask(space) for _ in range(q)]:
            study.tell(trial, values(trial.params))
    return study


def points(study: optuna.Study) -> list[tuple[Any, ...]]:
    return [tuple(trial.params.values()) for trial in study.trials]


def test_the_front_is_found() -> None:
    study = run(10)
    front = np.array([trial.values for trial in study.best_trials])
    # On the front sqrt(f) + sqrt(g) = 1.
    assert len(front) > 12
    excess = np.sqrt(front).sum(axis=1) - 1.0
    assert np.median(excess) < 0.02
    assert np.ptp(front[:, 0]) > 0.7


def test_a_mixture_of_directions_is_a_change_of_signs() -> None:
    def flipped(params: dict[str, Any]) -> list[float]:
        return [two(params)[0], -two(params)[1]]

    mixed = run(5, values=flipped, directions=("minimize", "maximize"))
    assert points(mixed) == points(run(5))


@pytest.mark.parametrize(
    ("shift", "factor"), [((5.0, -3.0), (1.0, 1.0)), ((0.0, 1e4), (1e-6, 128.0))]
)
def test_shifted_or_scaled_objectives_change_no_suggestion(
    shift: tuple[float, float], factor: tuple[float, float]
) -> None:
    def moved(params: dict[str, Any]) -> list[float]:
        return [f * v + s for f, v, s in zip(factor, two(params), shift, strict=True)]

    np.testing.assert_allclose(points(run(6, values=moved)), points(run(6)), atol=1e-6)


def test_a_round_is_one_joint_plan() -> None:
    study = run(4)
    trials = [study.ask(XY) for _ in range(4)]
    assert is_joint(study.get_trials(), [trial.number for trial in trials], dim=2)
    assert len({tuple(trial.params.values()) for trial in trials}) == 4


def test_the_same_seed_gives_the_same_trials_and_another_gives_others() -> None:
    assert points(run(5, seed=3)) == points(run(5, seed=3))
    assert points(run(5, seed=3)) != points(run(5, seed=4))


def test_threads_share_a_study() -> None:
    study = optuna.create_study(
        directions=["minimize", "minimize"], sampler=BKOPSampler(n_startup_trials=8)
    )

    def objective(trial: optuna.Trial) -> list[float]:
        return two({"x": trial.suggest_float("x", -1, 2), "y": trial.suggest_float("y", 0, 3)})

    study.optimize(objective, n_trials=32, n_jobs=4)
    assert len(set(points(study))) == 32


@pytest.mark.parametrize("m", [3, 4, 8])
def test_any_number_of_objectives_works(m: int) -> None:
    angles = 2 * np.pi * np.arange(m) / m

    def values(params: dict[str, Any]) -> list[float]:
        x, y = params["x"], params["y"]
        return [float((x - np.cos(a)) ** 2 + (y - np.sin(a)) ** 2) for a in angles]

    study = run(6, values=values, directions=("minimize",) * m)
    assert len(set(points(study))) == 24
    late = np.array(points(study))[8:]
    assert (np.linalg.norm(late, axis=1) < 1.2).mean() > 0.7


def test_mixed_and_conditional_parameters_work() -> None:
    space: dict[str, BaseDistribution] = {
        "c": CategoricalDistribution(["a", "b"]),
        "n": IntDistribution(1, 9),
        "lr": FloatDistribution(1e-4, 1.0, log=True),
    }

    def values(params: dict[str, Any]) -> list[float]:
        cost = params["n"] + (3.0 if params["c"] == "b" else 0.0)
        return [10.0 / params["n"] + abs(math.log10(params["lr"]) + 2), cost]

    study = run(8, values=values, space=space)
    assert len(set(points(study))) == 32
    late = study.trials[16:]
    assert sum(trial.params["c"] == "a" for trial in late) >= 12

    def objective(trial: optuna.Trial) -> list[float]:
        x = trial.suggest_float("x", 0, 1)
        if trial.suggest_categorical("kind", ["one", "two"]) == "one":
            return [x, 1 - x]
        return [x + trial.suggest_float("extra", 0, 1), 2 - x]

    conditional = optuna.create_study(
        directions=["minimize", "minimize"], sampler=BKOPSampler(seed=0, n_startup_trials=8)
    )
    conditional.optimize(objective, n_trials=32)
    kinds = [trial.params["kind"] for trial in conditional.trials[16:]]
    assert kinds.count("one") > 10
    assert "two" in kinds


def test_without_a_feasible_trial_the_least_violation_is_looked_for() -> None:
    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=BKOPSampler(seed=0, n_startup_trials=8)
    )
    for _ in range(8):
        for trial in [study.ask(XY) for _ in range(4)]:
            x, y = trial.params["x"], trial.params["y"]
            set_constraint(trial, "small disc", (x + 0.5) ** 2 + (y - 0.8) ** 2 - 0.04)
            study.tell(trial, [-x, x])
    distance = [math.hypot(t.params["x"] + 0.5, t.params["y"] - 0.8) for t in study.trials]
    assert min(distance[:8]) > 0.2  # the startup has no feasible trial
    assert min(distance) < 0.2
    assert np.median(distance[12:]) < 0.5 < np.median(distance[:8])


def test_failed_pruned_and_infinite_trials_are_survived() -> None:
    study = optuna.create_study(
        directions=["minimize", "minimize"], sampler=BKOPSampler(seed=0, n_startup_trials=8)
    )
    for _ in range(10):
        for trial in [study.ask(XY) for _ in range(4)]:
            f, g = two(trial.params)
            if trial.params["y"] > 2.0:
                study.tell(trial, state=TrialState.FAIL)
            elif trial.number % 7 == 3:
                study.tell(trial, state=TrialState.PRUNED)
            else:
                study.tell(trial, [math.inf if trial.params["x"] > 1.5 else f, g])
    late = study.trials[20:]
    assert sum(trial.state == TrialState.FAIL for trial in late) < 4
    assert len(set(points(study))) == 40


def test_a_finite_space_is_used_up_before_points_repeat() -> None:
    space: dict[str, BaseDistribution] = {"x": IntDistribution(0, 3), "y": IntDistribution(0, 3)}
    study = run(4, space=space)
    assert len(set(points(study))) == 16


def test_the_reference_point_is_in_the_units_and_directions_of_the_study() -> None:
    def flipped(params: dict[str, Any]) -> list[float]:
        return [two(params)[0], -two(params)[1]]

    # Only a first objective below 0.1 counts.
    study = run(
        10,
        values=flipped,
        directions=("minimize", "maximize"),
        reference_point=(0.1, -10.0),
        seed=1,
    )
    late = np.array([trial.values for trial in study.trials[16:]])
    assert (late[:, 0] < 0.1).mean() > 0.6
    free = run(10, values=flipped, directions=("minimize", "maximize"), seed=1)
    assert (np.array([t.values for t in free.trials[16:]])[:, 0] < 0.1).mean() < 0.5


def test_a_reference_point_of_the_wrong_length_is_refused() -> None:
    study = optuna.create_study(
        directions=["minimize"] * 3, sampler=BKOPSampler(reference_point=(1.0, 2.0))
    )
    with pytest.raises(ValueError, match=r"each of the 3 objectives, got \(1\.0, 2\.0\)"):
        study.ask(XY)


@pytest.mark.parametrize("given", [(math.nan, 1.0), ("a", 1.0), (math.inf, 0.0)])
def test_a_reference_point_that_is_not_finite_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=r"`reference_point` must be a finite number"):
        BKOPSampler(reference_point=given)


def test_many_trials_are_reduced_to_an_active_set() -> None:
    study = optuna.create_study(directions=["minimize"] * 3, sampler=BKOPSampler(seed=0))
    rng = np.random.default_rng(0)
    for x, y in rng.random((1500, 2)).tolist():
        params = {"x": 3 * x - 1, "y": 3 * y}
        study.add_trial(
            optuna.trial.create_trial(
                params=params, distributions=XY, values=[*two(params), (params["y"] - 2) ** 2]
            )
        )
    trials = [study.ask(XY) for _ in range(2)]
    assert len({tuple(trial.params.values()) for trial in trials}) == 2
