"""Scores of tuning runs, as in the NeurIPS 2020 black-box challenge: 0 random, 100 best known.

A score compares a loss with two losses of the same task: the one that random search is expected
to reach with as many evaluations, and the smallest that any run has reached. Both are stored in a
JSON file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.harness.records import Record

#: The references of all tasks, by the command `baseline`.
REFERENCES = Path(__file__).with_name("references.json")


@dataclass(frozen=True)
class Reference:
    """What the losses of a task are compared with.

    Attributes:
        evaluations: Number of random evaluations from which `random` was computed.
        best: The smallest known loss.
        random: Expected loss of the best of 1, 2, ... random evaluations.
        scikit_learn: The version of scikit-learn that the losses were computed with.
    """

    evaluations: int
    best: float
    random: tuple[float, ...]
    scikit_learn: str

    def score(self, loss: float, evaluations: int) -> float:
        """Return the score 100 (r - loss) / (r - best): 0 for random search, 100 for the best.

        A loss above r scores below 0, and one below the best known loss above 100.

        Args:
            loss: The loss that a run reached.
            evaluations: Number of evaluations of that run; r is the expected loss of random search
                with the same number.

        Raises:
            ValueError: When random search is not known for this number of evaluations.
        """
        if not 1 <= evaluations <= len(self.random):
            raise ValueError(
                f"random search is known for 1 to {len(self.random)} evaluations, "
                f"got {evaluations}."
            )
        expected = self.random[evaluations - 1]
        return 100.0 * (expected - loss) / (expected - self.best)

    def with_runs(self, records: Iterable[Record]) -> Reference:
        """Return the reference with the smallest loss of runs as `best`, if it is smaller.

        The records must be of finished runs on the same task.
        """
        return replace(self, best=min([self.best, *(min(r["losses"]) for r in records)]))


def expected_best(observed: Array, true: Array, count: int) -> float:
    """Return the expected true loss of the evaluation with the least observed loss among `count`.

    The `count` evaluations are drawn from N known evaluations without replacement. The evaluation
    of rank i (from 0) has the least observed loss with probability
    C(N - 1 - i, count - 1) / C(N, count).

    Args:
        observed: Losses `(N,)` that a sampler is told, with noise.
        true: Losses `(N,)` without noise.
        count: Number of evaluations, from 1 to N.
    """
    n = len(observed)
    left = n - np.arange(n - 1)  # number of evaluations that are not better than rank i
    # The first probability is count / N; the others follow from the ratio to the one before.
    ratios = np.append(count / n, np.maximum(left - count, 0) / (left - 1))
    ranked = true[np.argsort(observed, kind="stable")]
    return float(np.cumprod(ratios) @ ranked)


def load_references(path: Path) -> dict[str, Reference]:
    """Return the references of a JSON file by task; an empty mapping if there is no file."""
    if not path.exists():
        return {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {
        task: Reference(**fields | {"random": tuple(fields["random"])})
        for task, fields in stored.items()
    }


def save_references(path: Path, references: dict[str, Reference]) -> None:
    """Write references by task to a JSON file, one line each, in place of what it has."""
    lines = [
        f"{json.dumps(task)}: {json.dumps(asdict(reference))}"
        for task, reference in sorted(references.items())
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
