"""The plan whose points a trial that asks may use, and who else takes part in it.

A plan is a set of points that were chosen together. It consists of parts, each published by one
trial. It is identified by the fingerprint of the data that it is based on. A trial holds a point
if it has taken it; a free point is a point of the plan that no trial holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._coordination.liveness import Limits, Watch
from optuna_bkop._coordination.records import Entry, Point, field, read_entry
from optuna_bkop._study.enqueued import fixed_params, known_point
from optuna_bkop._study.unit_cube import UnitCube


@dataclass(frozen=True)
class Plan:
    """The plan for a fingerprint of the data, and who else takes part in it.

    Attributes:
        name: Name of the last part of the plan; empty if there is no plan.
        free: Points of the plan that no trial holds, in the order in which they were planned.
        is_owner: Whether the trial that asks has published a part of the plan.
        running: Other running trials that count as alive and hold a point, followed by those
            that are expected to ask.
        n_asking: Number of other trials that are expected to ask, that is, young running trials
            without a point.
        place: Number of asking trials with lower numbers than the trial that asks. It is the index
            of the free point that the trial takes.
        points: Maps the numbers of other unfinished trials to their published points; None for
            trials without one.
        published: What other running trials that count as alive have published.
    """

    name: str
    free: tuple[Point, ...]
    is_owner: bool
    running: tuple[FrozenTrial, ...]
    n_asking: int
    place: int
    points: dict[int, Point | None]
    published: tuple[Entry, ...]


def read_plan(
    trials: Sequence[FrozenTrial],
    own_number: int,
    fingerprint: str,
    cube: UnitCube,
    *,
    watch: Watch,
    limits: Limits,
    rivals: frozenset[int] = frozenset(),
) -> Plan:
    """Return the plan for a fingerprint (steps 1 and 2 of docs/protocol.md).

    Args:
        trials: All trials that are not part of the data; for an older plan, preceded by the latest
            finished trials. Unfinished trials are in the order of their numbers.
        own_number: Number of the trial that asks.
        fingerprint: Fingerprint of the data that the plan is based on.
        cube: The search space.
        watch: Measures the ages of trials.
        limits: Ages up to which trials count as alive and as expected to ask.
        rivals: Numbers of other trials that took the same point at the same moment. They are
            expected to ask again, however old they are.
    """
    ages = watch.ages([t for t in trials if t.state == TrialState.RUNNING])
    ended = [t for t in trials if t.state.is_finished()]
    others = [t for t in trials if not t.state.is_finished() and t.number != own_number]
    # Finished trials matter only if they took part in the present plan.
    planned = [t for t in ended if fingerprint in (field(t, "of"), field(t, "fingerprint"))]
    own = [t for t in trials if t.number == own_number]
    entries = {t.number: read_entry(t, cube) or Entry() for t in (*planned, *others, *own)}

    def is_younger(trial: FrozenTrial, limit: float) -> bool:
        number = trial.number
        return number in ages and (ages[number] <= limit or number in rivals)

    def has_point(trial: FrozenTrial) -> bool:
        if entries[trial.number].point is not None or trial.params:
            return True
        # A trial that was enqueued with all parameters does not ask.
        return bool(fixed_params(trial)) and not np.isnan(known_point(trial, cube)).any()

    alive = [t for t in others if is_younger(t, limits.running)]
    running = [t for t in alive if has_point(t)]
    asking = [t for t in alive if not has_point(t) and is_younger(t, limits.asking)]
    youngest = {t.number for t in asking[-limits.n_asking :]} | rivals
    asking = [t for t in asking if t.number in youngest]
    name, points, owners = _follow(entries, fingerprint)
    # The same plan does not offer a point again whose trial ended without a value.
    used = {entries[t.number].point for t in (*planned, *alive)}
    return Plan(
        name=name,
        free=tuple(point for point in dict.fromkeys(points) if point not in used),
        is_owner=own_number in owners,
        running=(*running, *asking),
        n_asking=len(asking),
        place=sum(t.number < own_number for t in asking),
        points={t.number: entries[t.number].point for t in others},
        published=tuple(entries[t.number] for t in alive),
    )


def _follow(entries: dict[int, Entry], fingerprint: str) -> tuple[str, list[Point], set[int]]:
    """Return the plan: the name of its last part, its points, and the trials that published them.

    Only parts that are based on the data with this fingerprint count. Each part names the part
    before; the first one names none. If several parts name the same one, that of the trial with
    the lowest number counts. Without a plan the results are empty.
    """
    parts: dict[str, int] = {}
    for number in sorted(entries):
        entry = entries[number]
        if entry.plan and entry.fingerprint == fingerprint:
            parts.setdefault(entry.after, number)
    name, points, owners = "", list[Point](), set[int]()
    while name in parts:
        number = parts.pop(name)
        owners.add(number)
        points += entries[number].plan
        name = entries[number].name
    return name, points, owners
