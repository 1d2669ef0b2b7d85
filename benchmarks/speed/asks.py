"""CPU seconds, wall seconds and memory of an ask, for one sampler and one size of study."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution

from benchmarks.harness import samplers
from benchmarks.harness.records import Cell, Record
from benchmarks.harness.runner import run_cell
from benchmarks.regret.problems import Problem

#: The function whose values trials have, unless another one is asked for.
FUNCTION = "rosenbrock"
#: Key of a record -> title of its table.
MEASURES = {
    "cpu": "CPU seconds per ask",
    "wall": "wall seconds per ask",
    "slowest": "wall seconds of the slowest ask",
    "cold": "CPU seconds per ask, first round",
    "peak_mib": "peak memory of the asks, MiB",
    "process_mib": "peak memory of the process, MiB",
}
#: Trials and parameters of a small study that is asked first, so that every module is imported.
_WARM_UP_TRIALS, _WARM_UP_DIM = 30, 2


@dataclass(frozen=True)
class AskCell(Cell):
    """All that identifies a measurement: the sampler (see `Cell`) and the following fields.

    Attributes:
        trials: Number of finished trials.
        dim: Number of parameters.
        q: Asks per round; their values are told at the end of the round.
        rounds: Number of rounds.
        function: A key of `benchmarks.regret.functions.FUNCTIONS`, which gives the values.
    """

    trials: int
    dim: int
    q: int
    rounds: int
    function: str = FUNCTION


def run(cell: AskCell) -> Record:
    """Return the record of a measurement. Call it in a new process.

    Besides the cell and the versions it holds the keys of `MEASURES`. The first round is cold: all
    trials are new to the sampler. `cpu`, `wall` and `slowest` are taken over the asks of the later
    rounds, or of the first round if there is only one. `peak_mib` is the memory that the asks
    needed in addition to what the process held before; `process_mib` is that of the whole process.
    """
    return run_cell(cell, _measure)


def _measure(cell: AskCell) -> Record:
    warm_up = Problem(FUNCTION, _WARM_UP_DIM)
    _ask_and_tell(_filled_study(cell.sampler, _WARM_UP_TRIALS, warm_up), warm_up, 2)
    problem = Problem(cell.function, cell.dim)
    study = _filled_study(cell.sampler, cell.trials, problem)
    before = _memory_mib(reset=True)
    seconds = np.array(
        [_ask_and_tell(study, problem, cell.q) for _ in range(cell.rounds)]
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


def _filled_study(sampler: str, trials: int, problem: Problem) -> optuna.Study:
    """Return a study with finished trials at random points."""
    points = np.random.default_rng(0).random((trials, problem.dim))
    values = problem.values(points)
    study = optuna.create_study(sampler=samplers.make(sampler, seed=0))
    space = _space(problem.dim)
    study.add_trials(
        optuna.trial.create_trial(
            params=dict(zip(space, point, strict=True)), distributions=space, value=value
        )
        for point, value in zip(points.tolist(), values.tolist(), strict=True)
    )
    return study


def _ask_and_tell(study: optuna.Study, problem: Problem, q: int) -> list[tuple[float, float]]:
    """Ask for q trials, tell their values, and return CPU and wall seconds of each ask."""
    space = _space(problem.dim)
    trials, seconds = [], []
    for _ in range(q):
        cpu, wall = time.process_time(), time.perf_counter()
        trials.append(study.ask(space))
        seconds.append((time.process_time() - cpu, time.perf_counter() - wall))
    points = np.array([[trial.params[name] for name in space] for trial in trials])
    for trial, value in zip(trials, problem.values(points).tolist(), strict=True):
        study.tell(trial, value)
    return seconds


def _memory_mib(reset: bool = False) -> float:
    """Return the peak memory of this process since the last reset, in MiB; NaN on Windows.

    Args:
        reset: Reset the peak to the present memory first. Only Linux can do so; elsewhere an
            earlier, higher peak is returned.
    """
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except OSError:
        if sys.platform == "win32":
            return math.nan  # not measured there
        import resource

        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
