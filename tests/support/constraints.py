"""Constraints of trials on Optuna 4, too, which has no `Trial.set_constraint`."""

from __future__ import annotations

import optuna


def set_constraint(trial: optuna.Trial, key: str, value: float) -> None:
    """Set a constraint as `Trial.set_constraint` of Optuna 5 does."""
    if hasattr(trial, "set_constraint"):
        trial.set_constraint(key, value)
    else:
        trial.storage.set_trial_system_attr(trial._trial_id, f"constraints:{key}", value)
