"""The commands ``lattice-tools compare`` and ``lattice-tools records``."""

from __future__ import annotations

import time
from pathlib import Path

import click

from lattice_tools import compare as tables
from lattice_tools._command import (
    COUNT,
    POINTS,
    POSITIVE,
    SEED,
    echo_interrupted,
    example,
    in_one_sentence,
    interruptible,
    progress_bar,
)
from lattice_tools._files import check_writable
from lattice_tools.build import METHODS
from lattice_tools.limit import fraction_of_limit
from lattice_tools.paper import PAPER_DIMS, PAPER_METHODS, PAPER_POINTS
from lattice_tools.records import Records, records

#: Columns of one block of the records' table.
_N_COLUMNS = 10


@click.command(
    epilog=example("compare --points 100 --points 200 --dim 2 --dim 5 --method korobov")
)
@click.option("--points", type=POINTS, multiple=True, help="A number of points N. Repeatable.")
@click.option("--dim", "dims", type=COUNT, multiple=True, help="A dimension d. Repeatable.")
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
    help="Compare with the paper's Tables 1-3: use its options, its fifteen sizes unless others "
    "are given, and print its values beside ours.",
)
@click.option(
    "--jobs", type=COUNT, default=1, show_default=True, help="Number of cells built at a time."
)
@click.option("--effort", type=POSITIVE, help="For best, multiple of the default work.")
@click.option(
    "--budget", type=POSITIVE, help="Seconds per cell, after which its best lattice so far counts."
)
@in_one_sentence
def compare(
    points: tuple[int, ...],
    dims: tuple[int, ...],
    methods: tuple[str, ...],
    paper: bool,
    jobs: int,
    effort: float | None,
    budget: float | None,
) -> None:
    """Compare constructions by the minimum distance of their points on the torus.

    Behind each distance stands its fraction of the limit that no lattice can pass, with a star
    where the distance is proved to be the largest. With --paper each cell shows our value, a sign
    and the value that Lyu, Yuan and Tsang printed; the sign is < where ours is lower, = where both
    are equal and > where ours is larger. Ctrl-C ends the search and prints the cells that are
    done.
    """
    if paper:
        points, dims = points or PAPER_POINTS, dims or PAPER_DIMS
    if not (points and dims):
        raise click.UsageError("Give --points and --dim, or --paper.")
    given = {"budget": budget, "effort": effort}
    options = {name: value for name, value in given.items() if value is not None}
    cells = tables.cells_of(methods, points, dims, options, paper=paper)
    begun = time.perf_counter()
    with interruptible() as flag:
        with progress_bar(f"{len(cells)} cells") as progress:
            measured = tables.measure(cells, jobs=jobs, progress=progress)
        click.echo(tables.table(measured, paper=paper))
        if paper:
            click.echo("\n" + tables.verdict(measured))
        echo_interrupted(flag, "the last cell has the best value found so far.")
        seconds = time.perf_counter() - begun
        cells_done = f"{len(measured)} cell{'s' * (len(measured) != 1)}"
        click.echo(f"{cells_done} in {seconds:.1f} s", err=True)


@click.command(name="records", epilog=example("records --points 1000 --dim 5 --dim 10"))
@click.option("--points", type=POINTS, multiple=True, help="A number of points N. Repeatable.")
@click.option("--dim", "dims", type=COUNT, multiple=True, help="A dimension d. Repeatable.")
@click.option(
    "--improve",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Search on from the records in this file, all sizes or those given, and keep it up to "
    "date. A file that does not exist is begun.",
)
@click.option("--effort", type=POSITIVE, help="Multiple of the default work per size.")
@click.option("--budget", type=POSITIVE, help="Seconds per size instead of the effort.")
@click.option(
    "--proof-budget", type=POSITIVE, help="Seconds per size for an exhaustive search first."
)
@click.option(
    "--alg7",
    "with_alg7",
    is_flag=True,
    help="Run Algorithm 7 whole first, whatever the effort or the budget, where the file does not "
    "have its value yet; a record is never below that value.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the search.")
@in_one_sentence
def records_command(
    points: tuple[int, ...],
    dims: tuple[int, ...],
    path: Path | None,
    effort: float | None,
    budget: float | None,
    proof_budget: float | None,
    with_alg7: bool,
    seed: int,
) -> None:
    """Show the catalogue of the widest lattices found so far, or improve one with --improve.

    A lattice is wider than another if its minimum distance on the torus is larger.

    Without --improve, prints the minimum distance of each lattice of the catalogue that comes with
    the package, as its fraction of the limit that no lattice can pass, with a star where it is
    proved to be the largest. --points and --dim select sizes; the other options have no effect.

    With --improve, searches for wider lattices and writes them to the file.
    """
    if path is None:
        click.echo(records_table(records(), points, dims))
        return
    from lattice_tools.find_records import RECORD_DIMS, RECORD_POINTS, improve_records

    check_writable(path)
    sizes = [(N, d) for N in points or RECORD_POINTS for d in dims or RECORD_DIMS]
    with interruptible() as flag:
        n_improved = improve_records(
            path,
            sizes,
            effort=effort,
            budget=budget,
            proof_budget=proof_budget,
            with_alg7=with_alg7,
            seed=seed,
            report=click.echo,
        )
        echo_interrupted(flag, f"{path} has all records found so far.")
        click.echo(f"{n_improved} of {len(sizes)} sizes improved", err=True)


def records_table(found: Records, points: tuple[int, ...], dims: tuple[int, ...]) -> str:
    """Return a text table of the lattices in ``found``, with rows N and columns d.

    A cell shows the minimum distance of a lattice divided by `distance_limit`, the upper bound
    that no lattice of its size can pass, with a star if it is proved that no lattice of the size
    has a larger minimum distance. A size that is not in ``found`` has a dash. After ten columns
    the table goes on below.

    Args:
        found: The lattices by (N, d).
        points: Numbers of points N to show; empty for all.
        dims: Dimensions d to show; empty for all.

    Raises:
        ValueError: No size is left to show.
    """
    shown = {
        (N, d): lattice
        for (N, d), lattice in found.items()
        if (not points or N in points) and (not dims or d in dims)
    }
    if not shown:
        raise ValueError("The catalogue has no such size; `records` without options shows all.")
    all_dims = sorted({d for _, d in shown})
    blocks = []
    for k in range(0, len(all_dims), _N_COLUMNS):
        columns = all_dims[k : k + _N_COLUMNS]
        lines = ["       N  " + "  ".join(f"d={d}".ljust(7) for d in columns).rstrip()]
        for N in sorted({N for N, _ in shown}):
            cells = [_record_cell(shown, N, d) for d in columns]
            lines.append(f"{N:>8}  " + "  ".join(cells).rstrip())
        blocks.append("\n".join(lines))
    blocks.append("* proved to be the widest of all.")
    return "\n\n".join(blocks)


def _record_cell(shown: Records, N: int, d: int) -> str:
    lattice = shown.get((N, d))
    if lattice is None:
        return "-".ljust(7)
    return f"{fraction_of_limit(lattice):.4f}{'*' if lattice.is_optimal else ''}".ljust(7)
