"""The command line ``lattice-tools``: parse, call one function, write.

Numbers and points go to stdout or a file; the progress bar, summaries and errors go to stderr.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from lattice_tools import compare as tables
from lattice_tools._files import FORMATS, check_writable, encode, read_points, write_whole
from lattice_tools._search import Progress
from lattice_tools.build import METHODS, build, option_names
from lattice_tools.lattice import Rank1Lattice
from lattice_tools.paper import PAPER_DIMS, PAPER_METHODS, PAPER_POINTS

Command = TypeVar("Command", bound=Callable[..., None])

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)
_OUTPUT = click.Path(dir_okay=False, path_type=Path)
_POINTS = click.IntRange(min=2)
_COUNT = click.IntRange(min=1)
_SEED = click.IntRange(min=0)
_SECONDS = click.FloatRange(min=0, min_open=True)


def _example(*commands: str) -> str:
    """The end of a command's help; Click leaves its lines as they are."""
    return "\b\nExample:\n" + "\n".join(f"  lattice-tools {command}" for command in commands)


def _pair(context: click.Context, parameter: click.Parameter, text: str) -> tuple[int, int]:
    first, comma, second = text.partition(",")
    if not (comma and first.strip().isdecimal() and second.strip().isdecimal()):
        raise click.BadParameter(f"expected two numbers such as 1,2, got {text!r}.")
    return int(first), int(second)


def _version() -> str:
    try:
        return metadata.version("optuna-bkop")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _in_one_sentence(command: Command) -> Command:
    """Let a command end with one sentence where the library raises an error."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            raise  # Click ends quietly: whoever reads has had enough.
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{where}{error.strerror or error}.") from None
        except MemoryError:
            raise click.ClickException("There is not enough memory for this size.") from None
        except (ValueError, ImportError) as error:
            raise click.ClickException(str(error)) from None

    return wrapped  # type: ignore[return-value]


@contextmanager
def _progress_bar(label: str) -> Iterator[Progress | None]:
    """A bar on stderr while the body runs; nothing where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1000, label=label, file=sys.stderr) as bar:
        yield lambda share: bar.update(int(1000 * share) - bar.pos)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_example("build --method alg6 --points 1000 --dim 10 --output points.csv"),
)
@click.version_option(version=_version(), prog_name="lattice-tools")
def main() -> None:
    """Rank-1 lattices: build them, measure point sets, compare constructions, draw."""


@main.command(
    name="build",
    epilog=_example("build --method alg7 --points 100 --dim 2 --output points.csv"),
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="alg7",
    show_default=True,
    help="The construction.",
)
@click.option("--points", type=_POINTS, required=True, help="The number of points N.")
@click.option("--dim", type=_COUNT, required=True, help="The dimension d.")
@click.option("--output", "-o", type=_OUTPUT, help="A file; without it, standard output.")
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    help="By default that of the output's name, else csv.",
)
@click.option("--no-header", is_flag=True, help="Leave out the CSV's first line x1,...,xd.")
@click.option(
    "--shift",
    type=click.Choice(["none", "center", "random"]),
    default="none",
    show_default=True,
    help="center: by 1/(2N), from the edges of N equal intervals to their centres, so that no "
    "point lies on the border. random: by a uniform vector.",
)
@click.option("--seed", type=_SEED, help="Of random starts and of a random shift. [default: 0]")
@click.option("--primes", "n_primes", type=_COUNT, help="Of alg6, alg7: the paper's M.")
@click.option("--sweeps", "n_sweeps", type=_COUNT, help="Of scs, alg7: the paper's T.")
@click.option("--restarts", "n_restarts", type=_COUNT, help="Of scs, best: the number of starts.")
@click.option("--units-only", is_flag=True, help="Of scs: only units modulo N, as the paper.")
@click.option("--jobs", type=_COUNT, help="The number of processes. [default: 1]")
@click.option("--budget", type=_SECONDS, help="Seconds after which the best so far is taken.")
@_in_one_sentence
def build_command(
    method: str,
    points: int,
    dim: int,
    output: Path | None,
    format: str | None,
    no_header: bool,
    shift: str,
    seed: int | None,
    **given: Any,
) -> None:
    """Build a lattice and write its points."""
    if output is not None:
        check_writable(output)
    if format is None:
        suffix = "" if output is None else output.suffix[1:].lower()
        format = suffix if suffix in FORMATS else "csv"
    # Only what the user gave is passed on: the library knows what a method does not take.
    options = {name: value for name, value in given.items() if value}
    if seed is not None and (shift != "random" or "seed" in option_names(method)):
        options["seed"] = seed
    begun = time.perf_counter()
    with _progress_bar(method) as progress:
        if "progress" in option_names(method):
            options["progress"] = progress
        lattice = build(method, points, dim, **options)
    click.echo(_summary(method, lattice, time.perf_counter() - begun), err=True)
    parts = encode(format, lattice, _shift(shift, lattice, seed or 0), header=not no_header)
    if output is None:
        sys.stdout.buffer.writelines(parts)
        sys.stdout.buffer.flush()
    else:
        write_whole(output, parts)


