"""The command line ``lattice-tools``: parse, call one function, write.

Numbers and points go to stdout or a file; the progress bar, summaries and errors go to stderr.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click
import numpy as np

from lattice_tools._command import (
    COUNT,
    FILE,
    OUTPUT,
    POINTS,
    POSITIVE,
    SEED,
    echo_interrupted,
    example,
    in_one_sentence,
    interruptible,
    name_of,
    progress_bar,
)
from lattice_tools._files import FORMATS, check_writable, encode, read_points, write_whole
from lattice_tools._primes import nearest_prime
from lattice_tools._table_commands import compare, records_command
from lattice_tools._version import __version__
from lattice_tools.build import METHODS, build, option_names
from lattice_tools.lattice import Rank1Lattice
from lattice_tools.limit import fraction_of_limit

#: Click leaves the lines after \b as they are.
_METHODS_HELP = """\b
Methods:
  best      the catalogue's record, or the widest lattice that several searches find
  alg7      the paper's Algorithm 7: alg6's vectors, improved component by component
  alg6      the paper's Algorithm 6: the best of some thousand vectors of cosines
  korobov   the best vector of powers (1, a, a^2, ...)
  scs       random vectors, improved component by component
  subgroup  a formula without a search, for primes N with 2d dividing N - 1
  exact     the widest of all, with a proof; for small sizes

