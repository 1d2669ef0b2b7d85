"""Takes a point for a trial such that no other trial keeps the same one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from optuna import Study
from optuna.trial import FrozenTrial

from optuna_bkop._arrays import FloatArray
from optuna_bkop._coordination.pace import Worker
from optuna_bkop._coordination.records import (
    Entry,
    Point,
    from_integers,
    read_point,
    to_integers,
    write_entry,
)
from optuna_bkop._coordination.view import View
from optuna_bkop._study.trial_cache import all_trials
from optuna_bkop._study.unit_cube import UnitCube


@dataclass(frozen=True)
class Claim:
    """The outcome of an attempt to take a point.

    Attributes:
        u: The point (d,) that was taken, with the rounding with which it was published.
        entry: What the trial has published, including the point, even if it was given back.
        rivals: Numbers of other trials that took the same point since the view was read. If there
            are any, the point was given back, unless it was to be kept.
    """

    u: FloatArray
    entry: Entry
    rivals: frozenset[int]


def claim_point(
    study: Study,
    trial: FrozenTrial,
    cube: UnitCube,
    view: View,
    U: FloatArray,
    *,
    is_plan: bool,
    earlier: Claim | None,
    keep: bool,
    worker: Worker,
    seconds: float,
) -> Claim:
    """Write a point on a trial and check that no other trial has taken it.

    This is step 4 of docs/protocol.md.

    Args:
        study: The study.
        trial: The trial that asks.
        cube: The search space.
        view: What other trials held and planned when the points were chosen.
        U: New points (m, d) of the unit cube; m may be 0 if the trial takes a free point.
        is_plan: True if ``U`` continues the plan of the view. Then the trial publishes the new
            points and takes, of the free points followed by the new ones, the one at index
            ``view.plan.place``. False if ``U[0]`` is the point of the trial.
        earlier: Outcome of the attempt before; None in the first attempt.
        keep: Whether to keep the point even if another trial has it. Otherwise it is given back.
        worker: This process.
        seconds: Seconds since this attempt began.
    """
    chosen = _planned(view, U) if is_plan else Entry(to_integers(U[0]))
    if chosen.plan:
        chosen = replace(chosen, known=len(view.finished), cost=round(1000 * seconds))
    published = Entry() if earlier is None else earlier.entry
    # A trial that gives its point back does not withdraw the plan it has published.
    entry = chosen if chosen.plan else replace(published, point=chosen.point, of=chosen.of)
    entry = replace(entry, worker=worker.text)
    n_running = view.n_running + 1
    write_entry(study, trial, cube, entry, n_running)
    point = entry.point or ()
    rivals = _rivals(study, trial, cube, view, point)
    if rivals and not keep:
        given_back = replace(entry, point=None, of="")
        write_entry(study, trial, cube, given_back, n_running)
    return Claim(from_integers(point), entry, rivals)


def _planned(view: View, U: FloatArray) -> Entry:
    """Return what a trial publishes that continues the plan of the view by points U (m, d).

    The trial takes, of the free points followed by the new ones, the one at index ``place``.
    """
    plan = view.plan
    new = tuple(to_integers(u) for u in U)
    return Entry(
        point=(*plan.free, *new)[plan.place],
        of=view.fingerprint,
        # A trial can publish one part of a plan. It rarely needs a second one.
        plan=() if plan.is_owner else new,
        fingerprint=view.fingerprint,
        after=plan.name,
    )


def _rivals(
    study: Study, trial: FrozenTrial, cube: UnitCube, view: View, point: Point
) -> frozenset[int]:
    """Return the numbers of other trials that have taken the point since the view was read.

    Trials that finished since are considered, too.
    """
    return frozenset(
        other.number
        for other in all_trials(study)
        if other.number not in view.finished
        and other.number != trial.number
        and view.plan.points.get(other.number) != point
        and read_point(other, cube) == point
    )
