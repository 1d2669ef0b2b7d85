"""What one read of the trials tells a trial that asks."""

from optuna.trial import TrialState

from optuna_bkop._coordination.liveness import Limits
from tests.optuna_bkop.coordination.support import (
    SPACE,
    A,
    B,
    C,
    D,
    E,
    hold,
    plan_seen,
    publish,
    trials_with,
)


def test_the_place_is_the_number_of_lower_askers() -> None:
    study = trials_with({}, {}, {}, {}, {})
    hold(study, 1, A)
    for own, place in ((0, 0), (2, 1), (4, 3)):
        seen = plan_seen(study, own)
        assert (seen.place, seen.n_asking) == (place, 3)
    assert plan_seen(study, 1).place == 1


def test_a_trial_with_parameters_does_not_ask() -> None:
    study = trials_with({}, {})
    study._storage.set_trial_param(0, "x", 0.5, SPACE["x"])
    assert plan_seen(study, 1).place == 0


def test_free_points_are_those_that_no_trial_has() -> None:
    study = trials_with({}, {}, {})
    publish(study, 0, A, B, C)
    hold(study, 0, A)
    assert plan_seen(study).free == (B, C)
    hold(study, 2, C)
    assert plan_seen(study).free == (B,)
    assert plan_seen(study, own=2).free == (B, C)


def test_the_plan_of_the_lowest_owner_counts_and_not_the_leftovers_of_another() -> None:
    study = trials_with({}, {})
    publish(study, 1, C, D)
    assert plan_seen(study).free == (C, D)
    publish(study, 0, A, B)
    assert plan_seen(study).free == (A, B)
    hold(study, 0, A)
    hold(study, 1, B)
    assert plan_seen(study).free == ()


def test_a_plan_is_continued_from_its_last_part() -> None:
    study = trials_with({}, {}, {}, {})
    first = publish(study, 2, A, B)
    second = publish(study, 1, C, after=first)
    assert (plan_seen(study).free, plan_seen(study).name) == ((A, B, C), second)
    third = publish(study, 0, D, after=second)
    publish(study, 3, E, after=second)
    assert (plan_seen(study).free, plan_seen(study).name) == ((A, B, C, D), third)


def test_parts_that_continue_each_other_come_to_an_end() -> None:
    study = trials_with({}, {})
    first = publish(study, 0, A)
    publish(study, 1, B, after=first)
    assert plan_seen(study).free == (A, B)
    # A hand that makes the first part continue the second finds no beginning.
    publish(study, 0, A, after=plan_seen(study).name)
    assert plan_seen(study).free == ()


def test_a_failed_owner_s_plan_stays_and_its_point_is_not_offered_again() -> None:
    study = trials_with({}, {})
    publish(study, 0, A, B, C)
    hold(study, 0, A)
    hold(study, 1, B)
    study.tell(0, state=TrialState.FAIL)
    study.tell(1, state=TrialState.FAIL)
    assert plan_seen(study).free == (C,)


def test_a_dead_trial_holds_neither_its_point_nor_its_place() -> None:
    study = trials_with({}, {}, {})
    publish(study, 0, A, B)
    hold(study, 0, A)
    seen = plan_seen(study, own=2, limits=Limits(-1.0, -1.0, 100))
    assert (seen.free, seen.place, seen.running) == ((A, B), 0, ())
    seen = plan_seen(study, own=2, limits=Limits(60.0, -1.0, 100))
    assert (seen.free, seen.place, len(seen.running)) == ((B,), 0, 1)


def test_places_are_kept_for_the_youngest_if_there_are_too_many() -> None:
    study = trials_with(*[{}] * 6)
    seen = plan_seen(study, own=3, limits=Limits(60.0, 60.0, 4), rivals=[0])
    assert (seen.place, seen.n_asking) == (3, 5)
    assert [trial.number for trial in seen.running] == [0, 1, 2, 4, 5]
    seen = plan_seen(study, own=3, limits=Limits(60.0, 60.0, 3))
    assert (seen.place, seen.n_asking) == (1, 3)


def test_whoever_had_the_same_point_asks_however_old_it_is() -> None:
    study = trials_with({}, {}, {})
    assert plan_seen(study, own=2, limits=Limits(-1.0, -1.0, 100), rivals=[0]).place == 1
    assert plan_seen(study, own=2, limits=Limits(60.0, 60.0, 1), rivals=[0]).place == 2