def _shift(kind: str, lattice: Rank1Lattice, seed: int) -> np.ndarray | None:
    if kind == "center":
        return np.full(lattice.dim, 0.5 / lattice.n_points)
    return np.random.default_rng(seed).random(lattice.dim) if kind == "random" else None


def _summary(method: str, lattice: Rank1Lattice, seconds: float) -> str:
    return (
        f"{method}: N={lattice.n_points} d={lattice.dim} "
        f"base vector ({','.join(map(str, lattice.base_vector))}) "
        f"minimum distance {lattice.min_distance:.5f} in {seconds:.1f} s"
    )


@main.command(
    epilog=_example("build --method alg6 --points 100 --dim 2 | lattice-tools inspect -")
)
@click.argument("file", type=_FILE)
@click.option("--seed", type=_SEED, default=0, show_default=True, help="Of the other sets.")
@_in_one_sentence
def inspect(file: str, seed: int) -> None:
    """Measure the points in FILE (CSV, JSON or npy in [0, 1]; - is standard input).

    Separation, covering radius, mesh ratio and discrepancies, beside those of Sobol, Halton,
    Latin hypercube and random points of the same number.
    """
    from lattice_tools.report import report

    points = read_points(file)
    with _progress_bar("measuring") as progress:
        text = report(points, name=_name(file), seed=seed, progress=progress)
    click.echo(text)


@main.command(
    epilog=_example("compare --points 100 --points 200 --dim 2 --dim 5 --method korobov")
)
@click.option("--points", type=_POINTS, multiple=True, help="A number of points N. Repeatable.")
@click.option("--dim", "dims", type=_COUNT, multiple=True, help="A dimension d. Repeatable.")
@click.option(
    "--method",
    "methods",
    type=click.Choice(list(METHODS)),
    multiple=True,
    default=list(PAPER_METHODS),
    show_default=True,
    help="A row of the table. Repeatable.",
)
@click.option(
    "--paper",
    is_flag=True,
    help="The paper's Tables 1-3: its options, its fifteen cells unless others are given, and "
    "its values beside ours.",
)
@click.option("--jobs", type=_COUNT, default=1, show_default=True, help="Cells built at a time.")
@click.option("--budget", type=_SECONDS, help="Seconds per cell.")
@_in_one_sentence
def compare(
    points: tuple[int, ...],
    dims: tuple[int, ...],
    methods: tuple[str, ...],
    paper: bool,
    jobs: int,
    budget: float | None,
) -> None:
    """Compare constructions by the minimum distance of their points on the torus.

    With --paper each cell shows our value, a sign and the paper's value; the sign is < where
    ours is lower.
    """
    if paper:
        points, dims = points or PAPER_POINTS, dims or PAPER_DIMS
    if not (points and dims):
        raise click.UsageError("Give --points and --dim, or --paper.")
    options = {} if budget is None else {"budget": budget}
    cells = tables.cells_of(methods, points, dims, options, paper=paper)
    begun = time.perf_counter()
    with _progress_bar(f"{len(cells)} cells") as progress:
        measured = tables.measure(cells, jobs=jobs, progress=progress)
    click.echo(tables.table(measured, paper=paper))
    if paper:
        click.echo("\n" + tables.verdict(measured))
    click.echo(f"{len(cells)} cells in {time.perf_counter() - begun:.1f} s", err=True)


@main.command(
    epilog=_example(
        "build --method alg6 --points 100 --dim 2 --output points.csv",
        "plot points.csv --output points.png",
    )
)
@click.argument("file", type=_FILE)
@click.option(
    "--output", "-o", type=_OUTPUT, help="A png, pdf or svg file. [default: FILE's name with .png]"
)
@click.option(
    "--pair",
    default="1,2",
    show_default=True,
    callback=_pair,
    help="Which two coordinates, counted from 1.",
)
@click.option("--seed", type=_SEED, default=0, show_default=True, help="Of the random points.")
@_in_one_sentence
def plot(file: str, output: Path | None, pair: tuple[int, int], seed: int) -> None:
    """Draw two coordinates of the points in FILE, beside as many random points.

    Each point has a disc that reaches half of the way to its nearest neighbour.
    """
    from lattice_tools.plot import image, plot_points

    if output is None:
        output = Path("points.png") if file == "-" else Path(file).with_suffix(".png")
    check_writable(output)
    figure = plot_points(read_points(file), pair, name=f"points: {_name(file)}", seed=seed)
    write_whole(output, [image(figure, output.suffix[1:].lower())])
    click.echo(f"wrote {output}", err=True)


def _name(file: str) -> str:
    return "stdin" if file == "-" else Path(file).name
