"""What experiments report: a CSV file, a table and a picture."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.harness.pictures import COLOURS as PALETTE
from benchmarks.harness.pictures import style

#: (problem, method, q) -> runs -> the best value so far after each evaluation.
Results = dict[tuple[str, str, int], list[list[float]]]

COLOURS = dict(zip(("BKOP", "GP-BUCB", "GP-UCB-PE", "Bull"), PALETTE, strict=False))


def statistics(curves: Sequence[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of runs and its standard error after each evaluation."""
    runs = np.array(curves)
    spread = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(runs.shape[1])
    return runs.mean(axis=0), spread / math.sqrt(len(runs))


def write_csv(results: Results, path: Path) -> None:
    """Write the mean and the standard error after each evaluation."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["problem", "method", "q", "runs", "evaluations", "mean", "error"])
        for (problem, method, q), curves in results.items():
            mean, error = statistics(curves)
            for n, (m, e) in enumerate(zip(mean, error, strict=True), start=1):
                writer.writerow([problem, method, q, len(curves), n, f"{m:.6g}", f"{e:.6g}"])


def table(results: Results) -> str:
    """Return the final means, one line per problem and batch size; a star marks the lowest."""
    methods = list(dict.fromkeys(method for _, method, _ in results))
    lines = [f"{'':20}" + "".join(f"{method:>20}" for method in methods)]
    for problem, q in dict.fromkeys((problem, q) for problem, _, q in results):
        last = {m: statistics(results[problem, m, q]) for m in methods}
        best = min(methods, key=lambda m: last[m][0][-1])
        cells = [
            f"{last[m][0][-1]:.3g} ± {last[m][1][-1]:.2g}" + ("*" if m == best else " ")
            for m in methods
        ]
        lines.append(f"{problem + ', q=' + str(q):20}" + "".join(f"{cell:>20}" for cell in cells))
    return "\n".join(lines)


def plot_curves(results: Results, path: Path, *, columns: int, ylabel: str) -> None:
    """Draw one panel per problem: means with error bars, solid for the smaller batch size."""
    problems = list(dict.fromkeys(problem for problem, _, _ in results))
    sizes = sorted({q for _, _, q in results})
    rows = math.ceil(len(problems) / columns)
    figure = Figure(figsize=(0.6 + 4.2 * columns, 0.7 + 3.2 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(problems) :]:
        axes.set_visible(False)
    for axes, name in zip(grid.flat, problems, strict=False):
        for (problem, method, q), curves in results.items():
            if problem != name:
                continue
            mean, error = statistics(curves)
            n = np.arange(1, len(mean) + 1)
            line = "-" if q == sizes[0] else "--"
            axes.errorbar(
                n, mean, error, errorevery=(5, max(len(n) // 12, 1)), color=COLOURS[method],
                linestyle=line, linewidth=1.4, elinewidth=0.8, label=f"{method}, q={q}",
            )  # fmt: skip
        axes.set_title(name, fontsize=10)
        axes.set_yscale("log")
        axes.set_xlabel("evaluations")
        style(axes)
    grid[0, 0].set_ylabel(ylabel)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False,
                  fontsize=8)  # fmt: skip
    figure.savefig(path, dpi=150)
