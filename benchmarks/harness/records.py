"""Records of runs in JSONL files: one line per run, appended as runs finish.

A cell is all that identifies a run: the sampler, the problem, the sizes and the seed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

#: A record holds the fields of its cell, then either results or `error` and `traceback`, then
#: the `versions` of the packages used.
Record = dict[str, Any]

CellT = TypeVar("CellT", bound="Cell")


@dataclass(frozen=True)
class Cell:
    """All that identifies a run. Each benchmark adds fields, which its records have as well.

    Attributes:
        sampler: A name or description that `benchmarks.harness.samplers` understands.
    """

    sampler: str

    @classmethod
    def of(cls: type[CellT], record: Record) -> CellT:
        """Return the cell of the run that produced a record."""
        return cls(**{field.name: record[field.name] for field in fields(cls)})


def failed(record: Record) -> bool:
    """Return whether the run of a record ended in an error."""
    return "error" in record


def load(paths: Iterable[Path], key: Callable[[Record], Hashable]) -> list[Record]:
    """Return the records of JSONL files. Of a run that was repeated, only the last one counts.

    A last line without a line break is left out, because it is still being written.

    Args:
        paths: The files.
        key: Returns what identifies the run of a record, such as `Cell.of`.
    """
    records: dict[Hashable, Record] = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n") and line.strip():
                record = json.loads(line)
                records[key(record)] = record
    return list(records.values())


def drop_unfinished_line(path: Path) -> None:
    """Remove what an interrupted run left after the last line break of a file, if it exists."""
    if path.exists():
        data = path.read_bytes()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            path.write_bytes(data[:end])
