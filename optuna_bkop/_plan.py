"""Batches over any storage: no lock, no leader, no waiting. The only file that touches attributes.

A plan is a set of points chosen together; it holds as long as nothing new is known. Workers agree
on what is known by a fingerprint of the finished trials. For a trial that asks:

1. Read the trials, once; all that follows is from this one read. Held are the points of running
   trials. Askers are running trials that have no point yet, if they are young and not unusually
   many, in the order of their numbers; ``k`` is the place of this trial among them.
2. Of the published plans with the present fingerprint, that of the lowest owner counts, then what
   was published as its continuation, and so on. Its free points are those that no trial has. If
   there are more than k, take the k-th.
3. Otherwise continue the plan: choose as many points as there are askers, or as the batch size
   leaves over, jointly, given the held and the free ones, with a generator that follows from seed
   and fingerprint. Take the k-th of the free and the new ones. Workers that know the same compute
   the same plan and take different points of it.
4. Write the point on the own trial, with what was planned, and read again. If another trial has
   written the same point since step 1, both give it back and go to 1: "the lower number keeps it"
   would need both to see each other in the same order, which no storage promises. Those that met
   count as askers, however old, so that they part. After a few turns a lattice point is taken
   that belongs to the trial's number and to no other.

No two trials keep the same point. Of two writers of a point the later one reads after both writes,
sees the earlier one and gives back, if a storage shows a write to every read that begins after it
returned; Optuna's do. This needs no clock, no order of numbers and no agreement on anything else.
(In a finite space, where a number has no point of its own, two might meet in every turn.)

What can go wrong, and what happens then:

- A worker dies before it has written its point: it counts as an asker for some seconds, in which
  plans are a point longer than needed. After: its trial holds the point until it is older than a
  bound; then the point is free again, for as long as the plan counts. If it was not dead after
  all, its point is evaluated twice.
- The owner of a plan fails: its plan stays, though what failed is heeded by the next one. It
  finishes with a result: there is something new, and the plan is over. The point of a failed
  trial is not offered again.
- Two workers publish at once: both plans are the same, or the one of the lower owner counts and
  the point taken from the other is held. Leftovers of the other are not offered: they were not
  chosen with the first plan in view and may be close to its points.
- A result arrives between reading and writing: the point was chosen without it, as in any
  asynchronous batch; the next ask plans anew, with this point held. Had that trial finished with
  the very same point, step 4 would see it: it looks at finished trials, too.
- A worker reads late or not what others see (it was suspended; a search space that others do not
  know yet): its fingerprint is its own, so it neither takes from plans of others nor offers them
  what it plans. Step 4 still holds.
- A trial was begun and does not ask, or much later (ask-and-tell): see dead workers; when it asks
  it is served like any other.
- A trial is retried (a copy with all attributes and parameters): what is written on it has the
  number of the original and does not count; the parameters hold its point.
- Clocks disagree: see `_clock`. A wrong age costs a place or, beyond the bound, an evaluation.
- A finite space is exhausted: points repeat; one that was taken knowingly is not given back.
- Attributes are damaged, foreign, half-written, of another version or of a hostile hand: a value
  says whose it is, what it is for and what it amounts to (a digest over all its parts), and is
  absent if anything does not fit. Values are plain JSON; nothing is evaluated or unpickled.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from optuna import Study
from optuna.storages._heartbeat import is_heartbeat_enabled
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._clock import Watch
from optuna_bkop._kernels import FloatArray

#: Version of the attributes' layout; others are not read.
_VERSION = 1
#: Where a trial says what it has taken and planned; further parts have a colon and a number more.
KEY = "bkop"
#: What it says besides the numbers, in the order in which the digest covers it.
_TEXTS, _COUNTS = ("space", "of", "fingerprint", "after"), ("time", "running", "taken")
#: Points are published as integers, so that all workers compare and use the same numbers.
_RESOLUTION = 10**9
#: A value with this many integers of up to ten digits stays below 2,045 characters.
_CHUNK = 140
#: No plan of ours has more parts.
_MAX_PARTS = 1000
#: How often a point that somebody else has too is given back.
MAX_GIVEN_BACK = 7

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
class Bounds:
    """Until when trials count.

    Attributes:
        running: After so many seconds a running trial is taken for dead: its point is free.
        asking: After so many seconds a trial without a point is not expected to ask any more: no
            place is kept for it.
        n_asking: Places are kept for no more than so many trials, the youngest.
    """

    running: float
    asking: float
    n_asking: int


@dataclass(frozen=True)
class Entry:
    """What a trial publishes.

    Attributes:
        point: Its point; None: it has none, or has given it back.
        of: The fingerprint of the plan that the point is of; empty: it was not planned.
        plan: Points that it has planned for all.
        fingerprint: Of what was known then.
        after: The name of the part of the plan which these points continue; empty: of none.
    """

    point: Point | None = None
    of: str = ""
    plan: tuple[Point, ...] = ()
    fingerprint: str = ""
    after: str = ""

    @property
    def name(self) -> str:
        """Of the plan: the same for equal ones, whoever publishes them."""
        numbers = [number for point in self.plan for number in point]
        return _digest(self.fingerprint, self.after, numbers)


@dataclass(frozen=True)
class View:
    """What one read of the trials tells a trial that asks.

    Attributes:
        running: Other running trials, those left out that are taken for dead, or that have no
            point and are not expected to ask.
        n_asking: How many of them wait for a point.
        place: How many of those have lower numbers.
        plan: The name of the present plan's last part; empty: there is no plan.
        free: Points of the present plan that no trial has.
        is_owner: Whether the trial itself has published a part of the present plan.
        points: Number of another unfinished trial -> its point.
        ended: Numbers of those that were finished.
    """

    running: tuple[FrozenTrial, ...]
    n_asking: int
    place: int
    plan: str
    free: tuple[Point, ...]
    is_owner: bool
    points: dict[int, Point | None]
    ended: frozenset[int]


def read_view(
    trials: Sequence[FrozenTrial],
    own_number: int,
    fingerprint: str,
    space: Space,
    *,
    watch: Watch,
    bounds: Bounds,
    rivals: frozenset[int] = frozenset(),
) -> View:
    """See `View`.

    Args:
        trials: All trials, in the order of their numbers, but those whose results are known.
        own_number: Of the trial that asks.
        fingerprint: Of what is known.
        space: The space of the points.
        watch: Tells ages.
        bounds: See `Bounds`.
        rivals: Numbers of trials that ask, however old they are.
    """
    ages = watch.ages([t for t in trials if t.state == TrialState.RUNNING], _stamp)
    ended = [t for t in trials if t.state.is_finished()]
    others = [t for t in trials if not t.state.is_finished() and t.number != own_number]
    # Of finished trials only what concerns the present plan is of interest.
    planned = [t for t in ended if fingerprint in (_field(t, "of"), _field(t, "fingerprint"))]
    own = [t for t in trials if t.number == own_number]
    entries = {t.number: read_entry(t, space) or Entry() for t in (*planned, *others, *own)}

    def is_younger(trial: FrozenTrial, bound: float) -> bool:
        number = trial.number
        return number in ages and (ages[number] <= bound or number in rivals)

    def has_point(trial: FrozenTrial) -> bool:
        return entries[trial.number].point is not None or bool(trial.params)

    alive = [t for t in others if is_younger(t, bounds.running)]
    running = [t for t in alive if has_point(t)]
    asking = [t for t in alive if not has_point(t) and is_younger(t, bounds.asking)]
    youngest = {t.number for t in asking[-bounds.n_asking :]} | rivals
    asking = [t for t in asking if t.number in youngest]
    plan, points, owners = _follow(entries, fingerprint)
    # A point that failed or was pruned in vain is not offered again by the same plan.
    used = {entries[t.number].point for t in (*planned, *alive)}
    return View(
        running=(*running, *asking),
        n_asking=len(asking),
        place=sum(t.number < own_number for t in asking),
        plan=plan,
        free=tuple(point for point in dict.fromkeys(points) if point not in used),
        is_owner=own_number in owners,
        points={t.number: entries[t.number].point for t in others},
        ended=frozenset(t.number for t in ended),
    )


def _follow(entries: dict[int, Entry], fingerprint: str) -> tuple[str, list[Point], set[int]]:
    """The present plan: the name of its last part, all its points, who has published it."""
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


def claim_point(
    study: Study,
    trial: FrozenTrial,
    space: Space,
    look: Callable[[frozenset[int]], View],
    choose: Callable[[View, int], Entry],
    others: Callable[[], Iterable[FrozenTrial]],
) -> Point:
    """A point that no other trial has (steps 1 and 4 of the module's text).

    Args:
        study: The study.
        trial: The trial that asks.
        space: The space of the point.
        look: Reads the trials anew; told the numbers of those that had the same point.
        choose: Names a point for what was read, and what was planned with it, if anything; also
            told how often a point was given back.
        others: Reads the trials anew: at least those that were not finished at the last look.
    """
    rivals: frozenset[int] = frozenset()
    entry, point = Entry(), Point()
    for given_back in range(MAX_GIVEN_BACK + 1):
        view = look(rivals)
        chosen = choose(view, given_back)
        # Whoever gives a point back does not take back what it has planned.
        entry = chosen if chosen.plan else replace(entry, point=chosen.point, of=chosen.of)
        point, n_running = entry.point or Point(), len(view.running) + 1
        _write_entry(study, trial, space, entry, n_running)
        rivals = frozenset(
            other.number
            for other in others()
            if other.number != trial.number
            and other.number not in view.ended
            and view.points.get(other.number) != point
            and read_point(other, space) == point
        )
        if not rivals:
            break
        if given_back < MAX_GIVEN_BACK:
            _write_entry(study, trial, space, replace(entry, point=None, of=""), n_running)
    return point


def has_heartbeat(study: Study) -> bool:
    """Whether Optuna itself finds out which running trials are dead."""
    return is_heartbeat_enabled(study._storage)


def read_point(trial: FrozenTrial, space: Space) -> Point | None:
    """The point that a trial has, if it is its own and well formed."""
    entry = read_entry(trial, space)
    return None if entry is None else entry.point


def batch_of(trial: FrozenTrial) -> str | None:
    """The same text for trials whose points were planned on the same knowledge; None: not planned.

    What comes of a plan and of its continuations has one text.
    """
    of = _field(trial, "of")
    return of if isinstance(of, str) and of else None


def seen_running(trial: FrozenTrial) -> int | None:
    """How many trials a trial saw running, itself included, when it took its point."""
    n_running = _field(trial, "running")
    return int(n_running) if _is_count(n_running) else None


def read_entry(trial: FrozenTrial, space: Space) -> Entry | None:
    """What a trial has published, if it is its own, complete and well formed."""
    head = _head(trial)
    if head.get("space") != space.name:
        return None
    if not all(isinstance(head.get(name), str) for name in _TEXTS):
        return None
    if not all(_is_count(head.get(name)) for name in (*_COUNTS, "parts")):
        return None
    about = [head[name] for name in (*_TEXTS, *_COUNTS)]
    numbers: list[int] = []
    for index in range(min(head["parts"], _MAX_PARTS)):
        part = trial.system_attrs.get(f"{KEY}:{index}") if index else head
        if not isinstance(part, dict) or part.get("digest") != head.get("digest"):
            return None
        values = part.get("numbers")
        if not isinstance(values, list) or len(values) > _CHUNK:
            return None
        if not all(_is_integer(value) and 0 <= value <= _RESOLUTION for value in values):
            return None
        numbers += values
    if len(numbers) % space.dim or head.get("digest") != _digest(*about, numbers):
        return None
    dim = space.dim
    points = [tuple(numbers[i : i + dim]) for i in range(0, len(numbers), dim)]
    n_taken = min(head["taken"], len(points))
    return Entry(
        point=points[0] if n_taken else None,
        of=head["of"],
        plan=tuple(points[n_taken:]),
        fingerprint=head["fingerprint"],
        after=head["after"],
    )


def _write_entry(
    study: Study, trial: FrozenTrial, space: Space, entry: Entry, n_running: int = 1
) -> None:
    """Publish an entry in parts, last the first one, which makes the others count."""
    points = entry.plan if entry.point is None else (entry.point, *entry.plan)
    numbers = [number for point in points for number in point]
    texts = (space.name, entry.of, entry.fingerprint, entry.after)
    counts = (int(time.time()), n_running, int(entry.point is not None))
    digest = _digest(*texts, *counts, numbers)
    parts = [numbers[i : i + _CHUNK] for i in range(0, len(numbers), _CHUNK)] or [[]]
    for index, part in enumerate(parts[1:], start=1):
        _write(study, trial, f"{KEY}:{index}", {"digest": digest, "numbers": part})
    head = {
        "version": _VERSION,
        "number": trial.number,
        **dict(zip(_TEXTS, texts, strict=True)),
        **dict(zip(_COUNTS, counts, strict=True)),
        "parts": len(parts),
        "digest": digest,
        "numbers": parts[0],
    }
    _write(study, trial, KEY, head)


def _write(study: Study, trial: FrozenTrial, key: str, value: Any) -> None:
    study._storage.set_trial_system_attr(trial._trial_id, key, value)


def _digest(*parts: str | int | list[int]) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=8).hexdigest()


def _head(trial: FrozenTrial) -> dict[Any, Any]:
    """The first part of what a trial has published, if it is its own and of this version."""
    head = trial.system_attrs.get(KEY)
    if not isinstance(head, dict) or head.get("version") != _VERSION:
        return {}
    # A retried trial is a copy with all attributes: the number says whose they are.
    return head if head.get("number") == trial.number else {}


def _field(trial: FrozenTrial, name: str) -> Any:
    """A field of what a trial may have published, of which no more is known; None: not there."""
    return _head(trial).get(name)


def _stamp(trial: FrozenTrial) -> float | None:
    """When a trial published something, in seconds since 1970; None: it does not say."""
    moment = _field(trial, "time")
    return float(moment) if _is_count(moment) else None


def _is_count(value: Any) -> bool:
    return _is_integer(value) and 0 <= value < 10**12


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
