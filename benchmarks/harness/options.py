"""Command-line options that several benchmarks have, and their checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from benchmarks.harness import samplers as peers

FILE = click.Path(dir_okay=False, path_type=Path)
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
SAMPLERS_HELP = (
    f"A name ({', '.join(peers.PEERS)}) or module:callable?key=value&key=value. Repeatable."
)

Command = TypeVar("Command", bound=Callable[..., Any])


def parse_seeds(text: str) -> list[int]:
    """Return the seeds that ranges and lists such as `0-9,20` name, in increasing order."""
    seeds: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
            raise click.BadParameter(f"expected ranges and numbers such as 0-9,20, got {text!r}.")
        seeds.update(range(int(first), int(last) + 1))
    return sorted(seeds)


def available(samplers: Iterable[str]) -> list[str]:
    """Return the samplers that can be imported.

    A name of `PEERS` whose packages are missing is left out with a line on stderr.

    Raises:
        click.ClickException: When a description does not lead to a callable.
    """
    found = []
    for sampler in samplers:
        try:
            peers.load(peers.describe(sampler))
        except peers.SamplerError as error:
            if sampler not in peers.PEERS:
                raise click.ClickException(f"--sampler {sampler}: {error}") from error
            click.echo(f"{sampler} is left out: {error}", err=True)
        else:
            found.append(sampler)
    return found


def samplers_option(*default: str) -> Callable[[Command], Command]:
    """Return the option `--sampler`, passed as `samplers`; required if there is no default."""
    return click.option(
        "--sampler",
        "samplers",
        multiple=True,
        required=not default,
        default=default or None,
        show_default=bool(default),
        help=SAMPLERS_HELP,
    )


def number_option(
    name: str,
    default: int | Sequence[int],
    text: str,
    *,
    argument: str | None = None,
    least: int = 1,
) -> Callable[[Command], Command]:
    """Return an option for an integer.

    Args:
        name: Name of the option, such as `--dim`.
        default: The default. If it is a sequence, the option is repeatable.
        text: Help text.
        argument: Name of the function's argument, if it differs from that of the option.
        least: Smallest value that is allowed.
    """
    is_repeatable = isinstance(default, Sequence)
    return click.option(
        *([name] if argument is None else [name, argument]),
        type=click.IntRange(least),
        default=default,
        show_default=True,
        multiple=is_repeatable,
        help=f"{text} Repeatable." if is_repeatable else text,
    )


output_option = click.option(
    "--output",
    type=FILE,
    required=True,
    help="JSONL file for the records. If it exists, only missing runs are made.",
)
markdown_option = click.option("--markdown", is_flag=True, help="Print Markdown.")
files_argument = click.argument("files", nargs=-1, required=True, type=EXISTING_FILE)
reference_option = click.option(
    "--reference", default="tpe", show_default=True, help="Sampler to compare the others with."
)


def run_options(command: Command) -> Command:
    """Add the options of a resumable run: `seeds`, `output`, `retry_failed` and `jobs`."""
    for option in (
        number_option("--jobs", 1, "Number of processes."),
        click.option(
            "--retry-failed", is_flag=True, help="Repeat the runs that ended in an error."
        ),
        output_option,
        click.option(
            "--seeds",
            type=parse_seeds,
            metavar="0-9,20",
            default="0-9",
            show_default=True,
            help="Ranges and numbers. A seed determines the problem and seeds the sampler.",
        ),
    ):
        command = option(command)
    return command
