"""Reads from a study which points were queried in which batch.

A query is a COMPLETE trial with a finite value. Its point is given by features (D,): a number of
[0, 1] for each numerical parameter, and an indicator for each choice of a categorical one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna import Study
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._arrays import FloatArray
from optuna_bkop._coordination.records import batch_labels
from optuna_bkop._domain import Domain, find_conditions
from optuna_bkop._study.history import read_history
from optuna_bkop._study.search_space import union_space
from optuna_bkop._study.trial_cache import TrialCache
from optuna_bkop._study.unit_cube import UnitCube
from optuna_bkop._theory.queries import Queries
from optuna_bkop._theory.region import Region


@dataclass(frozen=True)
class StudyQueries:
    """The queries of a study, and what turns their features back into parameters.

    Attributes:
        queries: Arrays of the features, values and batches of all COMPLETE trials with a finite
            value, in the order of their batches.
        cube: Translates parameters to points of the unit cube and back.
        domain: Translates points of the cube to features, and knows which parameters are active.
        maximize: Whether the study maximises; otherwise values are negated in ``queries``.
    """

    queries: Queries
    cube: UnitCube
    domain: Domain
    maximize: bool

    def params_at(self, features: FloatArray) -> dict[str, Any]:
        """Return the parameters of a feature vector (D,), without those that are inactive."""
        u = np.empty(self.domain.dim)
        for j, parameter in enumerate(self.domain.parameters):
            columns = features[self.domain.groups == j]
            u[j] = columns[0]
            if parameter.is_categorical and parameter.grid is not None:
                u[j] = parameter.grid[int(np.argmax(columns))]
        u = self.domain.snap(u[None])[0]
        active = self.domain.active(u[None])[0]
        params = self.cube.decode(u)
        return {name: params[name] for name, on in zip(self.cube.names, active, strict=True) if on}


def queries_of(study: Study) -> Queries:
    """Return the finished trials of a study in the order of their batches.

    A plan is a set of points that were chosen together. Trials whose points come from plans that
    are based on the same data are one batch; almost always that is one plan. All trials before the
    first planned one are the first batch: the lattice, and enqueued trials. Each later trial
    without a plan is a batch of its own. Trials that are not COMPLETE, or whose value is infinite,
    are left out.

    Args:
        study: A study with one objective.

    Returns:
        The queries. Their points are features: numbers of the unit cube, and indicators of
        choices. Their values are to be maximised; those of a study that minimises are negated.

    Raises:
        ValueError: The study has several objectives, or no COMPLETE trial with a finite value.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=6)
        >>> queries_of(study).sizes
        [4, 1, 1]
    """
    return read_queries(study).queries


def check_one_objective(study: Study) -> None:
    """Raise a ValueError if a study has several objectives."""
    if len(study.directions) > 1:
        raise ValueError(f"A study with one objective is needed, got {len(study.directions)}.")


def read_queries(study: Study) -> StudyQueries:
    """Return the queries of a study, and the search space of its COMPLETE trials.

    `read_trials` explains the search space, and `queries_of` which trials form a batch.

    Raises:
        ValueError: The study has several objectives, or no COMPLETE trial with a finite value.
    """
    check_one_objective(study)
    return read_trials(study.get_trials(deepcopy=False), study.directions[0])


def read_trials(trials: Sequence[FrozenTrial], direction: StudyDirection) -> StudyQueries:
    """Return the queries of a study's trials, and its search space.

    The search space has every parameter that some COMPLETE trial has; a trial may lack some of
    them. A parameter whose distribution changes is left out; the ``doubt`` of the region then says
    so, because values do not depend on the other parameters alone. A parameter with a single value
    is left out, too.

    Args:
        trials: All trials of a study with one objective, in the order of their numbers.
        direction: Whether the study minimises or maximises.

    Raises:
        ValueError: No COMPLETE trial has a finite value.
    """
    finished = TrialCache().read([t for t in trials if t.state == TrialState.COMPLETE])
    space, dynamic = union_space(finished) if finished else ({}, set())
    cube = UnitCube(space)
    maximize = direction == StudyDirection.MAXIMIZE
    history = read_history(finished, cube, maximize=[maximize])
    values = history.values[:, 0]
    finite = np.isfinite(values)
    if not finite.any():
        raise ValueError("A study with at least one finished trial is needed, got none.")
    numbers = history.numbers[finite]
    domain = Domain(cube.parameters, find_conditions(history.U, cube.parameters))
    labels = batch_labels(trials)
    first: dict[str, int] = {}
    batch = np.array([first.setdefault(labels[n], n) for n in numbers.tolist()], dtype=np.int64)
    order = np.argsort(batch, kind="stable")
    batch = np.unique(batch[order], return_inverse=True)[1].astype(np.int64)
    doubt = f"the distributions of {', '.join(sorted(dynamic))} change" if dynamic else ""
    queries = Queries(
        X=domain.features(history.U[finite])[order],
        y=values[finite][order],
        batch=batch,
        numbers=numbers[order],
        groups=domain.groups,
        feasible=~np.any(history.constraints[finite][order] > 0, axis=1),
        region=Region.of_domain(domain, doubt),
    )
    return StudyQueries(queries, cube, domain, maximize)
