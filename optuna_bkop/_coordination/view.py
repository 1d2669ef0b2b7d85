"""What one read of the trials tells a trial that asks: who runs, what is planned, what is free.

A plan is a set of points that were chosen together. A free point is a point of a plan that no
trial has taken. A held point is one whose value is unknown: a running trial evaluates it, it is
planned, or its trial ended without a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from optuna import Study
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._arrays import FloatArray
from optuna_bkop._coordination.concurrency import recent_concurrency
from optuna_bkop._coordination.liveness import Watch, limits
from optuna_bkop._coordination.pace import Worker, read_pace
from optuna_bkop._coordination.plan import Plan, read_plan
from optuna_bkop._coordination.records import (
    Entry,
    Point,
    field,
    from_integers,
    read_entry,
    read_point,
)
from optuna_bkop._domain import Domain
from optuna_bkop._study.enqueued import known_point
from optuna_bkop._study.snapshot import Snapshot
from optuna_bkop._study.unit_cube import UnitCube

#: Number of latest trials without a value whose points are considered. Their points are held or
#: modelled; this bounds the cost in studies where thousands of trials fail.
_MAX_ENDED = 100


@dataclass(frozen=True)
class View:
    """Everything about other trials that an ask needs. Points are in the unit cube.

    Attributes:
        fingerprint: Fingerprint (a short text that is equal for equal things) of the data that
            ``plan`` is based on: the present data, or older ones if an older plan may be used.
        plan: The plan whose points the trial may use, and who else takes part in it.
        finished: Numbers of all trials that were finished when the study was read.
        U_running: Points (p, d) of other running trials.
        U_free: Free points (f, d) of ``plan``.
        U_held: Held points (h, d): ``U_running``, ``U_free``, free points of an older plan that
            are left to other trials, and the points of the latest trials that ended without a
            value.
        U_failed: Points (m, d) of the latest trials that failed, at most 100.
        n_running: Number of other running trials: those that hold a point, and those that are
            expected to ask.
        n_at_once: Number of trials that recently ran in parallel.
        n_ahead: Number of points that a new plan has in advance, that is, beyond those of the
            present round, for trials that ask later. 0 if planning keeps pace with results.
        wait: Seconds after which a trial without a free point looks for the plan of another trial;
            0 if it plans itself.
        has_free_point: Whether ``plan`` has a free point for the trial that asks.
    """

    fingerprint: str
    plan: Plan
    finished: frozenset[int]
    U_running: FloatArray
    U_free: FloatArray
    U_held: FloatArray
    U_failed: FloatArray
    n_running: int
    n_at_once: int
    n_ahead: int
    wait: float
    has_free_point: bool


def read_view(
    study: Study,
    snapshot: Snapshot,
    own_number: int,
    cube: UnitCube,
    *,
    watch: Watch,
    stale_after: float,
    batch_size: int | None,
    last_ask: float,
    waited: float,
    worker: Worker,
    rivals: frozenset[int] = frozenset(),
) -> View:
    """Read from a snapshot what other trials hold and plan.

    Args:
        study: The study.
        snapshot: One read of the study.
        own_number: Number of the trial that asks.
        cube: The search space.
        watch: Measures the ages of trials.
        stale_after: The sampler's argument: minimum age in seconds of a dead trial.
        batch_size: The sampler's argument: number of trials that are planned together; None if the
            user gave none.
        last_ask: Duration of this worker's last ask in seconds.
        waited: Seconds that the trial has waited for the plans of others.
        worker: This process.
        rivals: Numbers of trials that took the same point as this trial in an earlier attempt.
    """
    n_at_once = recent_concurrency(snapshot.recent)
    plan_of = partial(
        read_plan,
        own_number=own_number,
        cube=cube,
        watch=watch,
        limits=limits(
            study,
            stale_after=stale_after,
            longest=snapshot.longest,
            last_ask=last_ask,
            batch_size=batch_size,
            n_at_once=n_at_once,
        ),
        rivals=rivals,
    )
    domain, ended = snapshot.domain, snapshot.ended
    fingerprint = snapshot.fingerprint
    plan = plan_of(snapshot.others, fingerprint=fingerprint)
    # The records of finished trials are read only if the study has several processes.
    is_shared = any(worker.is_colleague(str(field(t, "worker"))) for t in snapshot.recent)
    finished = [read_entry(t, cube) or Entry() for t in snapshot.recent] if is_shared else []
    pace = read_pace(
        plan.published,
        finished,
        snapshot.recent,
        fingerprint=fingerprint,
        place=plan.place,
        waited=waited,
        n_finished=len(snapshot.finished),
        n_running=len(plan.running),
        worker=worker,
    )
    spare: tuple[Point, ...] = ()
    wait = pace.wait
    if pace.older and len(plan.free) <= plan.place:
        # The trials that published and used the older plan may have finished since.
        trials = (*snapshot.recent, *snapshot.others)
        older = _without_evaluated(plan_of(trials, fingerprint=pace.older), snapshot)
        is_planner = pace.makes_next_plan(len(older.free), older.place)
        if len(older.free) > older.place and not is_planner:
            fingerprint, plan = pace.older, older
        else:
            spare = older.free  # other trials use them while this one makes the next plan
            wait = 0.0 if is_planner else pace.wait
    failed = [trial for trial in ended if trial.state == TrialState.FAIL]
    U_running = _points(plan.running, cube, domain)
    U_free, U_spare = (
        np.array([_published(p, domain) for p in points]).reshape(-1, cube.dim)
        for points in (plan.free, spare)
    )
    U_lost = _points(ended[-_MAX_ENDED:], cube, domain)
    return View(
        fingerprint=fingerprint,
        plan=plan,
        finished=snapshot.finished,
        U_running=U_running,
        U_free=U_free,
        U_held=np.vstack([U_running, U_free, U_spare, U_lost]),
        U_failed=_points(failed[-_MAX_ENDED:], cube, domain),
        n_running=len(plan.running),
        n_at_once=n_at_once,
        n_ahead=pace.n_ahead,
        wait=wait,
        has_free_point=len(plan.free) > plan.place,
    )


def _without_evaluated(plan: Plan, snapshot: Snapshot) -> Plan:
    """Return an older plan without the points that trials have already evaluated."""
    evaluated = set(snapshot.domain.keys(snapshot.history.U))
    free = tuple(
        point
        for point in plan.free
        if snapshot.domain.keys(_published(point, snapshot.domain)[None])[0] not in evaluated
    )
    return replace(plan, free=free)


def _points(trials: Sequence[FrozenTrial], cube: UnitCube, domain: Domain) -> FloatArray:
    """Return the points (p, d) of trials: what was suggested or enqueued, else what is published.

    A trial without a known parameter is left out. A parameter that is not known is NaN.
    """
    rows = np.full((len(trials), cube.dim), np.nan)
    for row, trial in zip(rows, trials, strict=True):
        known = known_point(trial, cube)
        if np.isnan(known).any():
            point = read_point(trial, cube)
            if point is not None:
                row[:] = _published(point, domain)
        row[:] = np.where(np.isnan(known), row, known)
    points: FloatArray = rows[~np.isnan(rows).all(axis=1)]
    return points


def _published(point: Point, domain: Domain) -> FloatArray:
    """Return a published point (d,), moved from its rounded integers to the domain's grid."""
    u: FloatArray = domain.snap(from_integers(point)[None])[0]
    return u
