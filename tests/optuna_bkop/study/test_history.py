"""Trials -> data: which count, with what value, in which space."""

import datetime
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
from optuna.trial import FrozenTrial, TrialState, create_trial

from optuna_bkop._study.history import History, read_history
from optuna_bkop._study.search_space import union_space
from optuna_bkop._study.trial_cache import TrialCache
from optuna_bkop._study.unit_cube import UnitCube

X = FloatDistribution(0.0, 1.0)
CUBE = UnitCube({"x": X})


def make_study(trials: list[FrozenTrial]) -> list[FrozenTrial]:
    """Trials with the numbers of a study."""
    study = optuna.create_study()
    study.add_trials(trials)
    return study.get_trials(deepcopy=False)


def make_trial(x: float = 0.5, value: float | None = 1.0, **arguments: Any) -> FrozenTrial:
    return create_trial(params={"x": x}, distributions={"x": X}, value=value, **arguments)


def pruned(x: float = 0.5, steps: dict[int, float] | None = None) -> FrozenTrial:
    return make_trial(x, None, state=TrialState.PRUNED, intermediate_values=steps or {})


def read(trials: list[FrozenTrial], cube: UnitCube = CUBE, *, maximize: bool = True) -> History:
    return read_history(TrialCache().read(make_study(trials)), cube, maximize=[maximize])


def test_complete_trials_are_data() -> None:
    history = read([make_trial(0.1, 3.0), make_trial(0.2, -1.0)])
    assert history.numbers.tolist() == [0, 1]
    assert history.U.tolist() == [[0.1], [0.2]]
    assert history.values.tolist() == [[3.0], [-1.0]]
    assert history.constraints.shape == (2, 0)
    assert len(history) == 2


def test_values_are_to_be_maximised() -> None:
    assert read([make_trial(0.1, 3.0)], maximize=False).values.tolist() == [[-3.0]]


def test_infinite_values_are_data() -> None:
    history = read([make_trial(value=np.inf), make_trial(value=-np.inf)])
    assert history.values.tolist() == [[np.inf], [-np.inf]]


def test_failed_running_and_waiting_trials_are_no_data() -> None:
    states = (TrialState.FAIL, TrialState.RUNNING, TrialState.WAITING)
    trials = [make_trial(value=None, state=state) for state in states]
    assert read([*trials, make_trial(0.2, 5.0)]).numbers.tolist() == [3]


def test_no_trials_are_no_data() -> None:
    history = read([])
    assert len(history) == 0
    assert history.U.shape == (0, 1)
    assert union_space(TrialCache().read([])) == ({}, set())


def comparable(value: float) -> FrozenTrial:
    """A complete trial whose value is the last that it reported."""
    return make_trial(0.1, value, intermediate_values={0: value + 2, 1: value - 1, 2: value})


@pytest.mark.parametrize("maximize", [True, False])
def test_a_pruned_trial_counts_as_no_better_than_the_median(maximize: bool) -> None:
    good = 100.0 if maximize else -100.0
    history = read(
        [comparable(1.0), comparable(2.0), comparable(6.0), pruned(0.7, {0: good})],
        maximize=maximize,
    )
    assert abs(history.values[3]) == 2.0


@pytest.mark.parametrize(
    "trials",
    [
        [make_trial(0.1, 1.0), pruned(0.7, {0: 1.0})],  # nobody else reported
        [comparable(1.0), pruned(0.7)],  # reported nothing
        [comparable(1.0), pruned(0.7, {0: float("nan")})],
        [comparable(1.0), pruned(0.7, {0: float("inf")})],
        [comparable(float("inf")), pruned(0.7, {0: 1.0})],
    ],
)
def test_a_pruned_trial_always_counts_once_there_is_a_value(trials: list[FrozenTrial]) -> None:
    history = read(trials)
    assert history.numbers.tolist() == [0, 1]
    assert not np.isnan(history.values).any()
    assert history.values[1] <= history.values[0]


def test_a_pruned_trial_without_a_report_changes_no_other() -> None:
    complete = [make_trial(0.1, float(k), intermediate_values={1: float(k)}) for k in range(1, 7)]
    some = [pruned(0.5, {1: 5.5}), pruned(0.7, {1: 9.0})]
    alone = read([*complete, *some], maximize=False).values
    beside = read([*complete, *some, pruned(0.9)], maximize=False).values
    assert beside[:8].tolist() == alone.tolist()
    assert alone[6] != alone[7]


def test_reports_at_coarse_steps_are_used() -> None:
    complete = [make_trial(0.1, float(k), intermediate_values={100: float(k)}) for k in range(6)]
    # More different last steps than are used as they are.
    many = [pruned(0.5, {100 + k: 9.0}) for k in range(1, 40)]
    two = [pruned(0.6, {100: 4.0}), pruned(0.7, {100: 50.0})]
    history = read([*complete, *two, *many], maximize=False)
    assert history.values[6] != history.values[7]


def test_pruned_trials_alone_are_no_data() -> None:
    assert len(read([pruned(0.7, {0: 1.0}), pruned(0.2, {0: 2.0})])) == 0


def constrained(**constraints: float) -> FrozenTrial:
    attrs = {f"constraints:{key}": value for key, value in constraints.items()}
    return make_trial(system_attrs=attrs)


