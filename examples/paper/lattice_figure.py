"""The paper's figure of 100 and 1,000 lattice points (Algorithm 6) beside random points in 2-D.

The CSV has two numbers per set of points, both on the torus: the exact covering radius and the
minimum distance. For random points they are means over `--runs` sets.

    python -m examples.paper.lattice_figure

Output of this command:

     100 lattice  covering radius 0.06343, distance 0.10198
     100 random   covering radius 0.14985, distance 0.00751
    1000 lattice  covering radius 0.01964, distance 0.03324
    1000 random   covering radius 0.05649, distance 0.00065
"""

from __future__ import annotations

import csv

import click
import numpy as np
from matplotlib.figure import Figure

from examples.paper._experiment import Cell, run_cells
from examples.paper._options import Options, options
from lattice_tools import build, covering_radius, separation


def points_of(cell: Cell) -> np.ndarray:
    """Return the points (n, 2) of the lattice, or random points that depend on a seed."""
    if cell["kind"] == "lattice":
        return build("alg6", cell["n_points"], 2).points()
    return np.random.default_rng(cell["seed"]).random((cell["n_points"], 2))


def measure(cell: Cell) -> list[float]:
    """Return the covering radius and the minimum distance of one set, on the torus."""
    X = points_of(cell)
    return [float(covering_radius(X, periodic=True)), separation(X, periodic=True)]


@click.command()
@options(runs=30, meaning="Number of sets of random points.", quick_runs=2)
def main(given: Options) -> None:
    """Draw lattice points beside random points."""
    output = given.output
    panels = [
        {"kind": kind, "n_points": n, "seed": 0}
        for n in (100, 1000)
        for kind in ("lattice", "random")
    ]
    cells = [
        {**panel, "seed": seed}
        for panel in panels
        for seed in range(1 if panel["kind"] == "lattice" else given.runs)
    ]
    results = run_cells(cells, measure, output / "lattice-figure.jsonl", given.jobs)
    with (output / "lattice-figure.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["points", "kind", "sets", "covering radius", "minimum distance"])
        for p in panels:
            kind, n = p["kind"], p["n_points"]
            rows = [
                r
                for c, r in zip(cells, results, strict=True)
                if (c["kind"], c["n_points"]) == (kind, n)
            ]
            radius, distance = np.mean(rows, axis=0)
            writer.writerow([n, kind, len(rows), f"{radius:.5f}", f"{distance:.5f}"])
            click.echo(f"{n:5} {kind:8} covering radius {radius:.5f}, distance {distance:.5f}")

    figure = Figure(figsize=(8.6, 9.0), layout="constrained")
    for axes, panel in zip(figure.subplots(2, 2).flat, panels, strict=True):
        X = points_of(panel)
        axes.scatter(X[:, 0], X[:, 1], s=900 / len(X) + 2, color="#0072B2", linewidths=0)
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        axes.set_title(f"{len(X):,} {panel['kind']} points")
    figure.savefig(output / "lattice-figure.png", dpi=150)


if __name__ == "__main__":
    main()
