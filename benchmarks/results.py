"""Records of runs: reading them, pairing them by problem and seed, and tables of what they say."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import astuple, fields, replace
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from benchmarks.functions import Array
from benchmarks.runs import Cell, Record

# Below this, regret says more of rounding than of the sampler; it also keeps logarithms finite.
FLOOR = 1e-9
RESAMPLES = 10_000

Rows = list[list[str]]


def load(paths: Iterable[Path], key: Callable[[Record], Hashable] | None = None) -> list[Record]:
    """Return the records of JSONL files; of runs that were repeated, the last.

    A last line without its end is still being written and is left out.

    Args:
        paths: The files.
        key: Returns what identifies the run of a record; `cell_of` unless given.
    """
    key = cell_of if key is None else key
    records: dict[Hashable, Record] = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n") and line.strip():
                record = json.loads(line)
                records[key(record)] = record
    return list(records.values())


def drop_unfinished_line(path: Path) -> None:
    """Cut off what an interrupted run left behind the last end of line of a file, if it exists."""
    if path.exists():
        data = path.read_bytes()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            path.write_bytes(data[:end])


def cell_of(record: Record) -> Cell:
    """Return what identifies the run of a record."""
    return Cell(**{field.name: record[field.name] for field in fields(Cell)})


def settings_of(record: Record) -> Cell:
    """Return the cell of a record without its sampler and seed: what a panel or row is about."""
    return replace(cell_of(record), sampler="", seed=0)


def labels(settings: Sequence[Cell]) -> dict[Cell, str]:
    """Return short names: the function, the rounds or workers, and all else that varies."""
    distinct = list(dict.fromkeys(settings))
    varying = [
        field.name
        for field in fields(Cell)
        if field.name not in ("function", "q", "workers", "dim")
        and len({getattr(cell, field.name) for cell in distinct}) > 1
    ]
    # Functions of fixed dimension do not make the dimension vary.
    if any(len({c.dim for c in distinct if c.function == d.function}) > 1 for d in distinct):
        varying.append("dim")
    names = {}
    for cell in distinct:
        rhythm = f"workers={cell.workers}" if cell.workers else f"q={cell.q}"
        rest = [f"{name}={getattr(cell, name)}" for name in varying]
        names[cell] = " ".join([cell.function, rhythm, *rest])
    return names


def log_final(record: Record) -> float:
    """Return the logarithm of the final regret, floored; infinity for a failed run."""
    return float(np.log(max(record["final"], FLOOR))) if "final" in record else np.inf


def bootstrap_interval(values: Array) -> tuple[float, float]:
    """Return a 95 % percentile interval of the mean of values `(n,)`."""
    rng = np.random.default_rng(0)
    means = values[rng.integers(len(values), size=(RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def summary(records: Sequence[Record], reference: str) -> Rows:
    """Return a table: a column per sampler, a row per cell with median regret, then overall rows.

    A failed run ranks last and is left out of the other figures, which count it as failed.

    Raises:
        ValueError: When no finished run is of the reference.
    """
    finished = [record for record in records if "error" not in record]
    samplers = list(dict.fromkeys(record["sampler"] for record in records))
    if reference not in {record["sampler"] for record in finished}:
        raise ValueError(f"the reference must be one of {samplers}, got {reference!r}.")
    blocks: dict[Cell, dict[str, Record]] = {}
    for record in records:
        blocks.setdefault(replace(cell_of(record), sampler=""), {})[record["sampler"]] = record
    complete = [block for block in blocks.values() if len(block) == len(samplers)]
    ranks = _mean_ranks(complete, samplers)
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
    overall = [
        [f"mean rank ({len(complete)} runs)"],
        [f"ratio to {reference}"],
        ["  95 % interval"],
        [f"  won against {reference}"],
        ["  pairs"],
        ["CPU s/point"],
        ["failed"],
    ]
    for sampler in samplers:
        column = [f"{ranks[sampler]:.2f}" if ranks else "-"]
        column += _against(blocks.values(), sampler, reference)
        cpu = [record["cpu_per_point"] for record in finished if record["sampler"] == sampler]
        column.append(f"{np.mean(cpu):.2g}" if cpu else "-")
        column.append(str(sum(r["sampler"] == sampler and "error" in r for r in records)))
        for row, text in zip(overall, column, strict=True):
            row.append(text)
    return rows + overall


def _mean_ranks(blocks: Sequence[dict[str, Record]], samplers: Sequence[str]) -> dict[str, float]:
    if not blocks:
        return {}
    finals = np.array([[log_final(block[name]) for name in samplers] for block in blocks])
    means = rankdata(finals, axis=1).mean(axis=0)
    return dict(zip(samplers, means.tolist(), strict=True))


def _against(blocks: Iterable[dict[str, Record]], sampler: str, reference: str) -> list[str]:
    """Return the ratio, its interval, the share of pairs won and the number of pairs."""
    logs = np.array(
        [
            log_final(block[sampler]) - log_final(block[reference])
            for block in blocks
            if "final" in block.get(sampler, {}) and "final" in block.get(reference, {})
        ]
    )
    if sampler == reference or not len(logs):
        return ["1" if sampler == reference else "-", "-", "-", str(len(logs))]
    low, high = np.exp(bootstrap_interval(logs))
    won = np.mean(logs < 0) + np.mean(logs == 0) / 2  # a tie is half a win
    ratio = np.exp(logs.mean())
    return [f"{ratio:.3g}", f"{low:.3g} .. {high:.3g}", f"{won:.0%}", str(len(logs))]


def aligned(rows: Rows) -> str:
    """Return a table as text, the first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *rest in rows:
        cells = [text.rjust(width) for text, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    return "\n".join(lines)


def markdown(rows: Rows) -> str:
    """Return a table in Markdown."""
    header, *body = (f"| {' | '.join(text.strip() for text in row)} |" for row in rows)
    return "\n".join([header, "|---" + "|---:" * (len(rows[0]) - 1) + "|", *body])
