"""Tables of best values per problem, and of who is ahead on how many problems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.guards.catalogue import BITS, CONSTRAINED, PROBLEMS
from benchmarks.guards.constrained import MINIMA
from benchmarks.guards.runs import GuardCell
from benchmarks.harness.records import Record, failed
from benchmarks.harness.summary import cost_rows, samplers_of
from benchmarks.harness.tables import Rows

#: Regret below this share of the least value is rounding, not the sampler's.
FLOOR = 1e-6


def best_of(record: Record) -> float:
    """Return what a run has reached, smaller is better; infinity without a feasible trial.

    If the minimum is known, it is the regret, at least `FLOOR` times the minimum.
    """
    if failed(record) or not record["improvements"]:
        return np.inf
    best = float(record["improvements"][-1][1])
    minimum = MINIMA.get(record["problem"])
    return best if minimum is None else max(best - minimum, FLOOR * abs(minimum))


def summary(records: Sequence[Record], reference: str) -> dict[str, Rows]:
    """Return a table for each set of problems and pace, by its title.

    Raises:
        ValueError: When the reference has no run.
    """
    samplers = samplers_of(records)
    if reference not in samplers:
        raise ValueError(f"the reference must be one of {samplers}, got {reference!r}.")
    groups: dict[str, list[Record]] = {}
    for record in sorted(records, key=lambda record: PROBLEMS.index(record["problem"])):
        groups.setdefault(_title(record), []).append(record)
    return {title: _table(own, samplers, reference) for title, own in groups.items()}


def _title(record: Record) -> str:
    cell = GuardCell.of(record)
    pace = f"rounds of {cell.q}, {cell.startup} + {cell.evaluations} evaluations"
    if cell.problem in BITS:
        return f"mean best value, bits as {BITS[cell.problem][1]} parameters, {pace}"
    kind = "reported" if cell.problem in CONSTRAINED else "development"
    return f"median regret under constraints, {kind}, {pace}"


def _table(records: Sequence[Record], samplers: Sequence[str], reference: str) -> Rows:
    reached: dict[str, dict[str, dict[int, float]]] = {}  # problem -> sampler -> seed -> loss
    for record in records:
        runs = reached.setdefault(record["problem"], {}).setdefault(record["sampler"], {})
        runs[record["seed"]] = best_of(record)
    rows = [["problem", *samplers, "runs"]]
    for name, own in reached.items():
        losses = [list(own.get(sampler, {}).values()) for sampler in samplers]
        rows.append(
            [name, *(_text(name, runs) for runs in losses), "/".join(str(len(x)) for x in losses)]
        )
    rows.append([f"ahead of {reference}"])
    for sampler in samplers:
        pairs = []
        for name, own in reached.items():
            mine, theirs = own.get(sampler, {}), own.get(reference, {})
            common = mine.keys() & theirs.keys()
            if common:
                both = (_centre(name, [runs[seed] for seed in common]) for runs in (mine, theirs))
                pairs.append([float(f"{centre:.6g}") for centre in both])
        ahead, level = sum(a < b for a, b in pairs), sum(a == b for a, b in pairs)
        is_reference = sampler == reference
        rows[-1].append("-" if is_reference else f"{ahead} of {len(pairs)}, {level} level")
    rows[-1].append("")
    return [*rows, *([*row, ""] for row in cost_rows(records, samplers))]


def _centre(problem: str, losses: Sequence[float]) -> float:
    """Return the mean of losses on bits, and their median under constraints."""
    return float(np.mean(losses) if problem in BITS else np.median(losses))


def _text(problem: str, losses: Sequence[float]) -> str:
    if not losses:
        return "-"
    centre, n_feasible = _centre(problem, losses), int(np.isfinite(losses).sum())
    shown = f"{-centre if problem in BITS else centre:.4g}" if np.isfinite(centre) else "none"
    return shown if n_feasible == len(losses) else f"{shown} ({n_feasible} of {len(losses)})"
