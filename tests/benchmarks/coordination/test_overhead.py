"""The protocol's overhead is that of asks whose model works."""

from __future__ import annotations

import optuna
import pytest

from benchmarks.coordination import overhead
from benchmarks.coordination.filled_study import STUDY, fill
from optuna_bkop import _suggest
from tests.support.model_guard import ModelFailedError
from tests.support.plans import is_joint, n_broken
from tests.support.storages import close_storage, open_storage, temporary


def test_the_protocol_reads_twice_and_does_not_mind_old_plans() -> None:
    cost = overhead.measure("sqlite", 40, 40, dim=2, n_asks=3)
    assert cost.n_reads == 2
    assert 0.0 < cost.own < cost.protocol


@pytest.mark.fallback
def test_a_failed_model_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose_batch(*_args: object, **_kwargs: object) -> None:
        raise ArithmeticError("broken")

    monkeypatch.setattr(_suggest, "choose_batch", choose_batch)
    with pytest.raises(ModelFailedError, match="ArithmeticError: broken"):
        overhead.measure("sqlite", 40, 0, dim=2, n_asks=1)


def test_a_filled_study_has_well_formed_plans() -> None:
    with temporary("sqlite") as name:
        storage = open_storage(name)
        fill(storage, n_trials=6, n_plans=4, dim=2, batch_size=3)
        trials = optuna.load_study(study_name=STUDY, storage=storage).get_trials()
        close_storage(storage)
    assert len(trials) == 6
    assert [bool(trial.system_attrs) for trial in trials] == [False] * 2 + [True] * 4
    assert sum(n_broken(trial, 2) for trial in trials) == 0
    assert is_joint(trials, [5], 2)
