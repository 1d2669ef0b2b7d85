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

    Of a problem with known minimum it is the regret, at least `FLOOR` times the minimum.
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
    names = list(dict.fromkeys(record["problem"] for record in records))
    reached = {
        (name, sampler): np.array(
            [best_of(r) for r in records if (r["problem"], r["sampler"]) == (name, sampler)]
        )
        for name in names
        for sampler in samplers
    }
    centre = {key: _centre(*key, values) for key, values in reached.items()}
    rows = [["problem", *samplers, "runs"]]
    for name in names:
        runs = [len(reached[name, sampler]) for sampler in samplers]
        texts = [_text(name, reached[name, s], centre[name, s]) for s in samplers]
        rows.append([name, *texts, "/".join(map(str, runs))])
    rows.append([f"ahead of {reference}"])
    for sampler in samplers:
        pairs = [(centre[name, sampler], centre[name, reference]) for name in names]
        pairs = [(a, b) for a, b in pairs if a is not None and b is not None]
        ahead = sum(float(f"{a:.6g}") < float(f"{b:.6g}") for a, b in pairs)
        level = sum(f"{a:.6g}" == f"{b:.6g}" for a, b in pairs)
        is_reference = sampler == reference
        rows[-1].append("-" if is_reference else f"{ahead} of {len(pairs)}, {level} level")
    return [
        *(row + [""] * (len(rows[0]) - len(row)) for row in rows),
        *([*row, ""] for row in cost_rows(records, samplers)),
    ]


def _centre(name: str, sampler: str, values: np.ndarray) -> float | None:
    """Return the mean of values `(n,)` on bits, the median under constraints; None if n is 0."""
    if not len(values):
        return None
    return float(values.mean() if name in BITS else np.median(values))


def _text(name: str, values: np.ndarray, centre: float | None) -> str:
    if centre is None:
        return "-"
    n_feasible = int(np.isfinite(values).sum())
    shown = "none" if not np.isfinite(centre) else f"{-centre if name in BITS else centre:.4g}"
    return shown if n_feasible == len(values) else f"{shown} ({n_feasible} of {len(values)})"
