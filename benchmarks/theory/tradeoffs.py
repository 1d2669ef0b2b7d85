"""Trials against regret left: tables and a picture of rules that stop a study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness.pictures import COLOURS, style
from benchmarks.harness.tables import Rows
from benchmarks.theory.stopping import CERTIFICATE, DEFAULTS, Stop

#: Where each rule stops the studies: by rule, threshold and name of the function or task.
Stops = dict[str, dict[str, dict[str, list[Stop]]]]


@dataclass(frozen=True)
class Outcome:
    """What a rule with one threshold does over all studies.

    Attributes:
        trials: Mean number of trials.
        n_studies: Number of studies.
        n_stopped: How many were stopped.
        n_within: In how many the regret left is at most the gap.
        n_right: In how many of those that were stopped.
        median_left: Median regret left, relative to the range of the values seen.
        mean_left: Mean of the same.
    """

    trials: float
    n_studies: int
    n_stopped: int
    n_within: int
    n_right: int
    median_left: float
    mean_left: float

    @classmethod
    def of(cls, stops: list[Stop], gap: float) -> Outcome:
        """Return the outcome of some stops."""
        return cls(
            trials=float(np.mean([stop.n_trials for stop in stops])),
            n_studies=len(stops),
            n_stopped=sum(stop.stopped for stop in stops),
            n_within=sum(stop.left <= gap for stop in stops),
            n_right=sum(stop.left <= gap for stop in stops if stop.stopped),
            median_left=float(np.median([stop.left for stop in stops])),
            mean_left=float(np.mean([stop.left for stop in stops])),
        )


def outcomes(stops: Stops, gap: float) -> dict[str, dict[str, Outcome]]:
    """Return the outcomes by rule and threshold."""
    return {
        label: {
            name: Outcome.of([stop for some in by_name.values() for stop in some], gap)
            for name, by_name in by_threshold.items()
        }
        for label, by_threshold in stops.items()
    }


def by_problem(stops: Stops) -> Rows:
    """Return a table with a row for each function or task, at the default thresholds."""
    rows = [["mean trials (mean regret left, %)", *stops]]
    for name in stops[CERTIFICATE][DEFAULTS[CERTIFICATE]]:
        cells = []
        for label, by_threshold in stops.items():
            found = by_threshold[DEFAULTS[label]][name]
            n = np.mean([stop.n_trials for stop in found])
            cells.append(f"{n:.0f} ({100 * np.mean([stop.left for stop in found]):.2g})")
        rows.append([name, *cells])
    return rows


def tradeoff(found: dict[str, dict[str, Outcome]]) -> Rows:
    """Return a table with a row for each rule and threshold."""
    header = ["trials", "stopped", "left <= gap", "left <= gap if stopped"]
    rows = [["rule", *header, "median left", "mean left"]]
    for label, by_threshold in found.items():
        for name, one in by_threshold.items():
            rows.append(
                [
                    f"{label}, {name}",
                    f"{one.trials:.1f}",
                    f"{one.n_stopped} of {one.n_studies}",
                    f"{one.n_within} of {one.n_studies}",
                    f"{one.n_right} of {one.n_stopped}",
                    f"{100 * one.median_left:.3g} %",
                    f"{100 * one.mean_left:.3g} %",
                ]
            )
    return rows


def comparison(found: dict[str, dict[str, Outcome]]) -> list[str]:
    """Compare the certificate's default with the cheapest thresholds that leave as little."""
    ours = found[CERTIFICATE][DEFAULTS[CERTIFICATE]]
    n = ours.n_studies
    measures: dict[str, Callable[[Outcome], bool]] = {
        f"left <= gap in {ours.n_within} of {n} runs": lambda one: one.n_within >= ours.n_within,
        "left <= gap in 95 % of runs": lambda one: one.n_within >= 0.95 * n,
        f"median left {100 * ours.median_left:.2g} %": lambda one: (
            one.median_left <= ours.median_left
        ),
        f"mean left {100 * ours.mean_left:.2g} %": lambda one: one.mean_left <= ours.mean_left,
        "both the first and the median": lambda one: (
            one.n_within >= ours.n_within and one.median_left <= ours.median_left
        ),
    }
    lines = [
        f"{CERTIFICATE}, {DEFAULTS[CERTIFICATE]}: {ours.trials:.1f} trials; fewest trials for"
    ]
    for measure, holds in measures.items():
        cells = []
        for label, by_threshold in found.items():
            enough = {name: one for name, one in by_threshold.items() if holds(one)}
            name = min(enough, key=lambda name: enough[name].trials, default=None)
            text = "never" if name is None else f"{enough[name].trials:.1f} ({name})"
            cells.append(f"{label} {text}")
        lines.append(f"  {measure}: {'; '.join(cells)}")
    return lines


def draw(found: dict[str, dict[str, Outcome]], gap: float, path: Path) -> None:
    """Draw mean trials against the share of runs above the gap, and against the median left."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for colour, (label, by_threshold) in zip(COLOURS, found.items(), strict=False):
        trials = [one.trials for one in by_threshold.values()]
        above = [100 * (1 - one.n_within / one.n_studies) for one in by_threshold.values()]
        medians = [100 * one.median_left for one in by_threshold.values()]
        left.plot(trials, above, "o-", color=colour, label=label, ms=4)
        right.semilogy(trials, medians, "o-", color=colour, label=label, ms=4)
        default = list(by_threshold).index(DEFAULTS[label])
        for axes, y in ((left, above), (right, medians)):
            axes.plot(trials[default], y[default], "o", color=colour, ms=10, mfc="none")
    left.axhline(5, color="0.7", lw=0.8)
    left.set(xlabel="mean trials", ylabel=f"runs that leave more than {100 * gap:g} %, %")
    right.set(xlabel="mean trials", ylabel="median regret left, % of the range")
    left.legend(frameon=False, fontsize=8)
    for axes in (left, right):
        style(axes)
    figure.savefig(path, dpi=110)
