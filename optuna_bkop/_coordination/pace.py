"""Decides whether planning keeps pace with results, and which older plan may be used if not.

Every result makes the present plan void. If a plan takes long compared with an evaluation, workers
that all plan anew after each of their results are busy with planning. Then the points of a plan
that is a few results old serve as well, and plans are made longer, so that most asks need none.

How long plans take is read from the plans of other processes. A process that is alone, with
ask-and-tell for example, sees none and plans anew after each result, however long that takes: its
trials follow from the seed alone.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from optuna.trial import FrozenTrial

from optuna_bkop._coordination.records import Entry
from optuna_bkop._study.timestamps import duration

#: Planning is too slow when it takes longer than this share of the median evaluation.
_SHARE = 0.1
#: A plan may be used while the number of newer results is at most this share of the other running
#: trials. Half of them keeps the publisher among the running trials, as a rule: its plan is older
#: than half of a round only if its own evaluation is among the longest.
_MAX_AGE = 0.5
#: Share of the other running trials for which a plan has points in advance: half of those that
#: will ask while the plan may be used.
_AHEAD = 0.25


@dataclass(frozen=True)
class Worker:
    """A process that takes part in a study.

    Attributes:
        study: Digest of the study's name. A copy of a study has the records of the original.
        process: Text that differs from that of all other processes.
    """

    study: str
    process: str

    @classmethod
    def of(cls, study_name: str, process: str) -> Worker:
        """Return a process of the study with this name."""
        return cls(hashlib.blake2b(study_name.encode(), digest_size=4).hexdigest(), process)

    @property
    def text(self) -> str:
        """What is published."""
        return f"{self.study}:{self.process}"

    def is_colleague(self, text: str) -> bool:
        """Return whether this is the text of another process of the same study."""
        return text != self.text and text.partition(":")[0] == self.study


@dataclass(frozen=True)
class Pace:
    """How plans are used and made.

    Attributes:
        older: Fingerprint of the older plan that may be used; empty if there is none.
        n_ahead: Number of points that a new plan has in advance, for trials that do not ask yet.
    """

    older: str = ""
    n_ahead: int = 0


def read_pace(
    published: Sequence[Entry],
    recent: Sequence[FrozenTrial],
    *,
    n_finished: int,
    n_running: int,
    worker: Worker,
) -> Pace:
    """Decide whether an older plan may be used, and how many points a new plan has in advance.

    A plan is a list of points for the next trials, and every result makes it outdated. Planning
    is too slow if the newest plan of another process took longer than `_SHARE` times the median
    evaluation. Only then may that plan be used for some more results, and new plans have points
    in advance. Otherwise, or if no other process has a plan, each result leads to a new plan.

    Args:
        published: What other running trials have published, in the order of their numbers.
        recent: The latest finished trials; they show how long an evaluation takes.
        n_finished: Number of finished trials.
        n_running: Number of other running trials.
        worker: This process; its own plans are ignored.

    Returns:
        How plans are used and made; `Pace()` if planning is fast enough.
    """
    plans = [entry for entry in published if entry.plan and worker.is_colleague(entry.worker)]
    if not plans or not recent:
        return Pace()
    newest = max(plans, key=lambda entry: entry.known)  # the first one, if several are newest
    evaluation = statistics.median(map(duration, recent))
    if newest.cost <= 1000.0 * _SHARE * evaluation:
        return Pace()
    age = n_finished - newest.known
    is_usable = 1 <= age <= _MAX_AGE * n_running
    return Pace(newest.fingerprint if is_usable else "", int(_AHEAD * n_running))
