"""The paper's Tables 1-3: minimum distances of 1,000, 2,000 and 3,000 lattice points.

Algorithm 6, Korobov, SCS over units modulo N (as in the paper's row) and Algorithm 7, d = 10, 20,
30, 40, 50. `lattice-tools compare --paper` prints the same table. This experiment can be resumed,
and also writes a CSV and a picture.

    python -m examples.paper.lattice_tables

Output of this command, in 6 minutes of CPU (all 60 cells: `paper-results/lattice-tables.csv`):
alg6: 15 of 15 equal; korobov: 15 of 15 equal; scs: 12 of 15 equal, 3 of 15 wider; alg7: 15 of 15
wider. Below, ours is before the sign and the paper's behind it.

    alg7    d=10               d=20               d=30             d=40            d=50
    N=1000  0.63048 > 0.62738  1.0624 > 1.0472    1.3674 > 1.3620  1.6278 > 1.6175  1.8517 > 1.8401
    N=2000  0.59119 > 0.58782  1.0169 > 1.0144    1.3307 > 1.3221  1.5919 > 1.5758  1.8141 > 1.8029
    N=3000  0.57028 > 0.56610  0.99686 > 0.98601  1.3060 > 1.2979  1.5660 > 1.5553  1.7885 > 1.7771
"""

from __future__ import annotations

import csv
import time
from pathlib import Path

import click
from matplotlib.figure import Figure

from examples.paper._experiment import Cell as RunCell
from examples.paper._experiment import run_cells
from examples.paper._options import Options, options
from lattice_tools import build
from lattice_tools.compare import Cell, Measured, cells_of, table, verdict
from lattice_tools.paper import PAPER_DIMS, PAPER_METHODS, PAPER_POINTS

COLOURS = {"alg6": "#0072B2", "korobov": "#E69F00", "scs": "#009E73", "alg7": "#D55E00"}


def measure(cell: RunCell) -> list[float]:
    """Return the minimum distance of one cell's lattice, and the seconds of its search."""
    begun = time.perf_counter()
    lattice = build(cell["method"], cell["n_points"], cell["dim"], **cell["options"])
    return [lattice.min_distance, round(time.perf_counter() - begun, 2)]


def picture(measured: list[Measured], path: Path) -> None:
    """Draw one panel per table: our distances as lines, the paper's as rings."""
    points = list(dict.fromkeys(m.cell.n_points for m in measured))
    figure = Figure(figsize=(0.8 + 3.8 * len(points), 3.8), layout="constrained")
    for axes, N in zip(figure.subplots(1, len(points), squeeze=False)[0], points, strict=True):
        for method, colour in COLOURS.items():
            rows = [m for m in measured if (m.cell.n_points, m.cell.method) == (N, method)]
            dims = [m.cell.dim for m in rows]
            axes.plot(dims, [m.min_distance for m in rows], ".-", color=colour, label=method)
            printed = [float(m.cell.printed or "nan") for m in rows]
            axes.plot(dims, printed, "o", color=colour, markerfacecolor="none", markersize=8)
        axes.set(title=f"{N:,} points (rings: as printed)", xlabel="d", ylabel="minimum distance")
        axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


@click.command()
@options(runs=10, meaning="Number of random starts in the row SCS.", quick_runs=10)
def main(given: Options) -> None:
    """Compute the paper's Tables 1-3."""
    output = given.output
    points, dims = ((100,), (10,)) if given.quick else (PAPER_POINTS, PAPER_DIMS)
    cells = cells_of(list(PAPER_METHODS), points, dims, {"n_restarts": given.runs}, paper=True)
    named = [
        {"method": c.method, "n_points": c.n_points, "dim": c.dim, "options": dict(c.options)}
        for c in cells
    ]
    results = run_cells(named, measure, output / "lattice-tables.jsonl", given.jobs)
    measured = [Measured(c, *result) for c, result in zip(cells, results, strict=True)]
    name = "lattice-tables-quick" if given.quick else "lattice-tables"
    write_csv(measured, output / f"{name}.csv")
    picture(measured, output / f"{name}.png")
    click.echo(table(measured, paper=True))
    click.echo(f"\n{verdict(measured)}")


def write_csv(measured: list[Measured], path: Path) -> None:
    """Write one line per cell."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["points", "dim", "method", "minimum distance", "printed", "seconds"])
        for m in measured:
            c: Cell = m.cell
            writer.writerow(
                [c.n_points, c.dim, c.method, m.min_distance, c.printed or "", m.seconds]
            )


if __name__ == "__main__":
    main()
