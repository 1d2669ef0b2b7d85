"""Tables of gaps: medians per problem, then one sampler against each of the others.

The gap of a run is one minus its share of the reference hypervolume. Runs are of the same kind if
they have the same pace (trials per round), the same numbers of initial and further evaluations and
the same noise; each kind has its own tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.harness.records import Record, failed
from benchmarks.harness.summary import (
    Block,
    compare,
    complete_blocks,
    cost_rows,
    mean_ranks,
    samplers_of,
)
from benchmarks.harness.tables import Rows
from benchmarks.objectives.catalogue import PROBLEMS
from benchmarks.objectives.references import Reference, reference_for
from benchmarks.objectives.runs import ObjectivesCell


@dataclass(frozen=True)
class Table:
    """A table with a title.

    Attributes:
        title: The kind of the runs, and ": pairs" in tables of pairs.
        rows: Rows of equally many texts; the first row is the header.
    """

    title: str
    rows: Rows


def values_of(record: Record) -> Array:
    """Return the values `(n, m)` of a run's entrants: trials that were on the front when told."""
    return np.array([row[1:] for row in record["entrants"]], dtype=float)


def gap_of(record: Record, references: Mapping[str, Reference]) -> float:
    """Return the gap of a finished run; 1 if no trial was feasible.

    The gap is one minus the run's share of the reference hypervolume, so that less is better.
    """
    if not record["entrants"]:
        return 1.0
    return reference_for(references, record["problem"]).gap(values_of(record))


def rhythm_of(record: Record) -> str:
    """Return the kind of a run as a text: pace, numbers of evaluations, and noise if any."""
    pace = f"rounds of {record['q']}" if record["q"] > 1 else "one at a time"
    noise = f", noise {record['noise']:g}" if record["noise"] else ""
    return f"{pace}, {record['startup']} + {record['evaluations']} evaluations{noise}"


def summary(
    records: Sequence[Record], references: Mapping[str, Reference], ours: str
) -> list[Table]:
    """Return two tables for each kind of run: gaps per problem, then pairs of samplers.

    The first table has the median gap of each sampler per problem, mean ranks and costs. The
    second one has a row for each other sampler, and for each number of objectives: the geometric
    mean of the ratio of our gap to the other's (below 1, ours is better), with an interval, and
    the share of runs in which our gap is smaller, a tie being half a run. A failed run counts as
    last in ranks, and the row `failed` counts it. All other rows leave it out.

    Args:
        records: Records of runs.
        references: The reference of each problem.
        ours: The sampler that is compared with each other sampler.

    Raises:
        ValueError: When `ours` has no run, or a problem no reference.
    """
    samplers = samplers_of(records)
    if ours not in samplers:
        raise ValueError(f"the sampler to compare must be one of {samplers}, got {ours!r}.")
    tables = []
    for rhythm in dict.fromkeys(rhythm_of(record) for record in records):
        chosen = [record for record in records if rhythm_of(record) == rhythm]
        tables += _tables(rhythm, chosen, references, ours)
    return tables


def _tables(
    rhythm: str, records: Sequence[Record], references: Mapping[str, Reference], ours: str
) -> list[Table]:
    blocks: dict[ObjectivesCell, dict[str, float]] = {}  # block -> sampler -> log gap
    for record in records:
        block = blocks.setdefault(replace(ObjectivesCell.of(record), sampler=""), {})
        gap = np.inf if failed(record) else gap_of(record, references)
        block[record["sampler"]] = float(np.log(gap))
    samplers = samplers_of(records)
    ranks = mean_ranks(blocks.values(), samplers)
    samplers.sort(key=lambda name: (name != ours, ranks.get(name, 0.0)))

    others = [sampler for sampler in samplers if sampler != ours]
    rows = [["median gap", *samplers, f"{ours} / best", "best"]]
    for problem in PROBLEMS:
        own = [block for cell, block in blocks.items() if cell.problem == problem]
        if own:
            rows.append([problem, *(_median(own, name) for name in samplers), *_worst(own, ours)])
    n_ranked = len(complete_blocks(blocks.values(), samplers))
    ranked = [f"{ranks[name]:.2f}" if ranks else "-" for name in samplers]
    rows.append([f"mean rank ({n_ranked} runs)", *ranked, "", ""])
    rows += [[*row, "", ""] for row in cost_rows(records, samplers)]

    pairs = [[f"{ours} against", "gap ratio", "95 % interval", "won", "pairs"]]
    groups = _by_objectives(blocks, references)
    for other in others:
        for label, group in groups.items():
            comparison = compare(group, ours, other)
            if comparison is not None:
                low, high = np.exp(comparison.interval)
                pairs.append(
                    [
                        other if not label else f"  {label}",
                        f"{np.exp(comparison.mean):.3g}",
                        f"{low:.3g} .. {high:.3g}",
                        f"{comparison.wins.mean():.0%}",
                        str(comparison.n_pairs),
                    ]
                )
    return [Table(rhythm, rows), Table(f"{rhythm}: pairs", pairs)]


def _by_objectives(
    blocks: Mapping[ObjectivesCell, Block], references: Mapping[str, Reference]
) -> dict[str, list[Block]]:
    """Return all blocks under an empty label, and the blocks with m objectives under "m = ..."."""
    groups: dict[str, list[Block]] = {"": list(blocks.values())}
    for cell, block in sorted(blocks.items(), key=lambda item: item[0].problem):
        m = len(reference_for(references, cell.problem).point)
        groups.setdefault(f"m = {m}", []).append(block)
    return dict(sorted(groups.items()))


def _median(blocks: Sequence[Block], sampler: str) -> str:
    gaps = [np.exp(b[sampler]) for b in blocks if np.isfinite(b.get(sampler, np.inf))]
    return f"{np.median(gaps):.3g}" if gaps else "-"


def _worst(blocks: Sequence[Block], ours: str) -> list[str]:
    """Return our largest gap ratio to another sampler, over common seeds, and its name.

    Both are "-" if there is none.
    """
    names = dict.fromkeys(name for block in blocks for name in block)
    compared = {name: compare(blocks, ours, name) for name in names}
    ratios = {name: float(np.exp(found.mean)) for name, found in compared.items() if found}
    if not ratios:
        return ["-", "-"]
    best = max(ratios, key=lambda name: ratios[name])
    return [f"{ratios[best]:.2f}", best]
