"""What is published is read again, and nothing else is."""

import json
from dataclasses import replace

import optuna
import pytest

from optuna_bkop._coordination.records import (
    KEY,
    Entry,
    batch_of,
    read_entry,
    read_point,
    seen_running,
    write_entry,
)
from tests.optuna_bkop.coordination.support import (
    HERE,
    KNOWN,
    A,
    B,
    Storage,
    cube_of,
    hold,
    make_study,
    publish,
    suggest,
    trials_with,
)
from tests.support.plans import packed, unpacked


def entry_with(q: int, dim: int) -> Entry:
    plan = tuple(tuple(10**9 - i * dim - j for j in range(dim)) for i in range(q))
    return Entry(plan[0], KNOWN, plan, KNOWN, KNOWN)


@pytest.mark.parametrize(("q", "dim"), [(1, 1), (8, 6), (50, 50), (3, 400)])
def test_what_was_published_is_read_again(q: int, dim: int) -> None:
    study = trials_with({})
    entry = entry_with(q, dim)
    space = cube_of(dim)
    for published in (entry, replace(entry, point=None), replace(entry, plan=()), Entry()):
        write_entry(study, study.get_trials()[0], space, published)
        trial = study.get_trials()[0]
        assert read_entry(trial, space) == published
        assert read_point(trial, space) == published.point
        assert (batch_of(trial) or "") == published.of


@pytest.mark.parametrize(("q", "dim"), [(50, 50), (3, 400), (1, 140), (2, 70)])
def test_values_stay_below_2045_characters(q: int, dim: int) -> None:
    study = trials_with({})
    trial = study.get_trials()[0]
    trial.number = 10**10
    entry = Entry((10**9,) * dim, KNOWN, ((10**9,) * dim,) * q, KNOWN, KNOWN)
    write_entry(study, trial, cube_of(dim), entry, n_running=10**6)
    attrs = study.get_trials()[0].system_attrs
    assert len(attrs) > 1
    for given in attrs.values():
        assert len(json.dumps(given)) < 2045


def test_a_small_plan_and_a_point_of_it_are_one_write() -> None:
    storage = Storage()
    study = make_study(storage, batch_size=8)
    suggest(study.ask())
    assert [key for key, _ in storage.written] == [KEY]


def test_the_header_is_written_last() -> None:
    storage = Storage()
    study = optuna.create_study(storage=storage)
    study.ask()
    write_entry(study, study.get_trials()[0], cube_of(200), entry_with(2, 200))
    keys = [key for key, _ in storage.written]
    assert len(keys) > 2
    assert keys.index(KEY) == len(keys) - 1


@pytest.mark.parametrize("number", [-1, 10**9 + 1])
def test_a_point_outside_the_cube_is_absent_even_with_a_right_digest(number: int) -> None:
    study = trials_with({})
    write_entry(study, study.get_trials()[0], HERE, Entry((number, 5), KNOWN))
    assert read_entry(study.get_trials()[0], HERE) is None
    write_entry(study, study.get_trials()[0], HERE, Entry((10**9, 5), KNOWN))
    assert read_entry(study.get_trials()[0], HERE) is not None


def test_what_lacks_a_part_or_has_another_s_is_absent() -> None:
    study = trials_with({}, {})
    space = cube_of(200)
    for number in range(2):
        entry = replace(entry_with(2, 200), after=str(number))
        write_entry(study, study.get_trials()[number], space, entry)
    one, other = study.get_trials()
    assert read_entry(one, space) is not None
    part = f"{KEY}:1"
    # As if the owner were at it to publish another plan over its first, or had been killed.
    one.system_attrs[part] = other.system_attrs[part]
    assert read_entry(one, space) is None
    del one.system_attrs[part]
    assert read_entry(one, space) is None


@pytest.mark.parametrize("field", ["of", "fingerprint", "after", "time", "running", "numbers"])
def test_what_was_changed_afterwards_is_absent(field: str) -> None:
    study = trials_with({})
    publish(study, 0, A, B)
    trial = study.get_trials()[0]
    head = unpacked(trial)
    assert read_entry(trial, HERE) is not None
    changed = {"time": 1, "running": 7, "numbers": [1, 1, 2, 3]}.get(field, "other")
    trial.system_attrs = {KEY: packed({**head, field: changed})}
    assert read_entry(trial, HERE) is None


def test_what_others_published_does_not_count() -> None:
    study = trials_with({}, {})
    publish(study, 0, A, B)
    hold(study, 0, A)
    one, other = study.get_trials()
    other.system_attrs = one.system_attrs
    assert read_point(one, HERE) == A
    assert read_entry(other, HERE) is None
    assert batch_of(other) is None
    assert seen_running(other) is None
    assert read_entry(one, cube_of(2)) is None
