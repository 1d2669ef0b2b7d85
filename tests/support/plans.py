"""Checks of what the trials of a study have published: plans, points, attributes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from optuna.trial import FrozenTrial

from optuna_bkop._coordination.records import KEY, MAX_CHARACTERS, Entry, field, read_entry


def unpacked(trial: FrozenTrial, key: str = KEY) -> dict[str, Any]:
    """Return the header of a part of a trial's record, with its coordinates as "numbers"."""
    head, numbers = trial.system_attrs[key].split("\n")
    return {**json.loads(head), "numbers": json.loads(numbers)}


def packed(record: dict[str, Any]) -> str:
    """Return a header with "numbers", of whatever kind, as text."""
    head = {name: value for name, value in record.items() if name != "numbers"}
    return f"{json.dumps(head)}\n{json.dumps(record.get('numbers'))}"


def n_equal(trials: Sequence[FrozenTrial], dim: int) -> int:
    """Return how many trials, in whatever state, repeat the parameters of an earlier one.

    Args:
        trials: All trials of a study.
        dim: Number of parameters; trials with fewer have not been suggested all of them.
    """
    params = [tuple(sorted(t.params.items())) for t in trials if len(t.params) == dim]
    return len(params) - len(set(params))


def n_broken(trial: FrozenTrial, dim: int) -> int:
    """Return how many attributes of a trial are too long, or claim to be complete and are not."""
    own = {k: v for k, v in trial.system_attrs.items() if k.partition(":")[0] == KEY}
    broken = sum(len(json.dumps(value)) >= MAX_CHARACTERS for value in own.values())
    return broken + (KEY in own and _entry(trial, dim) is None)


def is_joint(trials: Sequence[FrozenTrial], numbers: Sequence[int], dim: int) -> bool:
    """Return whether some trials have distinct points that all belong to one published plan.

    Args:
        trials: All trials of a study.
        numbers: The numbers of the trials in question.
        dim: Number of parameters.
    """
    entries = {trial.number: entry for trial in trials if (entry := _entry(trial, dim))}
    taken = {entries[number].point for number in numbers if number in entries}
    if len(taken) < len(numbers) or len({entries[number].of for number in numbers}) > 1:
        return False
    return any(taken <= set(entry.plan) for entry in entries.values())


def _entry(trial: FrozenTrial, dim: int) -> Entry | None:
    # `read_entry` only needs the key and the dimension of the search space.
    cube: Any = SimpleNamespace(key=field(trial, "space") or "", dim=dim)
    return read_entry(trial, cube)