"""


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example("build --method alg6 --points 1000 --dim 10 --output points.csv"),
)
@click.version_option(version=__version__, prog_name="lattice-tools")
def main() -> None:
    """Rank-1 lattices: build them, measure point sets, compare constructions, draw."""


main.add_command(compare)
main.add_command(records_command)


@main.command(
    name="build",
    epilog=_METHODS_HELP + example("build --method alg7 --points 100 --dim 2 --output points.csv"),
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="alg7",
    show_default=True,
    help="The construction.",
)
@click.option("--points", type=POINTS, required=True, help="The number of points N.")
@click.option("--dim", type=COUNT, required=True, help="The dimension d.")
@click.option("--output", "-o", type=OUTPUT, help="Output file. [default: standard output]")
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    help="Format of the output; vector writes only the base vector. [default: the suffix of the "
    "output's name, or csv]",
)
@click.option("--no-header", is_flag=True, help="Leave out the CSV's first line x1,...,xd.")
@click.option(
    "--shift",
    type=click.Choice(["none", "center", "random"]),
    default="none",
    show_default=True,
    help="Vector that is added to all points. center: 1/(2N), which moves points from the edges "
    "of N equal intervals to their centres. random: a uniform vector.",
)
@click.option(
    "--seed", type=SEED, help="Seed of random starts and of a random shift. [default: 0]"
)
@click.option(
    "--primes",
    "n_primes",
    type=COUNT,
    help="Number of primes that alg6 and alg7 try (the paper's M). [default: 50]",
)
@click.option(
    "--sweeps",
    "n_sweeps",
    type=COUNT,
    help="Largest number of passes over the components in scs and alg7 (the paper's T). "
    "[default: 150 and 3]",
)
@click.option(
    "--restarts", "n_restarts", type=COUNT, help="Number of random starts, for scs. [default: 10]"
)
@click.option(
    "--effort",
    type=POSITIVE,
    help="For best, multiple of the default amount of work, which takes seconds to three minutes. "
    "[default: 1, or none for a size in the catalogue]",
)
@click.option(
    "--units-only",
    is_flag=True,
    help="Use only components without a common factor with N, so that every coordinate takes N "
    "different values.",
)
@click.option(
    "--no-records", is_flag=True, help="For best, search without looking into the catalogue."
)
@click.option("--jobs", type=COUNT, help="Number of processes. [default: 1]")
@click.option(
    "--budget",
    type=POSITIVE,
    help="Seconds after which the best lattice so far is written; the result then depends on the "
    "speed of the machine.",
)
@in_one_sentence
def build_command(
    method: str,
    points: int,
    dim: int,
    output: Path | None,
    format: str | None,
    no_header: bool,
    shift: str,
    seed: int | None,
    no_records: bool,
    **given: Any,
) -> None:
    """Build a lattice whose points are far from each other, and write its points.

    Ctrl-C ends the search and writes the best lattice so far.
    """
    if output is not None:
        check_writable(output)
    if format is None:
        suffix = "" if output is None else output.suffix[1:].lower()
        format = suffix if suffix in FORMATS else "csv"
    # Only what the user gave is passed on: the library knows what a method does not take.
    options = {name: value for name, value in given.items() if value}
    if no_records:
        options["use_records"] = False
    if seed is not None and (shift != "random" or "seed" in option_names(method)):
        options["seed"] = seed
    begun = time.perf_counter()
    with interruptible() as flag:
        with progress_bar(method) as progress:
            if "progress" in option_names(method):
                options["progress"] = progress
            lattice = build(method, points, dim, **options)
        echo_interrupted(flag, "this is the best lattice found so far.")
        click.echo(_summary(method, lattice, time.perf_counter() - begun), err=True)
        if few := _few_values(lattice):
            click.echo(few, err=True)
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
        f"minimum distance {lattice.min_distance:.5f}, {fraction_of_limit(lattice):.4f} of the "
        f"limit{' (optimal)' if lattice.is_optimal else ''} in {seconds:.1f} s"
    )


def _few_values(lattice: Rank1Lattice) -> str | None:
    """Return a warning with a remedy if a coordinate takes fewer than N values; else None."""
    N = lattice.n_points
    few = [(j, n) for j, n in enumerate(lattice.values_per_coordinate, start=1) if n < N]
    if not few:
        return None
    j, least = min(few, key=lambda pair: pair[1])
    return (
        f"Warning: {len(few)} of {lattice.dim} coordinates take fewer than {N} values; coordinate "
        f"{j} takes {least}. The prime {nearest_prime(N)} as number of points, or --units-only, "
        "avoids this."
    )


@main.command(epilog=example("build --method alg6 --points 100 --dim 2 | lattice-tools inspect -"))
@click.argument("file", type=FILE)
@click.option(
    "--seed", type=SEED, default=0, show_default=True, help="Seed of the reference point sets."
)
@click.option("--full", is_flag=True, help="Compute also the measures that take minutes or hours.")
@in_one_sentence
def inspect(file: str, seed: int, full: bool) -> None:
    """Measure the points in FILE (CSV, JSON or npy in [0, 1]; - is standard input).

    Prints separation, covering radius, mesh ratio, discrepancies and the worst-case integration
    error sqrt(P2), beside those of Sobol, Halton, Latin hypercube and random points of the same
    number. Measures that would take minutes for this many points are left out, which the output
    says.
    """
    from lattice_tools.report import report

    points = read_points(file)
    with progress_bar("measuring") as progress:
        text = report(points, name=name_of(file), seed=seed, full=full, progress=progress)
    click.echo(text)


@main.command(
    epilog=example(
        "build --method alg6 --points 100 --dim 2 --output points.csv",
        "plot points.csv --output points.png",
    )
)
@click.argument("file", type=FILE)
@click.option(
    "--output", "-o", type=OUTPUT, help="A png, pdf or svg file. [default: FILE's name with .png]"
)
@click.option(
    "--pair",
    default="1,2",
    show_default=True,
    callback=lambda context, parameter, text: _pair(text),
    help="Two coordinates to draw, counted from 1.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the random points.")
@in_one_sentence
def plot(file: str, output: Path | None, pair: tuple[int, int], seed: int) -> None:
    """Draw two coordinates of the points in FILE, beside as many random points.

    FILE is a CSV, JSON or npy file of points in [0, 1]; - is standard input. Each point has a
    disc. Its radius is half of the distance to the nearest other point, measured on the torus in
    the two coordinates that are drawn.
    """
    from lattice_tools.plot import image, plot_points

    if output is None:
        output = Path("points.png") if file == "-" else Path(file).with_suffix(".png")
    check_writable(output)
    figure = plot_points(read_points(file), pair, name=f"points: {name_of(file)}", seed=seed)
    write_whole(output, [image(figure, output.suffix[1:].lower())])
    click.echo(f"wrote {output}", err=True)


def _pair(text: str) -> tuple[int, int]:
    first, comma, second = text.partition(",")
    if not (comma and first.strip().isdecimal() and second.strip().isdecimal()):
        raise click.BadParameter(f"expected two numbers such as 1,2, got {text!r}.")
    return int(first), int(second)
