"""Scores of tuning runs, as in the NeurIPS 2020 black-box challenge: 0 random, 100 best known.

The reference of a task is the loss that random search is expected to reach with as many
evaluations, and the least loss that anything has reached. Both are cached in a JSON file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from benchmarks.functions import Array
from benchmarks.results import Rows, bootstrap_interval
from benchmarks.runs import Record
from benchmarks.tasks import TASKS


@dataclass(frozen=True)
class Reference:
    """What scores of a task are measured against.

    Attributes:
        evaluations: How many random evaluations `random` was found from.
        best: The least loss known.
        random: Expected loss of the best of 1, 2, ... random evaluations.
        scikit_learn: The version that it was found with.
    """

    evaluations: int
    best: float
    random: tuple[float, ...]
    scikit_learn: str

    def score(self, loss: float, evaluations: int) -> float:
        """Return 100 (r - loss) / (r - best), r the loss of so many random evaluations."""
        if not 1 <= evaluations <= len(self.random):
            raise ValueError(
                f"random search is known for 1 to {len(self.random)} evaluations, "
                f"got {evaluations}."
            )
        expected = self.random[evaluations - 1]
        return 100.0 * (expected - loss) / (expected - self.best)

    def with_runs(self, records: Iterable[Record]) -> Reference:
        """Return the reference with the best loss of runs, if that is less."""
        return replace(self, best=min([self.best, *(min(r["losses"]) for r in records)]))


def expected_best(observed: Array, true: Array, count: int) -> float:
    """Return the expected true loss of what looks best among `count` evaluations.

    The evaluations are drawn from N known ones without replacement: the one of rank i (from 0) is
    the best with probability C(N - 1 - i, count - 1) / C(N, count).

    Args:
        observed: Losses `(N,)` as the sampler is told; they decide what looks best.
        true: Losses `(N,)` without noise.
        count: At most N.
    """
    n = len(observed)
    left = n - np.arange(n - 1)  # how many are not better than rank i
    # The first is count / N; then the ratio of each to the one before.
    ratios = np.append(count / n, np.maximum(left - count, 0) / (left - 1))
    ranked = true[np.argsort(observed, kind="stable")]
    return float(np.cumprod(ratios) @ ranked)


def load_references(path: Path) -> dict[str, Reference]:
    """Return the references of a JSON file by task; none if there is no file."""
    if not path.exists():
        return {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {
        task: Reference(**fields | {"random": tuple(fields["random"])})
        for task, fields in stored.items()
    }


def save_references(path: Path, references: dict[str, Reference]) -> None:
    """Write references by task, one line each."""
    lines = [
        f"{json.dumps(task)}: {json.dumps(asdict(reference))}"
        for task, reference in sorted(references.items())
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def summary(
    records: Sequence[Record], references: dict[str, Reference], against: str = "tpe"
) -> Rows:
    """Return a table: a column per sampler, a row per task with its mean score, overall rows.

    A failed run ranks last and is left out of the other figures, which count it as failed.

    Args:
        records: Of runs.
        references: Of all their tasks.
        against: The sampler to count wins against.

    Raises:
        ValueError: When a task has no reference, or no run is of the sampler `against`.
    """
    samplers = list(dict.fromkeys(record["sampler"] for record in records))
    if against not in samplers:
        raise ValueError(f"the reference must be one of {samplers}, got {against!r}.")
    unknown = sorted({record["task"] for record in records} - set(references))
    if unknown:
        raise ValueError(f"no random search is known of {', '.join(unknown)}: run `baseline`.")
    blocks: dict[tuple[str, int, int, int], dict[str, float]] = {}
    for record in records:
        score = -np.inf
        if "error" not in record:
            reference = references[record["task"]]
            score = reference.score(record["final"], record["q"] * record["rounds"])
        block = record["task"], record["seed"], record["q"], record["rounds"]
        blocks.setdefault(block, {})[record["sampler"]] = score
    ranks = _mean_ranks(blocks.values(), samplers)
    samplers.sort(key=lambda name: ranks.get(name, 0.0))

    rows = [["mean score", *samplers]]
    tasks = [task for task in TASKS if any(block[0] == task for block in blocks)]
    for task in tasks:
        row = [f"{task}{_marks(task)}"]
        for sampler in samplers:
            of_task = [
                b[sampler] for (name, *_), b in blocks.items() if name == task and sampler in b
            ]
            row.append(_mean(of_task))
        rows.append(row)
    groups = {
        "all": set(tasks),
        "conditional": {task for task in tasks if TASKS[task].conditional},
        "others": {task for task in tasks if not TASKS[task].conditional},
    }
    for name, group in groups.items():
        chosen = [scores for block, scores in blocks.items() if block[0] in group]
        if chosen:
            rows += _overall(name, chosen, samplers, against)
    cpu = ["CPU s/point"]
    failed = ["failed"]
    for sampler in samplers:
        own = [record for record in records if record["sampler"] == sampler]
        seconds = [record["cpu_per_point"] for record in own if "error" not in record]
        cpu.append(f"{np.mean(seconds):.2g}" if seconds else "-")
        failed.append(str(len(own) - len(seconds)))
    return [*rows, cpu, failed]


def _overall(
    name: str, blocks: Sequence[dict[str, float]], samplers: Sequence[str], against: str
) -> Rows:
    """Return the rows of a group of tasks."""
    ranks = _mean_ranks(blocks, samplers)
    complete = sum(len(block) == len(samplers) for block in blocks)
    rows = [
        [f"{name}: mean score"],
        ["  median score"],
        [f"  mean rank ({complete} runs)"],
        [f"  won against {against}"],
        ["    95 % interval"],
        [f"  score less {against}'s"],
        ["    95 % interval"],
    ]
    for sampler in samplers:
        scores = [block[sampler] for block in blocks if np.isfinite(block.get(sampler, np.nan))]
        column = [_mean(scores), f"{np.median(scores):.0f}" if scores else "-"]
        column.append(f"{ranks[sampler]:.2f}" if ranks else "-")
        column += _against(blocks, sampler, against)
        for row, text in zip(rows, column, strict=True):
            row.append(text)
    return rows


def _against(blocks: Sequence[dict[str, float]], sampler: str, against: str) -> list[str]:
    """Return the share of pairs won and the mean gain in score, each with its interval."""
    pairs = np.array(
        [(b[sampler], b[against]) for b in blocks if sampler in b and against in b]
    ).reshape(-1, 2)
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    if sampler == against or not len(pairs):
        return ["-"] * 4
    gains = pairs[:, 0] - pairs[:, 1]
    won = (np.sign(gains) + 1) / 2  # a tie is half a win
    low, high = bootstrap_interval(won)
    least, most = bootstrap_interval(gains)
    return [
        f"{won.mean():.0%}",
        f"{low:.0%} .. {high:.0%}",
        f"{gains.mean():+.0f}",
        f"{least:+.0f} .. {most:+.0f}",
    ]


def _mean_ranks(blocks: Iterable[dict[str, float]], samplers: Sequence[str]) -> dict[str, float]:
    """Return mean ranks over the blocks that have all samplers; none if there are no such."""
    complete = [[-b[name] for name in samplers] for b in blocks if len(b) == len(samplers)]
    if not complete:
        return {}
    means = rankdata(complete, axis=1).mean(axis=0)
    return dict(zip(samplers, means.tolist(), strict=True))


def _mean(scores: Sequence[float]) -> str:
    finite = [score for score in scores if np.isfinite(score)]
    return f"{np.mean(finite):.0f}" if finite else "-"


def _marks(task: str) -> str:
    marks = [name for name in ("conditional", "noisy") if getattr(TASKS[task], name)]
    return f" ({', '.join(marks)})" if marks else ""
