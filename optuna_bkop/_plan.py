"""Batches over any storage: no lock, no leader, no waiting. The only file that touches attributes.

A plan is a set of points chosen together; it holds as long as nothing new is known. Workers agree
on what is known by a fingerprint of the finished trials. For a trial that asks:

1. Read the trials. Held are the points of running trials; askers are running trials that have no
   point yet, in the order of their numbers; ``k`` is the place of this trial among them.
2. Of the published plans with the present fingerprint, the lowest owner's first, the free points
   are those that no trial has. If there are more than k, take the k-th.
3. Otherwise plan max(k + 1, batch size - held) points jointly, given the held ones, with a
   generator that follows from seed and fingerprint, publish them and take the k-th. Workers that
   know the same compute the same plan and take different points of it.
4. Write the point on the own trial and read again. If another running trial has the same point,
   both give it back and go to 1: "the lower number keeps it" would need both to see each other
   in the same order, which no storage promises. After a few rounds the point is kept.

What can go wrong, and what happens then:

- A worker dies before it has written its point: nobody misses it. After: its trial holds the
  point until it is older than a bound; then the point is free again.
- Two workers publish at once: both plans are the same, or, if one knew more, have different
  fingerprints. Either way points are taken from the lowest owner's plan first.
- A result arrives between reading and writing: the point was chosen without it, as in any
  asynchronous batch; the next ask plans anew, with this point held.
- Attributes are damaged, foreign, copied from another trial (retry callbacks do that) or written
  by a hostile hand: every value is checked when read and is absent if it does not fit. Values are
  plain JSON; nothing is evaluated or unpickled.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna import Study
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._kernels import FloatArray

#: Version of the attributes' layout; others are not read.
_VERSION = 1
_POINT_KEY = "bkop:point"
_PLAN_KEY = "bkop:plan"
#: Points are published as integers, so that all workers compare and use the same numbers.
_RESOLUTION = 10**9
#: A value with this many integers of up to ten digits stays below 2,045 characters.
_CHUNK = 160
#: How often a point that somebody else has too is given back.
_MAX_ROUNDS = 8

Point = tuple[int, ...]


def to_integers(u: FloatArray) -> Point:
    """A point (d,) of [0, 1] as published."""
    return tuple(round(float(u_j) * _RESOLUTION) for u_j in u)


def from_integers(point: Point) -> FloatArray:
    """The point (d,) that was published."""
    return np.array(point, dtype=float) / _RESOLUTION


@dataclass(frozen=True)
class Space:
    """What a point belongs to: points of other spaces are not read.

    Attributes:
        name: A short text, the same for equal search spaces.
        dim: How many numbers a point has.
    """

    name: str
    dim: int


@dataclass(frozen=True)
class View:
    """What one read of the trials tells a trial that asks.

    Attributes:
        running: Other running trials, those taken for dead left out.
        held: The points that they have.
        place: How many trials with lower numbers wait for a point.
        free: Points of the present plan that no trial has.
    """

    running: tuple[FrozenTrial, ...]
    held: tuple[Point, ...]
    place: int
    free: tuple[Point, ...]


def read_view(
    trials: Sequence[FrozenTrial],
    own_number: int,
    fingerprint: str,
    space: Space,
    *,
    bound: float,
) -> View:
    """See `View`; running trials older than ``bound`` seconds are taken for dead."""
    now = datetime.datetime.now()
    running: list[FrozenTrial] = []
    held: list[Point] = []
    used: set[Point] = set()
    planned: list[Point] = []
    place = 0
    for trial in trials:
        if trial.state == TrialState.COMPLETE:
            continue  # its result is known, so no present plan is its, nor has its point
        planned += _read_plan(trial, fingerprint, space.dim)
        is_running = trial.state == TrialState.RUNNING
        if trial.number == own_number or (is_running and _age(trial, now) > bound):
            continue
        point = read_point(trial, space)
        if point is not None:
            used.add(point)
        if is_running:
            running.append(trial)
            if point is not None:
                held.append(point)
            elif not trial.params and trial.number < own_number:
                place += 1
    free = tuple(dict.fromkeys(point for point in planned if point not in used))
    return View(tuple(running), tuple(held), place, free)


def claim_point(
    study: Study,
    trial: FrozenTrial,
    space: Space,
    view: Callable[[], View],
    choose: Callable[[View, int], Point],
) -> Point:
    """A point that no other running trial has (steps 1 and 4 of the module's text).

    Args:
        study: The study.
        trial: The trial that asks.
        space: The space of the point.
        view: Reads the trials anew.
        choose: Names a point for what was read; also told how often one was given back.
    """
    for given_back in range(_MAX_ROUNDS):
        point = choose(view(), given_back)
        _write_point(study, trial, space, point)
        if point not in view().held:
            break
        if given_back + 1 < _MAX_ROUNDS:
            _write(study, trial, _POINT_KEY, None)
    return point


def _age(trial: FrozenTrial, now: datetime.datetime) -> float:
    begun = trial.datetime_start
    return 0.0 if begun is None else (now - begun).total_seconds()


def read_point(trial: FrozenTrial, space: Space) -> Point | None:
    """The point that a trial has, if it is its own and well formed."""
    value = trial.system_attrs.get(_POINT_KEY)
    if not isinstance(value, dict) or value.get("version") != _VERSION:
        return None
    # A retried trial is a copy with all attributes: the number says whose the point is.
    if value.get("number") != trial.number or value.get("space") != space.name:
        return None
    return _as_point(value.get("point"), space.dim)


def _write_point(study: Study, trial: FrozenTrial, space: Space, point: Point) -> None:
    """Publish that ``trial`` has ``point``."""
    value = {
        "version": _VERSION,
        "number": trial.number,
        "space": space.name,
        "point": list(point),
    }
    _write(study, trial, _POINT_KEY, value)


def _read_plan(trial: FrozenTrial, fingerprint: str, dim: int) -> list[Point]:
    """The points of the plan that a trial owns, if it is complete and of this fingerprint."""
    head = trial.system_attrs.get(_PLAN_KEY)
    if (
        not isinstance(head, dict)
        or head.get("version") != _VERSION
        or head.get("fingerprint") != fingerprint
        or head.get("number") != trial.number
        or not _is_integer(head.get("chunks"))
        or not 0 < head["chunks"] <= 10_000
    ):
        return []
    flat: list[Any] = []
    for index in range(head["chunks"]):
        chunk = trial.system_attrs.get(f"{_PLAN_KEY}:{index}")
        if (
            not isinstance(chunk, dict)
            or chunk.get("fingerprint") != fingerprint
            or not isinstance(chunk.get("numbers"), list)
        ):
            return []
        flat += chunk["numbers"]
    if len(flat) % dim:
        return []
    points = [_as_point(flat[i : i + dim], dim) for i in range(0, len(flat), dim)]
    return [point for point in points if point is not None]


def publish_plan(
    study: Study, trial: FrozenTrial, points: Sequence[Point], fingerprint: str
) -> None:
    """Publish a plan: its chunks first, and last the head that makes it count."""
    flat = [number for point in points for number in point]
    chunks = [flat[i : i + _CHUNK] for i in range(0, len(flat), _CHUNK)]
    for index, numbers in enumerate(chunks):
        value = {"fingerprint": fingerprint, "numbers": numbers}
        _write(study, trial, f"{_PLAN_KEY}:{index}", value)
    head = {
        "version": _VERSION,
        "number": trial.number,
        "fingerprint": fingerprint,
        "chunks": len(chunks),
    }
    _write(study, trial, _PLAN_KEY, head)


def _write(study: Study, trial: FrozenTrial, key: str, value: Any) -> None:
    study._storage.set_trial_system_attr(trial._trial_id, key, value)


def _as_point(value: Any, dim: int) -> Point | None:
    if not isinstance(value, list) or len(value) != dim:
        return None
    if not all(_is_integer(number) and 0 <= number <= _RESOLUTION for number in value):
        return None
    return tuple(value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
