"""Curves of regret against evaluations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.harness.pictures import COLOURS, style
from benchmarks.harness.records import Record
from benchmarks.harness.summary import samplers_of
from benchmarks.regret.summary import FLOOR, labels, settings_of

#: Panels side by side.
COLUMNS = 3


def regret_curves(records: Sequence[Record], output: Path) -> None:
    """Write a picture with one panel per function and setting and one curve per sampler.

    A curve is the geometric mean over seeds, with a band of one standard error of the logarithm
    on either side. The dotted line marks the end of the initial points.

    Args:
        records: Finished runs.
        output: The file; its suffix determines the format.
    """
    samplers = samplers_of(records)
    names = labels([settings_of(record) for record in records])
    panels = sorted(names, key=lambda cell: (astuple(cell)[2:], cell.function))
    columns = min(COLUMNS, len(panels))
    lines = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(1 + 3.2 * columns, 0.9 + 2.5 * lines), layout="constrained")
    grid = figure.subplots(lines, columns, squeeze=False)
    for k, axes in enumerate(grid.flat):
        if k >= len(panels):
            axes.set_visible(False)
            continue
        _panel(axes, [r for r in records if settings_of(r) == panels[k]], samplers)
        axes.set_title(names[panels[k]], fontsize=10)
        if k % columns == 0:
            axes.set_ylabel("regret")
        if k + columns >= len(panels):
            axes.set_xlabel("evaluations")
    figure.align_ylabels()
    handles = {line.get_label(): line for axes in grid.flat for line in axes.get_lines()}
    shown = [handles[name] for name in samplers]
    figure.legend(shown, samplers, loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(output, dpi=150)


def _panel(axes: Axes, records: Sequence[Record], samplers: Sequence[str]) -> None:
    cell = settings_of(records[0])
    for k, sampler in enumerate(samplers):
        runs = [record["regret"] for record in records if record["sampler"] == sampler]
        if not runs:
            continue
        logs = np.log(np.maximum(runs, FLOOR))
        mean = logs.mean(axis=0)
        error = logs.std(axis=0, ddof=1) / math.sqrt(len(runs)) if len(runs) > 1 else 0 * mean
        x = np.arange(1, len(mean) + 1)
        # Beyond seven samplers the colours repeat, with dashed lines.
        colour, line = COLOURS[k % len(COLOURS)], "--" if k >= len(COLOURS) else "-"
        axes.plot(x, np.exp(mean), color=colour, linestyle=line, linewidth=1.6, label=sampler)
        band = np.exp(mean - error), np.exp(mean + error)
        axes.fill_between(x, *band, color=colour, alpha=0.18, linewidth=0)
    axes.axvline(cell.startup, color="0.6", linestyle=":", linewidth=1, label="_startup")
    axes.set_yscale("log")
    axes.set_xlim(1, cell.startup + cell.evaluations)
    style(axes)
