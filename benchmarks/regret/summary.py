"""Tables of regret: medians per problem, then ranks and ratios over all problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields, replace

import numpy as np

from benchmarks.harness.records import Record, failed
from benchmarks.harness.summary import (
    Block,
    Comparison,
    compare,
    complete_blocks,
    cost_rows,
    mean_ranks,
    samplers_of,
)
from benchmarks.harness.tables import Rows
from benchmarks.regret import bbob
from benchmarks.regret.runs import RegretCell

#: Smaller regret counts as this much. Below it, regret depends on rounding rather than on the
#: sampler; and logarithms stay finite.
FLOOR = 1e-9


def settings_of(record: Record) -> RegretCell:
    """Return the cell of a record without sampler and seed, which one row or panel shows."""
    return replace(RegretCell.of(record), sampler="", seed=0)


def labels(settings: Sequence[RegretCell]) -> dict[RegretCell, str]:
    """Return a short label per setting: the function, the round size, and all else that varies."""
    distinct = list(dict.fromkeys(settings))
    varying = [
        field.name
        for field in fields(RegretCell)
        if field.name not in ("function", "q", "workers", "dim")
        and len({getattr(cell, field.name) for cell in distinct}) > 1
    ]
    # The dimension varies only if it does so for one function: some have a fixed one.
    if any(len({c.dim for c in distinct if c.function == d.function}) > 1 for d in distinct):
        varying.append("dim")
    names = {}
    for cell in distinct:
        rhythm = f"workers={cell.workers}" if cell.workers else f"q={cell.q}"
        rest = [f"{name}={getattr(cell, name)}" for name in varying]
        names[cell] = " ".join([cell.function, rhythm, *rest])
    return names


def log_final(record: Record) -> float:
    """Return the logarithm of the final regret, at least that of `FLOOR`; infinity if failed."""
    return np.inf if failed(record) else float(np.log(max(record["final"], FLOOR)))


def summary(records: Sequence[Record], reference: str) -> Rows:
    """Return a table with a column per sampler: median regret per setting, then overall rows.

    Runs on BBOB have the overall rows of each group of the suite's functions as well. A failed
    run ranks last. The row `failed` counts it, and the other rows leave it out.

    Raises:
        ValueError: When the reference has no finished run.
    """
    finished = [record for record in records if not failed(record)]
    samplers = samplers_of(records)
    if reference not in samplers_of(finished):
        raise ValueError(f"the reference must be one of {samplers}, got {reference!r}.")
    blocks: dict[RegretCell, dict[str, float]] = {}
    for record in records:
        block = blocks.setdefault(replace(RegretCell.of(record), sampler=""), {})
        block[record["sampler"]] = log_final(record)
    ranks = mean_ranks(blocks.values(), samplers)
    samplers.sort(key=lambda name: ranks.get(name, 0.0))

    names = labels([settings_of(record) for record in finished])
    rows = [["median regret", *samplers]]
    for settings in sorted(names, key=astuple):
        row = [names[settings]]
        for sampler in samplers:
            final = [
                record["final"]
                for record in finished
                if record["sampler"] == sampler and settings_of(record) == settings
            ]
            row.append(f"{np.median(final):.3g}" if final else "-")
        rows.append(row)
    rows += _overall(list(blocks.values()), samplers, reference)
    for name, functions in bbob.GROUPS.items():
        group = [block for cell, block in blocks.items() if cell.function in functions]
        if group:
            rows += [[name] + [""] * len(samplers), *_overall(group, samplers, reference)]
    return [*rows, *cost_rows(records, samplers)]


def _overall(blocks: Sequence[Block], samplers: Sequence[str], reference: str) -> Rows:
    """Return rows with mean ranks and the comparisons with the reference over some blocks."""
    ranks = mean_ranks(blocks, samplers)
    rows = [
        [f"mean rank ({len(complete_blocks(blocks, samplers))} runs)"],
        [f"ratio to {reference}"],
        ["  95 % interval"],
        [f"  won against {reference}"],
        ["  pairs"],
    ]
    for sampler in samplers:
        column = [f"{ranks[sampler]:.2f}" if ranks else "-"]
        if sampler == reference:
            n_finished = sum(np.isfinite(block.get(sampler, np.inf)) for block in blocks)
            column += ["1", "-", "-", str(n_finished)]
        else:
            column += _ratio_texts(compare(blocks, sampler, reference))
        for row, text in zip(rows, column, strict=True):
            row.append(text)
    return rows


def _ratio_texts(comparison: Comparison | None) -> list[str]:
    """Return the geometric mean ratio, its interval, the share of wins and the pairs."""
    if comparison is None:
        return ["-", "-", "-", "0"]
    low, high = np.exp(comparison.interval)
    return [
        f"{np.exp(comparison.mean):.3g}",
        f"{low:.3g} .. {high:.3g}",
        f"{comparison.wins.mean():.0%}",
        str(comparison.n_pairs),
    ]
