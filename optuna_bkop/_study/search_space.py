"""The search space of a study: what its finished trials had, or what the user declares."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from optuna.distributions import BaseDistribution

from optuna_bkop._study.trial_cache import SPACE, FinishedTrials


def union_space(finished: FinishedTrials) -> tuple[dict[str, BaseDistribution], set[str]]:
    """Return the distributions of all parameters that any of the trials had, and names left out.

    The trials are COMPLETE or PRUNED. The distributions are by name, sorted. A parameter that had
    different distributions is left out: the model cannot cover it. A parameter with a single value
    is missing from both results.
    """
    space: dict[str, BaseDistribution] = {}
    dynamic: set[str] = set()
    # The index of a search space is the row of the first trial that had it.
    first_rows = np.unique(finished.table[:, SPACE]).astype(np.int64)
    for trial in finished.cache.trials(first_rows):
        for name, distribution in trial.distributions.items():
            if space.setdefault(name, distribution) != distribution:
                dynamic.add(name)
    known = sorted(set(space) - dynamic)
    return {name: space[name] for name in known if not space[name].single()}, dynamic


def checked_space(search_space: Mapping[str, BaseDistribution]) -> dict[str, BaseDistribution]:
    """Return the parameters of ``search_space`` with more than one value, sorted by name.

    Raises:
        ValueError: If ``search_space`` does not map names to Optuna distributions.
    """
    if not isinstance(search_space, Mapping):
        raise ValueError(
            f"`search_space` must map names to Optuna distributions, got {search_space!r}."
        )
    for name, distribution in search_space.items():
        if not isinstance(distribution, BaseDistribution):
            raise ValueError(
                f"`search_space` must map names to Optuna distributions, got {distribution!r} "
                f"for {name!r}."
            )
    return {
        name: search_space[name]
        for name in sorted(search_space)
        if not search_space[name].single()
    }
