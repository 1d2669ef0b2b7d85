"""Picture of CPU seconds and memory of an ask."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.harness.pictures import COLOURS, style
from benchmarks.harness.records import Record
from benchmarks.harness.summary import samplers_of
from benchmarks.speed.asks import MEASURES


def plot(records: Sequence[Record], base: Mapping[str, int], output: Path) -> None:
    """Plot CPU seconds and memory against finished trials, parameters and asks per round.

    Args:
        records: Records of finished measurements. A panel shows those in which the two quantities
            that it does not vary have the values of `base`.
        base: The values of `trials`, `dim` and `q`, each while it is fixed.
        output: The file; its suffix determines the format.
    """
    samplers = samplers_of(records)
    figure = Figure(figsize=(10, 5.5), layout="constrained")
    grid = figure.subplots(2, 3, sharex="col", sharey="row", squeeze=False)
    names = {"trials": "finished trials", "dim": "parameters", "q": "asks per round"}
    for row, key in zip(grid, ("cpu", "peak_mib"), strict=True):
        for axes, varied in zip(row, names, strict=True):
            fixed = {name: value for name, value in base.items() if name != varied}
            shown = [r for r in records if all(r[n] == value for n, value in fixed.items())]
            for colour, sampler in zip(itertools.cycle(COLOURS), samplers, strict=False):
                points = sorted((r[varied], r[key]) for r in shown if r["sampler"] == sampler)
                x, y = [point[0] for point in points], [point[1] for point in points]
                axes.plot(x, y, "o-", color=colour, label=sampler)
            axes.set(xscale="log", yscale="log")
            ticks = sorted({r[varied] for r in shown})
            axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], fontsize=8)
            axes.set_xticks([], minor=True)
            style(axes)
        row[0].set_ylabel(MEASURES[key])
    for axes, label in zip(grid[-1], names.values(), strict=True):
        axes.set_xlabel(label)
    figure.align_ylabels()
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(output, dpi=150)
