"""Seconds and memory of an ask: `python -m benchmarks.latency --help`."""

from __future__ import annotations

import itertools
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import click
import numpy as np
import optuna
from matplotlib.figure import Figure
from optuna.distributions import BaseDistribution, FloatDistribution

from benchmarks import peers, results
from benchmarks.commands import FILE, SAMPLERS_HELP, available, failed, run_missing
from benchmarks.plots import COLOURS
from benchmarks.problems import Problem
from benchmarks.results import Rows
from benchmarks.runs import Record, recorded

FUNCTION = "rosenbrock"
# While one of the three varies, the others are these.
BASE = {"trials": 100, "dim": 6, "q": 5}
IMPORTS = 5
MEASURES = {
    "cpu": "CPU seconds per ask",
    "wall": "wall seconds per ask",
    "slowest": "wall seconds of the slowest ask",
    "cold": "CPU seconds per ask, first round",
    "peak_mib": "peak memory of the asks, MiB",
    "process_mib": "peak memory of the process, MiB",
}


@dataclass(frozen=True)
class Cell:
    """All that identifies a measurement; the fields are those of its record.

    Attributes:
        sampler: A name or description that `benchmarks.peers` understands.
        trials: Number of finished trials.
        dim: Number of parameters.
        q: Asks per round, before any of them is told.
        rounds: Number of rounds.
    """

    sampler: str
    trials: int
    dim: int
    q: int
    rounds: int


def cell_of(record: Record) -> Cell:
    """Return what identifies the measurement of a record."""
    return Cell(**{field.name: record[field.name] for field in fields(Cell)})


def run(cell: Cell) -> Record:
    """Return the record of a measurement, to be called in a fresh process.

    It holds the fields of the cell, the `versions` used, and either the keys of `MEASURES`, or
    `error` and `traceback`. The first round is cold: all trials are new to the sampler. The
    others count as `cpu`, `wall` and `slowest`; if there is no other, the first does. `peak_mib`
    is what the asks needed beyond what the process held before them, `process_mib` is all.
    """
    return asdict(cell) | recorded(cell.sampler, lambda: _measure(cell))


def _measure(cell: Cell) -> Record:
    # Modules that are imported late are not part of an ask.
    _ask_and_tell(_filled_study(cell.sampler, 30, 2), 2, 2)
    study = _filled_study(cell.sampler, cell.trials, cell.dim)
    before = _memory_mib(reset=True)
    seconds = np.array(
        [_ask_and_tell(study, cell.dim, cell.q) for _ in range(cell.rounds)]
    )  # (rounds, q, 2)
    peak = _memory_mib()
    warm = seconds[1:] if cell.rounds > 1 else seconds
    found = {
        "cpu": warm[..., 0].mean(),
        "wall": warm[..., 1].mean(),
        "slowest": warm[..., 1].max(),
        "cold": seconds[0, :, 0].mean(),
        "peak_mib": peak - before,
        "process_mib": peak,
    }
    return {name: float(f"{value:.3g}") for name, value in found.items()}


def _space(dim: int) -> dict[str, BaseDistribution]:
    return {f"x{i}": FloatDistribution(0.0, 1.0) for i in range(dim)}


def _filled_study(sampler: str, trials: int, dim: int) -> optuna.Study:
    """Return a study with finished trials at random points of a smooth function."""
    points = np.random.default_rng(0).random((trials, dim))
    values = Problem(FUNCTION, dim).values(points)
    study = optuna.create_study(sampler=peers.make(sampler, seed=0))
    space = _space(dim)
    study.add_trials(
        optuna.trial.create_trial(
            params=dict(zip(space, point, strict=True)), distributions=space, value=value
        )
        for point, value in zip(points.tolist(), values.tolist(), strict=True)
    )
    return study


def _ask_and_tell(study: optuna.Study, dim: int, q: int) -> list[tuple[float, float]]:
    """Return CPU and wall seconds of each of q asks, and tell the values of all."""
    space = _space(dim)
    trials, seconds = [], []
    for _ in range(q):
        cpu, wall = time.process_time(), time.perf_counter()
        trials.append(study.ask(space))
        seconds.append((time.process_time() - cpu, time.perf_counter() - wall))
    points = np.array([[trial.params[name] for name in space] for trial in trials])
    for trial, value in zip(trials, Problem(FUNCTION, dim).values(points).tolist(), strict=True):
        study.tell(trial, value)
    return seconds


def _memory_mib(reset: bool = False) -> float:
    """Return the most memory that the process held, or since a reset what it holds.

    Only Linux can reset; elsewhere an earlier peak may hide a lower one.
    """
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except OSError:
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def import_seconds() -> float:
    """Return the seconds that `import optuna_bkop` takes after `import optuna`, at best."""
    code = (
        "import time, optuna; start = time.perf_counter(); import optuna_bkop; "
        "print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", code]
    runs = [
        subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(IMPORTS)
    ]
    return min(float(run.stdout) for run in runs)


def sweeps(trials: Sequence[int], dims: Sequence[int], batches: Sequence[int]) -> list[Cell]:
    """Return cells, yet without sampler, in which one of the three varies about `BASE`."""
    varied: dict[str, Sequence[int]] = {"trials": trials, "dim": dims, "q": batches}
    return list(
        dict.fromkeys(
            Cell(sampler="", rounds=0, **BASE | {name: value})
            for name, values in varied.items()
            for value in values
        )
    )


