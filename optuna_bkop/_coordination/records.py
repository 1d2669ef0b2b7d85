"""What trials publish: their points and plans, as validated JSON in trial attributes.

A plan is a set of points that were chosen together. It is identified by the fingerprint of the
data that it is based on, a short text that is equal for equal data. A trial publishes the point
that it has taken, and the part of a plan that it has made, if any.

A record is text: a line with a JSON object, the header, and a line with the coordinates of points.
Nothing is evaluated or unpickled, and nothing that is read is trusted: the header names its trial
and search space and carries a digest over all parts. If anything does not fit, the record counts
as absent.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna import Study
from optuna.trial import FrozenTrial

from optuna_bkop._arrays import FloatArray
from optuna_bkop._study.trial_cache import CONSTRAINTS
from optuna_bkop._study.unit_cube import UnitCube

#: Version of the layout. Records of other versions are not read.
_VERSION = 3
#: Attribute of the first part of a record. Further parts have a colon and a number appended.
KEY = "bkop"
#: Fields of the first part besides the numbers, in the order in which the digest covers them.
_TEXTS = ("space", "of", "fingerprint", "after", "worker")
_COUNTS = ("time", "running", "taken", "known", "cost")
#: Coordinates are published as integers, so that all workers compare and use the same numbers.
_RESOLUTION = 10**9
#: Number of coordinates per part. Integers of up to ten digits then stay below `MAX_CHARACTERS`.
_CHUNK = 140
#: Longer attributes do not fit into every storage.
MAX_CHARACTERS = 2045
#: Maximum number of parts that are read and written. A longer plan is cut off.
_MAX_PARTS = 1000
#: Counts and times at or above this are invalid: as seconds since 1970, it is the year 33,658.
_MAX_COUNT = 10**12

#: Label of the batch of all trials before the first planned one.
STARTUP = "startup"

#: A point as published: integer coordinates from 0 to `_RESOLUTION`.
Point = tuple[int, ...]


@dataclass(frozen=True)
class Entry:
    """What a trial publishes.

    Attributes:
        point: The point that the trial holds; None if it has none or has given it back.
        of: Fingerprint of the data of the plan from which the point was taken; empty if the point
            was not planned.
        plan: Points that this trial has planned for all trials.
        fingerprint: Fingerprint of the data on which ``plan`` is based.
        after: Name of the part of the plan that ``plan`` continues; empty if it is the first.
        worker: `Worker.text` of the process that published: its study and its process.
        known: Number of finished trials on which ``plan`` is based.
        cost: Milliseconds that it took to read the trials and to choose ``plan``.
    """

    point: Point | None = None
    of: str = ""
    plan: tuple[Point, ...] = ()
    fingerprint: str = ""
    after: str = ""
    worker: str = ""
    known: int = 0
    cost: int = 0

    @property
    def name(self) -> str:
        """Name of ``plan``: a digest of ``fingerprint``, ``after`` and the points.

        Equal plans have equal names, whoever publishes them.
        """
        numbers = [number for point in self.plan for number in point]
        return _digest(self.fingerprint, self.after, numbers)


def to_integers(u: FloatArray) -> Point:
    """Return a point (d,) of [0, 1] as it is published: integers from 0 to `_RESOLUTION`."""
    return tuple(round(float(u_j) * _RESOLUTION) for u_j in u)


def from_integers(point: Point) -> FloatArray:
    """Return the point (d,) of [0, 1] that was published as these integers."""
    return np.array(point, dtype=float) / _RESOLUTION


def read_entry(trial: FrozenTrial, cube: UnitCube) -> Entry | None:
    """Return what a trial has published for this search space; None if absent or invalid."""
    head, numbers = _head(trial), list[int]()
    if head.get("space") != cube.key:
        return None
    if not all(isinstance(head.get(name), str) for name in _TEXTS):
        return None
    if not all(_is_count(head.get(name)) for name in (*_COUNTS, "parts")):
        return None
    about = [head[name] for name in (*_TEXTS, *_COUNTS)]
    for index in range(min(head["parts"], _MAX_PARTS)):
        key = f"{KEY}:{index}" if index else KEY
        part, coordinates = _unpack(trial.system_attrs.get(key))
        if part.get("digest") != head.get("digest") or coordinates is None:
            return None
        numbers += coordinates
    dim = cube.dim
    if len(numbers) % dim or head.get("digest") != _digest(*about, numbers):
        return None
    points = [tuple(numbers[i : i + dim]) for i in range(0, len(numbers), dim)]
    n_taken = min(head["taken"], len(points))
    return Entry(
        point=points[0] if n_taken else None,
        of=head["of"],
        plan=tuple(points[n_taken:]),
        fingerprint=head["fingerprint"],
        after=head["after"],
        worker=head["worker"],
        known=head["known"],
        cost=head["cost"],
    )


def read_point(trial: FrozenTrial, cube: UnitCube) -> Point | None:
    """Return the point that a trial holds in this search space; None if it has published none."""
    entry = read_entry(trial, cube)
    return None if entry is None else entry.point


def write_entry(
    study: Study, trial: FrozenTrial, cube: UnitCube, entry: Entry, n_running: int = 1
) -> None:
    """Publish an entry in the attributes of a trial, in place of its previous one.

    The header is written last: it validates the other parts. A very long plan is cut off.

    Args:
        study: The study.
        trial: The trial that publishes.
        cube: The search space of the points.
        entry: What to publish.
        n_running: Number of running trials that this trial sees, itself included. It is stored
            for `seen_running`.
    """
    n_most = _MAX_PARTS * _CHUNK // cube.dim - 1
    points = entry.plan[:n_most] if entry.point is None else (entry.point, *entry.plan[:n_most])
    numbers = [number for point in points for number in point]
    texts = (cube.key, entry.of, entry.fingerprint, entry.after, entry.worker)
    is_taken = int(entry.point is not None)
    counts = (int(time.time()), n_running, is_taken, entry.known, entry.cost)
    digest = _digest(*texts, *counts, numbers)
    parts = [numbers[i : i + _CHUNK] for i in range(0, len(numbers), _CHUNK)] or [[]]
    for index, part in enumerate(parts[1:], start=1):
        _write(study, trial, f"{KEY}:{index}", pack({"digest": digest}, part))
    head = {
        "version": _VERSION,
        "number": trial.number,
        **dict(zip(_TEXTS, texts, strict=True)),
        **dict(zip(_COUNTS, counts, strict=True)),
        "parts": len(parts),
        "digest": digest,
    }
    _write(study, trial, KEY, pack(head, parts[0]))


def write_constraints(
    study: Study, trial: FrozenTrial, constraints_func: Callable[[FrozenTrial], Sequence[float]]
) -> None:
    """Evaluate constraints and store them where Optuna's own samplers do.

    If ``constraints_func`` fails, the trial has no constraints, and the error goes on to the user.

    Raises:
        ValueError: If a constraint is NaN.
    """
    constraints: tuple[float, ...] | None = None
    try:
        given = tuple(float(value) for value in constraints_func(trial))
        if any(math.isnan(value) for value in given):
            raise ValueError(f"Constraint values cannot be NaN, got {given}.")
        constraints = given
    finally:
        _write(study, trial, CONSTRAINTS, constraints)


def batch_of(trial: FrozenTrial) -> str | None:
    """Return the name of the plan from which a trial took its point; None if not planned.

    The name is the fingerprint of the plan's data, so that all parts of a plan have one name.
    """
    of = field(trial, "of")
    return of if isinstance(of, str) and of else None


def batch_labels(trials: Sequence[FrozenTrial]) -> dict[int, str]:
    """Map trial numbers to batches: `STARTUP`, the name of a plan, or, for example, "trial 7".

    ``trials`` are all trials of a study, in the order of their numbers. Those before the first
    planned one are the startup batch; all of them if none was planned. Every later trial without a
    plan is a batch of its own.
    """
    labels: dict[int, str] = {}
    is_startup = True
    for trial in trials:
        plan = batch_of(trial)
        is_startup = is_startup and plan is None
        labels[trial.number] = plan or (STARTUP if is_startup else f"trial {trial.number}")
    return labels


def seen_running(trial: FrozenTrial) -> int | None:
    """Return how many trials, itself included, a trial saw running; None if unknown."""
    n_running = field(trial, "running")
    return int(n_running) if _is_count(n_running) else None


def written_at(trial: FrozenTrial) -> float | None:
    """Return when a trial published its record, in seconds since 1970; None if unknown."""
    moment = field(trial, "time")
    return float(moment) if _is_count(moment) else None


def field(trial: FrozenTrial, name: str) -> Any:
    """Return an unchecked field of a trial's record; None if it is missing."""
    return _head(trial).get(name)


