"""What a run queried, batch by batch: read from a study, or given.

Which trials were planned together is read from the plans that the sampler publishes (`_plan`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from optuna import Study
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop import _plan
from optuna_bkop._domain import Domain, find_conditions
from optuna_bkop._history import TrialReader, read_history, union_space
from optuna_bkop._kernels import FloatArray
from optuna_bkop._space import UnitCube

#: The batch of all trials before the first planned one.
STARTUP = "startup"


@dataclass(frozen=True)
class Queries:
    """What a run queried, in the order of its batches.

    Attributes:
        X: Points (T, D).
        y: Their values (T,), to be maximised.
        batch: The number of each point's batch (T,), ascending; arange(T) is sequential.
        numbers: The trials' numbers (T,), if they come from a study.
        groups: Of each feature (D,), with which others it shares a length scale when a kernel
            is fitted; None: with none.
    """

    X: FloatArray
    y: FloatArray
    batch: NDArray[np.int64]
    numbers: NDArray[np.int64] | None = None
    groups: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        shapes = self.X.shape, self.y.shape, self.batch.shape
        if self.X.ndim != 2 or not len(self.X) or shapes[1:] != ((len(self.X),),) * 2:
            raise ValueError(
                "`X`, `y` and `batch` must have shapes (T, D), (T,) and (T,) with T >= 1, "
                f"got {shapes[0]}, {shapes[1]} and {shapes[2]}."
            )
        if (np.diff(self.batch) < 0).any():
            raise ValueError(f"`batch` must be ascending, got {self.batch.tolist()}.")

    @property
    def sizes(self) -> list[int]:
        """The batch sizes q_n, N of them."""
        sizes: list[int] = np.unique(self.batch, return_counts=True)[1].tolist()
        return sizes


def queries_of(study: Study) -> Queries:
    """The finished trials of a study in the order of their batches, as the model sees them.

    Trials whose points are of plans for the same knowledge are one batch; almost always that is
    one plan. All trials before the first planned one are the first batch: the lattice, and what
    was enqueued. Later trials without a plan are batches of one. Trials that are not COMPLETE,
    and infinite values, are left out.
    """
    if len(study.directions) > 1:
        raise ValueError(f"A study with one objective is needed, got {len(study.directions)}.")
    trials = study.get_trials(deepcopy=False)
    records = TrialReader().read([t for t in trials if t.state == TrialState.COMPLETE])
    cube = UnitCube(union_space(records)[0] if records else {})
    maximize = study.directions[0] == StudyDirection.MAXIMIZE
    history = read_history(records, cube, maximize=maximize)
    finite = np.isfinite(history.values)
    if not finite.any():
        raise ValueError("A study with at least one finished trial is needed, got none.")
    numbers = history.numbers[finite]
    domain = Domain(cube.parameters, find_conditions(history.U, cube.parameters))
    labels = batch_labels(trials)
    first: dict[str, int] = {}
    batch = np.array([first.setdefault(labels[n], n) for n in numbers.tolist()], dtype=np.int64)
    order = np.argsort(batch, kind="stable")
    batch = np.unique(batch[order], return_inverse=True)[1].astype(np.int64)
    return Queries(
        X=domain.features(history.U[finite])[order],
        y=history.values[finite][order],
        batch=batch,
        numbers=numbers[order],
        groups=domain.groups,
    )


def batch_labels(trials: Sequence[FrozenTrial]) -> dict[int, str]:
    """Trial number -> its batch: "startup", the plan's name, or "trial" and the number."""
    labels: dict[int, str] = {}
    is_startup = True
    for trial in trials:
        plan = _plan.batch_of(trial)
        is_startup = is_startup and plan is None
        labels[trial.number] = plan or (STARTUP if is_startup else f"trial {trial.number}")
    return labels