def tables(records: Sequence[Record]) -> list[Rows]:
    """Return a table per measure: a row per cell, a column per sampler."""
    samplers = list(dict.fromkeys(record["sampler"] for record in records))
    cells = sorted({(r["trials"], r["dim"], r["q"]) for r in records})
    found = []
    for key, title in MEASURES.items():
        rows = [[title, "trials", "d", "q", *samplers]]
        for cell in cells:
            of_cell = {r["sampler"]: r for r in records if (r["trials"], r["dim"], r["q"]) == cell}
            values = [of_cell.get(sampler, {}).get(key) for sampler in samplers]
            texts = ["-" if value is None else f"{value:.3g}" for value in values]
            rows.append(["", *map(str, cell), *texts])
        found.append(rows)
    return found


def plot(records: Sequence[Record], output: Path) -> None:
    """Write a picture of CPU seconds and memory against trials, parameters and asks per round."""
    samplers = list(dict.fromkeys(record["sampler"] for record in records))
    figure = Figure(figsize=(10, 5.5), layout="constrained")
    grid = figure.subplots(2, 3, sharex="col", sharey="row", squeeze=False)
    names = {"trials": "finished trials", "dim": "parameters", "q": "asks per round"}
    for row, key in zip(grid, ("cpu", "peak_mib"), strict=True):
        for axes, varied in zip(row, names, strict=True):
            fixed = {name: value for name, value in BASE.items() if name != varied}
            shown = [r for r in records if all(r[n] == value for n, value in fixed.items())]
            for colour, sampler in zip(itertools.cycle(COLOURS), samplers, strict=False):
                points = sorted((r[varied], r[key]) for r in shown if r["sampler"] == sampler)
                x, y = [point[0] for point in points], [point[1] for point in points]
                axes.plot(x, y, "o-", color=colour, label=sampler)
            axes.set(xscale="log", yscale="log")
            ticks = sorted({r[varied] for r in shown})
            axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], fontsize=8)
            axes.set_xticks([], minor=True)
            axes.grid(True, which="major", color="0.92", linewidth=0.8)
            axes.spines[["top", "right"]].set_visible(False)
        row[0].set_ylabel(MEASURES[key])
    for axes, label in zip(grid[-1], names.values(), strict=True):
        axes.set_xlabel(label)
    figure.align_ylabels()
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(output, dpi=150)


def parse_limits(texts: tuple[str, ...]) -> dict[str, int]:
    """Return the largest number of trials by sampler from texts such as `gp=1000`."""
    limits = {}
    for text in texts:
        sampler, _, number = text.rpartition("=")
        if not sampler or not number.isdecimal():
            raise click.BadParameter(f"expected sampler=number such as gp=1000, got {text!r}.")
        limits[sampler] = int(number)
    return limits


@click.command()
@click.option(
    "--sampler",
    "samplers",
    multiple=True,
    default=["bkop", "tpe", "gp"],
    show_default=True,
    help=SAMPLERS_HELP,
)
@click.option(
    "--trials",
    multiple=True,
    type=click.IntRange(1),
    default=[20, 100, 300, 1000, 2000, 5000, 10_000],
    show_default=True,
    help="Numbers of finished trials. Repeatable.",
)
@click.option(
    "--dim",
    "dims",
    multiple=True,
    type=click.IntRange(2),
    default=[2, 6, 20, 50],
    show_default=True,
    help="Numbers of parameters. Repeatable.",
)
@click.option(
    "--rounds-of",
    "batches",
    multiple=True,
    type=click.IntRange(1),
    default=[1, 5, 10, 50],
    show_default=True,
    help="Asks per round. Repeatable.",
)
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    callback=lambda _context, _option, texts: parse_limits(texts),
    default=["gp=1000"],
    show_default=True,
    help="Most finished trials of a sampler. Repeatable.",
)
@click.option("--output", type=FILE, required=True, help="JSONL file, resumed if it exists.")
@click.option("--plot", "picture", type=FILE, help="Picture to write, such as latency.png.")
@click.option("--markdown", is_flag=True, help="Print Markdown tables.")
def main(
    samplers: tuple[str, ...],
    trials: tuple[int, ...],
    dims: tuple[int, ...],
    batches: tuple[int, ...],
    rounds: int,
    limits: dict[str, int],
    output: Path,
    picture: Path | None,
    markdown: bool,
) -> None:
    """Measure what an ask costs and print tables of it.

    Finished trials, parameters and asks per round vary one at a time, about 100, 6 and 5. Each
    measurement has a process of its own. Those that the file already has are skipped; the tables
    and the picture are of all that it has. Peers that are not installed are dropped.
    """
    cells = [
        Cell(**asdict(cell) | {"sampler": sampler, "rounds": rounds})
        for cell, sampler in itertools.product(sweeps(trials, dims, batches), available(samplers))
        if cell.trials <= limits.get(sampler, cell.trials)
    ]
    run_missing(cells, run, cell_of, output, fresh_processes=True)
    records = [r for r in results.load([output], cell_of) if not failed(r)]
    for rows in tables(records):
        click.echo((results.markdown(rows) if markdown else results.aligned(rows)) + "\n")
    click.echo(f"import optuna_bkop after optuna: {import_seconds():.3f} s, best of {IMPORTS}")
    if picture is not None:
        plot(records, picture)


if __name__ == "__main__":
    main()
