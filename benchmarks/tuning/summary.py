"""Tables of scores: means per task, then ranks and wins over groups of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.harness.records import Record, failed
from benchmarks.harness.summary import (
    Block,
    Comparison,
    bootstrap_interval,
    compare,
    complete_blocks,
    cost_rows,
    mean_ranks,
    samplers_of,
)
from benchmarks.harness.tables import Rows
from benchmarks.tuning.references import Reference
from benchmarks.tuning.tasks import TASKS


def summary(
    records: Sequence[Record], references: Mapping[str, Reference], against: str = "tpe"
) -> Rows:
    """Return a table with a column per sampler: mean scores per task, then overall rows.

    A score is 0 for the loss that random search is expected to reach, and 100 for the smallest
    known loss. A failed run counts as last in ranks, and the row `failed` counts it. All other
    rows leave it out.

    Args:
        records: Records of runs.
        references: The reference of each task that the records have.
        against: The sampler that each other sampler is compared with.

    Raises:
        ValueError: When a task has no reference, or the sampler `against` has no run.
    """
    samplers = samplers_of(records)
    if against not in samplers:
        raise ValueError(f"the reference must be one of {samplers}, got {against!r}.")
    unknown = sorted({record["task"] for record in records} - set(references))
    if unknown:
        raise ValueError(
            f"there is no reference for {', '.join(unknown)}: run `baseline` to compute it."
        )
    # The loss of a block is the negative score.
    blocks: dict[tuple[str, int, int, int], dict[str, float]] = {}
    for record in records:
        loss = np.inf
        if not failed(record):
            reference = references[record["task"]]
            loss = -reference.score(record["final"], record["q"] * record["rounds"])
        block = record["task"], record["seed"], record["q"], record["rounds"]
        blocks.setdefault(block, {})[record["sampler"]] = loss
    ranks = mean_ranks(blocks.values(), samplers)
    samplers.sort(key=lambda name: ranks.get(name, 0.0))

    rows = [["mean score", *samplers]]
    tasks = [task for task in TASKS if any(block[0] == task for block in blocks)]
    for task in tasks:
        chosen = [losses for (name, *_), losses in blocks.items() if name == task]
        scores = [_scores(chosen, sampler) for sampler in samplers]
        rows.append([f"{task}{_marks(task)}", *map(_mean, scores)])
    groups = {
        "all": set(tasks),
        "conditional": {task for task in tasks if TASKS[task].conditional},
        "others": {task for task in tasks if not TASKS[task].conditional},
    }
    for name, group in groups.items():
        chosen = [losses for block, losses in blocks.items() if block[0] in group]
        if chosen:
            rows += _overall(name, chosen, samplers, against)
    return [*rows, *cost_rows(records, samplers)]


def _overall(name: str, blocks: Sequence[Block], samplers: Sequence[str], against: str) -> Rows:
    """Return the rows of a group of tasks: scores, ranks and the comparison with `against`."""
    ranks = mean_ranks(blocks, samplers)
    rows = [
        [f"{name}: mean score"],
        ["  median score"],
        [f"  mean rank ({len(complete_blocks(blocks, samplers))} runs)"],
        [f"  won against {against}"],
        ["    95 % interval"],
        [f"  score less {against}'s"],
        ["    95 % interval"],
    ]
    for sampler in samplers:
        scores = _scores(blocks, sampler)
        column = [_mean(scores), f"{np.median(scores):.0f}" if scores else "-"]
        column.append(f"{ranks[sampler]:.2f}" if ranks else "-")
        column += _gain_texts(compare(blocks, sampler, against))
        for row, text in zip(rows, column, strict=True):
            row.append(text)
    return rows


def _gain_texts(comparison: Comparison | None) -> list[str]:
    """Return the share of wins and the mean gain in score, each followed by its interval.

    A gain is the sampler's score minus that of the sampler it is compared with. Without a
    comparison all texts are "-".
    """
    if comparison is None:
        return ["-"] * 4
    low, high = bootstrap_interval(comparison.wins)
    least, most = bootstrap_interval(-comparison.differences)
    return [
        f"{comparison.wins.mean():.0%}",
        f"{low:.0%} .. {high:.0%}",
        f"{-comparison.mean:+.0f}",
        f"{least:+.0f} .. {most:+.0f}",
    ]


def _scores(blocks: Sequence[Block], sampler: str) -> list[float]:
    """Return the scores of a sampler's finished runs."""
    return [-b[sampler] for b in blocks if np.isfinite(b.get(sampler, np.inf))]


def _mean(scores: Sequence[float]) -> str:
    return f"{np.mean(scores):.0f}" if scores else "-"


def _marks(task: str) -> str:
    marks = [name for name in ("conditional", "noisy") if getattr(TASKS[task], name)]
    return f" ({', '.join(marks)})" if marks else ""
