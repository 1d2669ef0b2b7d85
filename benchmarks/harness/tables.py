"""Tables as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import Any

import click

#: Rows of equally many texts; the first row is the header.
Rows = list[list[str]]


def rows_of(outcomes: Sequence[Any]) -> Rows:
    """Return the table of at least one instance of a dataclass: a row each, a column per field."""
    names = [field.name for field in fields(outcomes[0])]
    return [names, *([str(value) for value in astuple(row)] for row in outcomes)]


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


def show(rows: Rows, as_markdown: bool = False) -> None:
    """Print a table, in Markdown or as aligned text."""
    click.echo(markdown(rows) if as_markdown else aligned(rows))
