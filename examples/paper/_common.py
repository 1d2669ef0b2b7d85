"""What the paper's experiments share: samplers, runs that resume, a table, a CSV and a picture.

An experiment is a list of cells, each of which names one run by JSON-able values. Results are
appended to a JSONL file as they come; cells that it has are not run again.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
import numpy as np
import optuna
from matplotlib.figure import Figure

from benchmarks.results import drop_unfinished_line
from optuna_bkop import BKOPSampler

Cell = dict[str, Any]
#: How one run is made of its cell: the best value so far after each evaluation.
Measure = Callable[[Cell], list[float]]
#: (problem, method, q) -> the runs' results.
Results = dict[tuple[str, str, int], list[list[float]]]

BATCH_SIZES = (5, 10)

#: One model, no warping, the whole box: BKOP as printed, and what the baselines are.
PLAIN = {
    "acquisition_form": "rms",
    "warping": "none",
    "length_scale_factors": [1.0],
    "prior_mean": 0.0,
    "trust_margin": None,
}
#: Settings -> method -> arguments of the sampler. "ours": BKOP with our defaults against the
#: baselines as published. "same-model": all three with our model, so that only the strategy
#: differs. "paper": all three as published, maximised by CMA-ES.
SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    "ours": {
        "BKOP": {},
        "GP-BUCB": {"strategy": "gp_bucb"} | PLAIN,
        "GP-UCB-PE": {"strategy": "gp_ucb_pe"} | PLAIN,
    },
    "same-model": {
        "BKOP": {},
        "GP-BUCB": {"strategy": "gp_bucb"},
        "GP-UCB-PE": {"strategy": "gp_ucb_pe"},
    },
    "paper": {
        "BKOP": {"maximizer": "cma"} | PLAIN,
        "GP-BUCB": {"strategy": "gp_bucb", "maximizer": "cma"} | PLAIN,
        "GP-UCB-PE": {"strategy": "gp_ucb_pe", "maximizer": "cma"} | PLAIN,
    },
}
COLOURS = {"BKOP": "#0072B2", "GP-BUCB": "#D55E00", "GP-UCB-PE": "#009E73", "Bull": "#CC79A7"}


def options(runs: int, meaning: str = "Independent runs.") -> Callable[..., Any]:
    """The options that every experiment has."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in (
            click.option("--output", type=click.Path(path_type=Path), default="paper-results",
                         show_default=True, help="Folder of JSONL, CSV and PNG."),
            click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
                         help="Processes."),
            click.option("--quick", is_flag=True, help="A little of it, to see that it works."),
            click.option("--runs", type=click.IntRange(1), default=runs, show_default=True,
                         help=meaning),
        ):  # fmt: skip
            command = option(command)
        return command

    return decorate


def settings_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of experiments that compare strategies."""
    for option in (
        click.option("--cma-evaluations", type=click.IntRange(10), default=20_000,
                     show_default=True, help="Of a maximisation, with --settings paper."),
        click.option("--settings", type=click.Choice(list(SETTINGS)), default="ours",
                     show_default=True, help="See SETTINGS in examples/paper/_common.py."),
    ):  # fmt: skip
        command = option(command)
    return command


def compare(
    measure: Measure,
    problems: Mapping[str, Cell],
    methods: Mapping[str, dict[str, Any]],
    *,
    runs: int,
    shared: Cell,
    cma_evaluations: int,
    output: Path,
    experiment: str,
    name: str,
    jobs: int,
    columns: int,
    above_best: bool = False,
    ylabel: str = "simple regret",
) -> None:
    """Run methods on problems in batches of 5 and 10; write JSONL, CSV and PNG, print a table.

    Args:
        measure: Makes one run of its cell.
        problems: Name -> what names it in a cell.
        methods: Name -> arguments of the sampler.
        runs: Seeds of each.
        shared: What all cells have.
        cma_evaluations: Of each maximisation by CMA-ES.
        output: Folder.
        experiment: Name of the JSONL file.
        name: Name of the CSV and the PNG.
        jobs: Processes.
        columns: Of the picture.
        above_best: Values are taken above the best that any run found.
        ylabel: Of the picture.
    """
    order = itertools.product(range(runs), problems, BATCH_SIZES, methods)
    cells: list[tuple[tuple[str, str, int], Cell]] = []
    for seed, problem, q, method in order:
        sampler = methods[method]
        if sampler.get("maximizer") == "cma":
            sampler = sampler | {"cma_evaluations": cma_evaluations}
        cell = {**shared, **problems[problem], "q": q, "seed": seed, "sampler": sampler}
        cells.append(((problem, method, q), cell))
    curves = run_cells([cell for _, cell in cells], measure, output / f"{experiment}.jsonl", jobs)
    least = min(curve[-1] for curve in curves) if above_best else 0.0
    results: Results = {}
    for (key, _), curve in zip(cells, curves, strict=True):
        results.setdefault(key, []).append([value - least for value in curve])
    write_csv(results, output / f"{name}.csv")
    plot_curves(results, output / f"{name}.png", columns=columns, ylabel=ylabel)
    click.echo(table(results))


def run_cells(cells: Sequence[Cell], measure: Measure, path: Path, jobs: int) -> list[list[float]]:
    """The results of all cells, in their order; those that the file has are not measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drop_unfinished_line(path)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    known = {_key(record["cell"]): record["result"] for record in map(json.loads, lines)}
    todo = [cell for cell in cells if _key(cell) not in known]
    click.echo(f"{len(todo)} runs, {len(cells) - len(todo)} already in {path}.", err=True)
    with (
        path.open("a", encoding="utf-8") as file,
        click.progressbar(length=len(todo), label="runs", file=sys.stderr) as bar,
    ):
        for cell, result in _measured(todo, measure, jobs):
            known[_key(cell)] = result
            file.write(json.dumps({"cell": cell, "result": result}) + "\n")
            file.flush()
            bar.update(1)
    return [known[_key(cell)] for cell in cells]


