"""Parts that all commands of ``lattice-tools`` share: option types, errors, progress, Ctrl-C."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from lattice_tools._interrupt import Flag, keep_best_on_interrupt
from lattice_tools._search import Progress

Command = TypeVar("Command", bound=Callable[..., None])

FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)
OUTPUT = click.Path(dir_okay=False, path_type=Path)
POINTS = click.IntRange(min=2)
COUNT = click.IntRange(min=1)
SEED = click.IntRange(min=0)
POSITIVE = click.FloatRange(min=0, min_open=True)

#: The exit code of a command that Ctrl-C has ended: 128 plus the number of SIGINT.
INTERRUPTED = 130

#: Options of the library that the command line spells otherwise.
_SPELLINGS = {"n_points": "--points", "dim": "--dim", "use_records": "--no-records"}


def example(*commands: str) -> str:
    """Return the end of a command's help, with examples; Click leaves its lines as they are."""
    return "\b\nExample:\n" + "\n".join(f"  lattice-tools {command}" for command in commands)


def in_one_sentence(command: Command) -> Command:
    """Let a command end with one sentence where the library raises an error."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            raise  # Click ends quietly: the reader of the pipe has stopped reading.
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{where}{error.strerror or error}.") from None
        except MemoryError:
            raise click.ClickException("There is not enough memory for this size.") from None
        except (ValueError, ImportError) as error:
            raise click.ClickException(_with_flags(str(error))) from None

    return wrapped  # type: ignore[return-value]


def _with_flags(message: str) -> str:
    """Replace names of arguments in an error message by the command's flags (`dim` by --dim)."""
    parameters = click.get_current_context().command.params
    flags = {p.name: p.opts[0] for p in parameters if isinstance(p, click.Option)} | _SPELLINGS
    # The library names options in backticks; the progress callback has no flag.
    message = re.sub(r"(, )?`progress`", "", message)
    return re.sub(r"`(\w+)`", lambda match: flags.get(match[1], match[0]), message)


@contextmanager
def progress_bar(label: str) -> Iterator[Progress | None]:
    """A bar on stderr while the body runs; nothing where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1000, label=label, file=sys.stderr) as bar:
        yield lambda share: bar.update(int(1000 * share) - bar.pos)


@contextmanager
def interruptible() -> Iterator[Flag]:
    """Let the first Ctrl-C end the searches in the body; then exit with code 130.

    Yields a flag whose ``value`` is 1 after Ctrl-C. The body writes the best result so far and
    calls `echo_interrupted` to say so.
    """
    with keep_best_on_interrupt(warn=False) as flag:
        yield flag
    if flag.value:
        sys.exit(INTERRUPTED)


def echo_interrupted(flag: Flag, what: str) -> None:
    """If Ctrl-C was pressed, say so on stderr, followed by the text ``what``."""
    if flag.value:
        click.echo(f"Interrupted: {what}", err=True)


def name_of(file: str) -> str:
    """A file's name without its folders; "stdin" for "-"."""
    return "stdin" if file == "-" else Path(file).name
