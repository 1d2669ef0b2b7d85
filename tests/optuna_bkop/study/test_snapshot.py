"""What one read of a study tells."""

from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from optuna_bkop._domain import Condition
from optuna_bkop._study.snapshot import Snapshot, take_snapshot
from optuna_bkop._study.trial_cache import TrialCache
from optuna_bkop._study.unit_cube import UnitCube

SPACE: dict[str, BaseDistribution] = {
    "kind": CategoricalDistribution(["line", "bowl"]),
    "x": FloatDistribution(0.0, 1.0),
}
CUBE = UnitCube(SPACE)


def make_trial(value: float | None = 1.0, x: float | None = 0.5, **arguments: Any) -> FrozenTrial:
    """A trial of the bowl, or of the line, which has no x."""
    params: dict[str, Any] = {"kind": "line"} if x is None else {"kind": "bowl", "x": x}
    distributions = {name: SPACE[name] for name in params}
    return create_trial(params=params, distributions=distributions, value=value, **arguments)


def snapshot_of(trials: list[FrozenTrial], name: str = "study") -> Snapshot:
    study = optuna.create_study(study_name=name)
    study.add_trials(trials)
    study.ask()
    return take_snapshot(study, study.get_trials()[-1], CUBE, TrialCache())


def test_the_conditions_of_branches_are_found() -> None:
    snapshot = snapshot_of([make_trial(), make_trial(x=None), make_trial(x=0.2)])
    assert snapshot.domain.conditions == {1: Condition(0, frozenset([0.75]))}
    assert snapshot_of([make_trial(), make_trial(x=0.2)]).domain.conditions == {}


def test_plans_are_based_on_study_trials_and_values_and_seeds_on_trials_alone() -> None:
    trials = [make_trial(1.0), make_trial(2.0, x=None)]
    one, again = snapshot_of(trials), snapshot_of(trials)
    assert (one.fingerprint, one.trials_known) == (again.fingerprint, again.trials_known)
    for other in (
        snapshot_of([make_trial(1.0), make_trial(3.0, x=None)]),
        snapshot_of(trials, "another study"),
    ):
        assert other.fingerprint != one.fingerprint
        assert other.trials_known == one.trials_known
    more = snapshot_of([*trials, make_trial(0.5)])
    assert more.fingerprint != one.fingerprint
    assert more.trials_known != one.trials_known


def test_trials_without_a_value_have_ended_and_count_as_finished() -> None:
    failed = make_trial(None, state=TrialState.FAIL)
    snapshot = snapshot_of([make_trial(), failed, failed])
    assert snapshot.history.numbers.tolist() == [0]
    assert [trial.number for trial in snapshot.ended] == [1, 2]
    assert [trial.number for trial in snapshot.others] == [1, 2, 3]
    assert snapshot.finished == {0, 1, 2}


def test_all_brackets_of_hyperband_are_read() -> None:
    study = optuna.create_study(pruner=optuna.pruners.HyperbandPruner(1, 27))
    study.add_trials([make_trial() for _ in range(12)])
    study.pruner._try_initialization(study)
    trial = study.ask()
    bracket = optuna.pruners._filter_study(study, trial._cached_frozen_trial)
    assert len(bracket.get_trials()) < 13
    snapshot = take_snapshot(bracket, study.get_trials()[-1], CUBE, TrialCache())
    assert snapshot.finished == set(range(12))


def test_an_enqueued_trial_has_its_point_in_advance() -> None:
    def point(params: dict[str, Any]) -> list[float] | None:
        study = optuna.create_study()
        study.add_trials([make_trial(), make_trial(x=None)])
        study.enqueue_trial(params)
        study.ask()
        trial = study.get_trials()[-1]
        u = take_snapshot(study, trial, CUBE, TrialCache()).u_enqueued
        return None if u is None else u.tolist()

    assert point({"kind": "bowl", "x": 0.25}) == [0.75, 0.25]
    assert point({"kind": "line"}) == [0.25, 0.5]  # the line has no x
    assert point({"kind": "bowl"}) is None
    assert point({"x": 0.25}) is None
    assert point({"kind": "cube", "x": 0.25}) is None
    assert snapshot_of([make_trial()]).u_enqueued is None