def _measured(
    cells: Sequence[Cell], measure: Measure, jobs: int
) -> Iterator[tuple[Cell, list[float]]]:
    if jobs == 1:
        for cell in cells:
            yield cell, measure(cell)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(measure, cell): cell for cell in cells}
        for future in as_completed(futures):
            yield futures[future], future.result()


def _key(cell: Cell) -> str:
    return json.dumps(cell, sort_keys=True)


def optimise(
    objective: Callable[[dict[str, Any]], float],
    space: Mapping[str, optuna.distributions.BaseDistribution],
    cell: Cell,
) -> list[float]:
    """Minimise in rounds of ``cell["q"]`` and return the best value after each evaluation.

    The first ``cell["startup"]`` points are the sampler's lattice: its shift follows from the
    seed, so that all methods begin with the same points.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    q, n_startup, n_more = cell["q"], cell["startup"], cell["evaluations"]
    sampler = BKOPSampler(
        batch_size=q,
        n_startup_trials=n_startup,
        search_space=space,
        seed=cell["seed"],
        **cell["sampler"],
    )
    study = optuna.create_study(sampler=sampler)
    rounds = [n_startup] + [min(q, n_more - start) for start in range(0, n_more, q)]
    values: list[float] = []
    for count in rounds:
        for trial in [study.ask(dict(space)) for _ in range(count)]:
            values.append(objective(trial.params))
            study.tell(trial, values[-1])
    return [float(f"{best:.6g}") for best in itertools.accumulate(values, min)]


def write_csv(results: Results, path: Path) -> None:
    """Mean and standard error after each evaluation, of (problem, method, q) -> curves."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["problem", "method", "q", "runs", "evaluations", "mean", "error"])
        for (problem, method, q), curves in results.items():
            mean, error = statistics(curves)
            for n, (m, e) in enumerate(zip(mean, error, strict=True), start=1):
                writer.writerow([problem, method, q, len(curves), n, f"{m:.6g}", f"{e:.6g}"])


def statistics(curves: Sequence[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and its standard error after each evaluation."""
    runs = np.array(curves)
    spread = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(runs.shape[1])
    return runs.mean(axis=0), spread / math.sqrt(len(runs))


def table(results: Results) -> str:
    """The last means, one line for each problem and batch size; the lowest has a star."""
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


def plot_curves(
    results: Results,
    path: Path,
    *,
    columns: int,
    ylabel: str = "simple regret",
) -> None:
    """One panel for each problem: means with error bars, solid for the smaller batch size."""
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
            style = "-" if q == sizes[0] else "--"
            axes.errorbar(
                n, mean, error, errorevery=(5, max(len(n) // 12, 1)), color=COLOURS[method],
                linestyle=style, linewidth=1.4, elinewidth=0.8, label=f"{method}, q={q}",
            )  # fmt: skip
        axes.set_title(name, fontsize=10)
        axes.set_yscale("log")
        axes.set_xlabel("evaluations")
        axes.grid(True, color="0.92")
        axes.spines[["top", "right"]].set_visible(False)
    grid[0, 0].set_ylabel(ylabel)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False,
                  fontsize=8)  # fmt: skip
    figure.savefig(path, dpi=150)