def test_constraints_are_columns_and_unknown_where_not_given() -> None:
    history = read([constrained(b=1.0, a=-1.0), make_trial(), constrained(b=2.0)])
    np.testing.assert_array_equal(
        history.constraints, [[-1.0, 1.0], [np.nan, np.nan], [np.nan, 2.0]]
    )


def test_a_trial_of_another_space_has_no_number_there() -> None:
    other = create_trial(
        params={"x": 2.0, "y": 3},
        distributions={"x": FloatDistribution(0, 5), "y": IntDistribution(0, 9)},
        value=1.0,
    )
    cube = UnitCube({"x": X, "y": IntDistribution(0, 9)})
    history = read([other, make_trial(0.3)], cube)
    np.testing.assert_allclose(history.U, [[np.nan, 0.35], [0.3, np.nan]])
    # With nothing in common it is no data at all.
    assert read([other, make_trial(0.3)]).numbers.tolist() == [1]


def space_of(*distributions: dict[str, BaseDistribution]) -> tuple[list[str], set[str]]:
    trials = [
        create_trial(
            params={
                name: d.choices[0] if isinstance(d, CategoricalDistribution) else d.low
                for name, d in space.items()
            },
            distributions=space,
            value=0.0,
        )
        for space in distributions
    ]
    space, dynamic = union_space(TrialCache().read(make_study(trials)))
    return list(space), dynamic


def test_the_space_is_the_union_of_all_branches() -> None:
    c = CategoricalDistribution(["a", "b"])
    names, dynamic = space_of({"c": c, "y": X}, {"c": c, "x": X}, {"c": c, "y": X})
    assert names == ["c", "x", "y"]
    assert dynamic == set()


def test_a_changing_range_is_left_out() -> None:
    names, dynamic = space_of({"x": X, "y": X}, {"x": FloatDistribution(0, 2), "y": X})
    assert names == ["y"]
    assert dynamic == {"x"}


def test_a_single_value_is_left_out_without_being_dynamic() -> None:
    names, dynamic = space_of({"x": X, "one": IntDistribution(3, 3)})
    assert names == ["x"]
    assert dynamic == set()


@pytest.mark.filterwarnings("ignore:Choices for a categorical distribution")
def test_choices_need_not_be_hashable() -> None:
    names, _ = space_of({"c": CategoricalDistribution([[1], [2]])})
    assert names == ["c"]


def test_a_space_of_failed_trials_is_unknown() -> None:
    trials = make_study([make_trial(value=None, state=TrialState.FAIL)])
    assert union_space(TrialCache().read(trials)) == ({}, set())


def test_the_fingerprint_changes_with_the_data_alone() -> None:
    trials = [make_trial(0.1, 1.0), make_trial(0.2, 2.0)]
    first = read(trials).fingerprint("space")
    assert read(trials).fingerprint("space") == first
    failed = make_trial(value=None, state=TrialState.FAIL)
    assert read([*trials, failed]).fingerprint("space") == first
    assert read([*trials, make_trial(0.3)]).fingerprint("space") != first
    assert read(trials).fingerprint("another") != first
    assert read(trials).fingerprint("spa", "ce") != first


def test_a_reader_that_has_seen_another_study_is_not_confused() -> None:
    reader = TrialCache()
    for value in (1.0, 2.0):
        trials = make_study([make_trial(0.1, value), make_trial(0.2, -value)])
        history = read_history(reader.read(trials), CUBE, maximize=[True])
        assert history.values.tolist() == [[value], [-value]]


def test_trials_of_two_studies_with_equal_identifiers_are_not_confused() -> None:
    reader = TrialCache()
    moment = datetime.datetime(2024, 1, 1)
    for value in (1.0, 2.0):
        trial = make_trial(0.1, value)
        trial._trial_id = trial.number = 0
        trial.datetime_start = trial.datetime_complete = moment
        history = read_history(reader.read([trial]), CUBE, maximize=[True])
        assert history.values.tolist() == [[value]]


def test_studies_of_one_name_in_two_storages_are_not_confused() -> None:
    one, other = (optuna.create_study(study_name="same") for _ in range(2))
    one.tell(one.ask({"x": X}), 1.0)
    asking, rival = one.ask(), other.ask()
    reader = TrialCache()
    births = [reader.birth(s, t._cached_frozen_trial) for s, t in ((one, asking), (other, rival))]
    assert births == [
        started.isoformat()
        for study in (one, other)
        if (started := study.trials[0].datetime_start) is not None
    ]
    assert births[0] != births[1]
    # The trials of one study are read ahead and then asked for by the other one.
    number = asking._cached_frozen_trial
    assert len(reader.read_ahead(one, number)) == 1
    assert len(reader.read_study(other, number)) == 0


def test_a_reader_gives_the_same_again_and_notices_what_is_new() -> None:
    study = optuna.create_study()
    reader = TrialCache()
    for n in range(5):
        study.add_trial(make_trial(n / 10, float(n)))
        for _ in range(2):
            finished = reader.read(study.get_trials(deepcopy=False))
            history = read_history(finished, CUBE, maximize=[True])
            assert history.values.tolist() == [[float(i)] for i in range(n + 1)]
