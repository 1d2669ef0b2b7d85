"""Studies, storages and records for the tests of the protocol."""

import datetime
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import create_autospec

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.storages import BaseStorage, InMemoryStorage
from optuna.trial import FrozenTrial, TrialState, create_trial

from optuna_bkop import BKOPSampler, _suggest
from optuna_bkop._coordination.liveness import Limits, Watch
from optuna_bkop._coordination.plan import Plan, read_plan
from optuna_bkop._coordination.records import (
    KEY,
    Entry,
    Point,
    from_integers,
    read_entry,
    write_entry,
)
from optuna_bkop._study.unit_cube import UnitCube

SPACE: dict[str, BaseDistribution] = {
    "x": FloatDistribution(0.0, 1.0),
    "y": FloatDistribution(0.0, 1.0),
}
KNOWN = "f" * 16
HERE = UnitCube(SPACE)
FOREVER = Limits(running=math.inf, asking=math.inf, n_asking=100)


class Storage(InMemoryStorage):
    """Lets something happen when a point is written, and counts what is done."""

    def __init__(self) -> None:
        super().__init__()
        self.before_point: list[Callable[[], None]] = []
        self.after_point: Callable[[int, Any], None] = lambda trial_id, given: None
        self.n_reads = 0
        self.written: list[tuple[str, Any]] = []

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        record = json.loads(value.split("\n")[0]) if key == KEY else {}
        is_point = bool(record.get("taken"))
        if is_point and self.before_point:
            self.before_point.pop(0)()
        self.written.append((key, record))
        super().set_trial_system_attr(trial_id, key, value)
        if is_point:
            self.after_point(trial_id, {**record, "numbers": json.loads(value.split("\n")[1])})

    def get_all_trials(self, *args: Any, **kwargs: Any) -> list[FrozenTrial]:
        self.n_reads += 1
        return super().get_all_trials(*args, **kwargs)


def make_study(
    storage: BaseStorage | None = None, n_known: int = 6, name: str = "study", **arguments: Any
) -> optuna.Study:
    """A study with some finished trials, so that the model plans."""
    study = optuna.create_study(storage=storage, study_name=name, sampler=sampler(**arguments))
    rng = np.random.default_rng(1)
    for x, y in rng.random((n_known, 2)).tolist():
        study.add_trial(
            create_trial(params={"x": x, "y": y}, distributions=SPACE, value=value(x, y))
        )
    return study


def sampler(**arguments: Any) -> BKOPSampler:
    defaults = {"n_startup_trials": 4, "length_scale_factors": (1.0,), "seed": 0}
    return BKOPSampler(**{**defaults, **arguments})  # type: ignore[arg-type]


def value(x: float, y: float) -> float:
    return (x - 0.3) ** 2 + (y - 0.8) ** 2


def suggest(trial: optuna.Trial) -> tuple[float, float]:
    return trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)


def finish(study: optuna.Study, trial: optuna.Trial) -> None:
    study.tell(trial, value(*suggest(trial)))


def worker(study: optuna.Study, **arguments: Any) -> optuna.Study:
    """The same study as another worker has it."""
    return optuna.load_study(
        study_name=study.study_name, storage=study._storage, sampler=sampler(**arguments)
    )


def entry_of(study: optuna.Study, trial: optuna.Trial) -> Entry:
    """What a trial has published."""
    frozen = study._storage.get_trial(trial._trial_id)
    entry = read_entry(frozen, HERE)
    assert entry is not None
    return entry


def plan_of(study: optuna.Study, trial: optuna.Trial) -> list[tuple[float, ...]]:
    """The plan that a trial published, as parameters."""
    return [tuple(from_integers(point)) for point in entry_of(study, trial).plan]


def trials_with(*attrs: dict[str, Any], state: TrialState = TrialState.RUNNING) -> optuna.Study:
    """A study whose trials, in this order, have written something."""
    study = optuna.create_study()
    for written in attrs:
        trial = study.ask()
        for key, given in written.items():
            study._storage.set_trial_system_attr(trial._trial_id, key, given)
        if state.is_finished():
            study.tell(trial, state=state)
    return study


def plan_seen(
    study: optuna.Study, own: int = -1, limits: Limits = FOREVER, rivals: Sequence[int] = ()
) -> Plan:
    return read_plan(
        study.get_trials(deepcopy=False),
        own,
        KNOWN,
        HERE,
        watch=Watch(),
        limits=limits,
        rivals=frozenset(rivals),
    )


def publish(study: optuna.Study, number: int, *plan: Point, after: str = "") -> str:
    """Let a trial publish a plan; its name."""
    trial = study.get_trials(deepcopy=False)[number]
    entry = Entry(plan=plan, fingerprint=KNOWN, after=after)
    write_entry(study, trial, HERE, entry)
    return entry.name


def hold(study: optuna.Study, number: int, point: Point) -> None:
    """Let a trial take a point."""
    trial = study.get_trials(deepcopy=False)[number]
    entry = read_entry(trial, HERE) or Entry()
    write_entry(study, trial, HERE, replace(entry, point=point, of=KNOWN))


A, B, C, D, E = ((i, i) for i in range(1, 6))


def cube_of(dim: int) -> UnitCube:
    """The search space of ``dim`` parameters between 0 and 1."""
    return UnitCube({f"p{j}": FloatDistribution(0.0, 1.0) for j in range(dim)})


def spy_on_choose_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> list[tuple[np.ndarray[Any, Any], int]]:
    """The held points and batch sizes that are given to `choose_batch`."""
    calls: list[tuple[np.ndarray[Any, Any], int]] = []
    choose_batch = _suggest.choose_batch

    def spy(fitted: Any, U_held: Any, q: int, **kwargs: Any) -> Any:
        calls.append((U_held.copy(), q))
        return choose_batch(fitted, U_held, q, **kwargs)

    monkeypatch.setattr(_suggest, "choose_batch", create_autospec(choose_batch, side_effect=spy))
    return calls


def running_trial(begun: datetime.datetime | None, number: int = 0, **attrs: Any) -> FrozenTrial:
    trial = create_trial(state=TrialState.RUNNING, system_attrs=attrs)
    trial.number = trial._trial_id = number
    trial.datetime_start = begun
    return trial
