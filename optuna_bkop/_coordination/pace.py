"""Decides whether planning keeps pace with results, and how plans are shared if it does not.

A plan is a set of points that were chosen together, for the next trials. Every result makes the
present plan outdated. If a plan takes long compared with an evaluation, workers that all plan anew
after each of their results are busy with planning. Then one trial at a time makes a plan, and the
other trials use its points, although new results have arrived since. Such a plan has points in
advance, that is, points beyond those of the present round, for trials that ask later. A trial that
finds no free point waits while another one is planning.

A process that is alone, with ask-and-tell for example, plans anew after each result, however long
that takes: its trials follow from the seed alone.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from optuna.trial import FrozenTrial

from optuna_bkop._coordination.records import Entry
from optuna_bkop._study.timestamps import duration

#: Planning is too slow when it takes longer than this share of the median evaluation.
_SHARE = 0.1
#: A plan may be used while the number of newer results is at most this many times the number of
#: other running trials. A plan has points for one round, and the results of up to one more arrive
#: while it is made and its last point waits.
_MAX_AGE = 2.0
#: A trial waits for the one before it at most this many times as long as a plan takes, or as long
#: as an evaluation, whichever is longer. Then the one before it has probably died.
_PATIENCE = 3.0
#: A trial that waits looks for the plan this many times while a plan is made.
_LOOKS = 4
#: Seconds that a plan takes at most when waits are computed. A record may say anything, and
#: a machine may have been suspended while it planned.
_LONGEST = 5.0


@dataclass(frozen=True)
class Worker:
    """A process that takes part in a study.

    Attributes:
        study: Digest of the study's name. It distinguishes records of this study from records that
            a copied study has kept from the original.
        process: Text that differs from that of all other processes.
    """

    study: str
    process: str

    @classmethod
    def of(cls, study_name: str, process: str) -> Worker:
        """Return the worker with the name of its study, and a text that identifies its process."""
        return cls(hashlib.blake2b(study_name.encode(), digest_size=4).hexdigest(), process)

    @property
    def text(self) -> str:
        """The text that records contain: study and process."""
        return f"{self.study}:{self.process}"

    def is_of_same_study(self, text: str) -> bool:
        """Return whether ``text`` is that of a process of the same study, this one included."""
        return text.partition(":")[0] == self.study

    def is_colleague(self, text: str) -> bool:
        """Return whether ``text`` is that of another process of the same study."""
        return text != self.text and self.is_of_same_study(text)


@dataclass(frozen=True)
class Pace:
    """How plans are used and made.

    Attributes:
        older: Fingerprint of the data of the older plan that may be used; empty if none may.
        n_ahead: Number of points that a new plan has in advance, that is, beyond those of the
            present round, for trials that ask later.
        n_reserve: Number of points of the older plan that are left for the trials that will ask
            while the next plan is made.
        wait: Seconds after which to look for the plan of another trial; 0 if this trial plans.
    """

    older: str = ""
    n_ahead: int = 0
    n_reserve: int = 0
    wait: float = 0.0

    def makes_next_plan(self, n_free: int, place: int) -> bool:
        """Return whether a trial makes the next plan, instead of using the older one.

        One of the trials that ask does: the first one that would use a point of the reserve.

        Args:
            n_free: Number of free points of the older plan, that is, points that no trial holds.
            place: Number of asking trials with lower numbers. They take free points, too, or one
                of them plans already.
        """
        n_left = n_free - place
        return n_left <= self.n_reserve if place == 0 else n_left == self.n_reserve > 0


def read_pace(
    running: Sequence[Entry],
    finished: Sequence[Entry],
    recent: Sequence[FrozenTrial],
    *,
    fingerprint: str,
    place: int,
    waited: float,
    n_finished: int,
    n_running: int,
    worker: Worker,
) -> Pace:
    """Decide whether an older plan may be used, and how many points a new plan has in advance.

    Planning is too slow if the median of the latest plans took longer than `_SHARE` times the
    median evaluation. Only then may the newest plan be used for some more results, and a new plan
    has one point in advance for each running trial. Otherwise, or if the study has one process
    only, each result leads to a new plan.

    If no other trial evaluates a point of an older plan, the results of a whole round have
    arrived. Then no older plan is used, so that each round knows the results of the round before.

    Args:
        running: What other running trials have published, in the order of their numbers.
        finished: What the latest finished trials have published.
        recent: The latest finished trials; they show how long an evaluation takes.
        fingerprint: Fingerprint of the present data.
        place: Number of asking trials with lower numbers than the trial that asks.
        waited: Seconds that the trial has waited for the plans of others.
        n_finished: Number of finished trials.
        n_running: Number of other running trials.
        worker: This process.

    Returns:
        How plans are used and made; `Pace()` if planning is fast enough or the process is alone.
    """
    entries = (*running, *finished)
    plans = [entry for entry in entries if entry.plan and worker.is_of_same_study(entry.worker)]
    is_alone = not any(worker.is_colleague(entry.worker) for entry in entries)
    if is_alone or not plans or not recent:
        return Pace()
    cost = statistics.median(entry.cost for entry in plans) / 1000.0
    evaluation = statistics.median(map(duration, recent))
    if cost <= _SHARE * evaluation:
        return Pace()
    cost = min(cost, _LONGEST)
    newest = max(plans, key=lambda entry: entry.known)  # the first one, if several are newest
    is_usable = 1 <= n_finished - newest.known <= _MAX_AGE * n_running
    is_round_over = all(entry.of in ("", fingerprint) for entry in running if entry.point)
    # The later trials lose patience later. They see the plan of the first one that does.
    patience = place * max(_PATIENCE * cost, evaluation)
    n_meanwhile = n_running if cost >= evaluation else math.ceil(n_running * cost / evaluation)
    return Pace(
        older=newest.fingerprint if is_usable and not is_round_over else "",
        n_ahead=n_running,
        n_reserve=n_meanwhile,
        wait=cost / _LOOKS if waited < patience else 0.0,
    )
