"""The directions of a study's objectives. All values inside the package are to be maximised."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from optuna import Study
from optuna.study import StudyDirection

from optuna_bkop._arrays import FloatArray


def maximized(study: Study) -> list[bool]:
    """Return for each objective whether it is to be maximised."""
    return [direction == StudyDirection.MAXIMIZE for direction in study.directions]


def reference_of(study: Study, given: Sequence[float] | None) -> FloatArray | None:
    """Return a reference point (m,) with the signs that make all objectives to be maximised.

    Args:
        study: The study.
        given: One number per objective, in its own units and direction. If None, None is returned.

    Raises:
        ValueError: If the number of values is not the number of objectives.
    """
    if given is None:
        return None
    maximize = maximized(study)
    if len(given) != len(maximize):
        raise ValueError(
            f"`reference_point` must have one number for each of the {len(maximize)} objectives, "
            f"got {tuple(given)}."
        )
    return np.where(maximize, given, np.negative(given))
