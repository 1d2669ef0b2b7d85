"""Runs of the experiments, which can be interrupted and resumed.

An experiment is a list of cells. A cell is a dictionary of JSON values that identifies one run.
Results are appended to a JSONL file as runs finish; cells that the file has are not run again.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import optuna

from benchmarks.harness.records import Record, failed
from benchmarks.harness.runner import recorded, run_missing
from examples.paper._options import Options
from examples.paper._report import Results, plot_curves, table, write_csv
from examples.paper._settings import Arguments
from optuna_bkop import BKOPSampler

Cell = dict[str, Any]
#: Makes the run of a cell and returns the best value so far after each evaluation.
Measure = Callable[[Cell], list[float]]

#: The batch sizes of the paper.
BATCH_SIZES = (5, 10)


def compare(
    measure: Measure,
    problems: Mapping[str, Cell],
    methods: Mapping[str, Arguments],
    options: Options,
    *,
    shared: Cell,
    experiment: str,
    name: str,
    columns: int,
    above_best: bool = False,
    ylabel: str = "simple regret",
) -> None:
    """Run methods on problems in batches of 5 and 10; write JSONL, CSV and PNG; print a table.

    Args:
        measure: Makes the run of a cell.
        problems: Name -> the part of a cell that identifies the problem.
        methods: Name -> arguments of the sampler.
        options: The options of the command line.
        shared: The part that all cells have in common.
        experiment: Name of the JSONL file, without its suffix.
        name: Beginning of the names of the CSV and PNG files.
        columns: Number of columns of the picture.
        above_best: Whether to subtract the best value of all runs from all values.
        ylabel: Label of the picture's vertical axes.
    """
    order = itertools.product(range(options.runs), problems, BATCH_SIZES, methods)
    cells: list[tuple[tuple[str, str, int], Cell]] = []
    for seed, problem, q, method in order:
        sampler = methods[method]
        if sampler.get("maximizer") == "cma":
            sampler = sampler | {"cma_evaluations": options.cma_evaluations}
        cell = {**shared, **problems[problem], "q": q, "seed": seed, "sampler": sampler}
        cells.append(((problem, method, q), cell))
    records = options.output / f"{experiment}.jsonl"
    curves = run_cells([cell for _, cell in cells], measure, records, options.jobs)
    least = min(curve[-1] for curve in curves) if above_best else 0.0
    results: Results = {}
    for (key, _), curve in zip(cells, curves, strict=True):
        results.setdefault(key, []).append([value - least for value in curve])
    name = f"{name}-quick" if options.quick else name
    write_csv(results, options.output / f"{name}.csv")
    plot_curves(results, options.output / f"{name}.png", columns=columns, ylabel=ylabel)
    click.echo(table(results))


def run_cells(cells: Sequence[Cell], measure: Measure, path: Path, jobs: int) -> list[list[float]]:
    """Return the results of all cells, in their order, measuring those that the file lacks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [_text(cell) for cell in cells]
    records = run_missing(
        texts, partial(_run, measure), _text_of_record, path, retry_failed=True, jobs=jobs
    )
    results = {_text_of_record(r): r["result"] for r in records if not failed(r)}
    return [results[text] for text in texts]


def _run(measure: Measure, text: str) -> Record:
    cell = json.loads(text)
    return {"cell": cell} | recorded(lambda: {"result": measure(cell)})


def _text(cell: Cell) -> str:
    """Return a text that identifies a cell; dictionaries have no hash."""
    return json.dumps(cell, sort_keys=True)


def _text_of_record(record: Record) -> str:
    return _text(record["cell"])


def optimise(
    objective: Callable[[dict[str, Any]], float],
    space: Mapping[str, optuna.distributions.BaseDistribution],
    cell: Cell,
) -> list[float]:
    """Minimise in rounds of ``cell["q"]`` and return the best value after each evaluation.

    The first ``cell["startup"]`` points are lattice points that depend on the seed only: they are
    the same for all methods.
    """
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
