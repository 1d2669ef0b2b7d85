"""Parameters that a user has fixed in advance by `study.enqueue_trial`."""

from __future__ import annotations

from typing import Any

import numpy as np
from optuna.trial import FrozenTrial

from optuna_bkop._arrays import FloatArray
from optuna_bkop._study.unit_cube import UnitCube


def fixed_params(trial: FrozenTrial) -> dict[str, Any]:
    """Return the parameters with which a trial was enqueued; empty if it was not."""
    fixed = trial.system_attrs.get("fixed_params")
    return fixed if isinstance(fixed, dict) else {}


def known_point(trial: FrozenTrial, cube: UnitCube) -> FloatArray:
    """Return the point (d,) of a trial in the unit cube, with NaN for parameters not known yet.

    A parameter is known if it has been suggested, or if the trial was enqueued with it.
    """
    u = cube.encode(trial.params, trial.distributions)
    fixed = fixed_params(trial)
    if fixed:
        distributions = dict(zip(cube.names, cube.distributions, strict=True))
        try:
            u = np.where(np.isnan(u), cube.encode(fixed, distributions), u)
        except (TypeError, ValueError):
            pass  # a value that the parameter does not have: Optuna says so when it is suggested
    return u