def _head(trial: FrozenTrial) -> dict[Any, Any]:
    """Return the header of a trial's record; empty unless version and trial number fit."""
    head = _parse(_lines(trial.system_attrs.get(KEY))[0])
    if not isinstance(head, dict) or head.get("version") != _VERSION:
        return {}
    # A retried trial is a copy with all attributes. The number shows whose they are.
    return head if head.get("number") == trial.number else {}


def pack(head: dict[str, Any], numbers: Sequence[int]) -> str:
    """Return a part of a record as text: the header, and the coordinates of points."""
    return f"{json.dumps(head)}\n{json.dumps(list(numbers), separators=(',', ':'))}"


def _unpack(value: Any) -> tuple[dict[Any, Any], list[int] | None]:
    """Return the header and the coordinates of a part; an empty header and None if invalid."""
    first, second = _lines(value)
    head, numbers = _parse(first), _parse(second)
    if not isinstance(head, dict) or not isinstance(numbers, list) or len(numbers) > _CHUNK:
        return {}, None
    if not all(_is_integer(number) and 0 <= number <= _RESOLUTION for number in numbers):
        return {}, None
    return head, numbers


def _lines(value: Any) -> tuple[str, str]:
    """Return the two lines of a part as text; empty if it is no text or too long."""
    if not isinstance(value, str) or len(value) >= MAX_CHARACTERS:
        return "", ""
    head, _, numbers = value.partition("\n")
    return head, numbers


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _write(study: Study, trial: FrozenTrial, key: str, value: Any) -> None:
    study._storage.set_trial_system_attr(trial._trial_id, key, value)


def _digest(*parts: str | int | list[int]) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=8).hexdigest()


def _is_count(value: Any) -> bool:
    return _is_integer(value) and 0 <= value < _MAX_COUNT


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
