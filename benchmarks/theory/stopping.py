"""When a study stops, and what regret is left then: the certificate against Optuna's evaluators.

A study runs to its last trial once. Each rule scores the trials up to every number from `WARMUP`
on, and stops at the first score that is at most a threshold. All thresholds of all rules are so
compared on the same trials. Trials are recorded, and with them the scores of Optuna's regret
bound, which take longer than all else; other scores are computed when a record is read.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import optuna
from optuna.distributions import distribution_to_json, json_to_distribution
from optuna.study import StudyDirection
from optuna.terminator import BestValueStagnationEvaluator, RegretBoundEvaluator
from optuna.trial import FrozenTrial, TrialState

from benchmarks.harness.arrays import Array
from benchmarks.harness.records import Cell, Record
from benchmarks.harness.runner import run_cell
from benchmarks.regret.problems import Problem
from benchmarks.tuning.references import REFERENCES, load_references
from benchmarks.tuning.runs import split_of
from benchmarks.tuning.tasks import TASKS
from optuna_bkop import BKOPSampler
from optuna_bkop.stopping import RegretCertificateEvaluator, stop_when_certified

#: The functions; all have two parameters by default, Hartmann's six.
FUNCTIONS = (
    *("rosenbrock", "nesterov", "different-powers", "dixon-price", "ackley", "levy"),
    *("hartmann6", "branin", "michalewicz", "styblinski-tang"),
)
#: The tasks without noise and with the cheapest evaluations.
STOPPED_TASKS = (
    *("svm-cancer", "svr-diabetes", "perceptron-wine"),
    *("solvers-iris", "nearest-digits", "trees-diabetes"),
)
#: Rules are asked from this trial on: Optuna's default for terminators.
WARMUP = 20
#: Regret bounds are compared with the gap times each of these; 1 is the rule as it is meant.
MULTIPLIERS = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0)
#: Numbers of trials without a better one; 30 is Optuna's default.
STAGNATIONS = (30, 20, 15, 10, 7, 5)
#: A rule that knows the regret left stops when it is at most the gap times each of these.
KNOWN_MULTIPLIERS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
#: Scores of regret bounds are computed until they are this small, relative to the range.
LEAST_SCORE = 0.001
#: Names of the rules, with their default thresholds.
CERTIFICATE, BOUND, STAGNATION, KNOWN = (
    *("certificate (estimate)", "RegretBoundEvaluator"),
    *("BestValueStagnationEvaluator", "regret known"),
)
DEFAULTS = {
    **{CERTIFICATE: "gap x 1", BOUND: "gap x 1"},
    **{STAGNATION: "30 trials", KNOWN: "gap x 1"},
}


@dataclass(frozen=True)
class StoppedCell(Cell):
    """All that identifies a study.

    Attributes:
        name: A function or a task.
        dim: Number of parameters of a function; 0 for a task.
        seed: Seed of the sampler, and of the function.
        trials: Number of trials.
    """

    name: str
    dim: int
    seed: int
    trials: int


@dataclass(frozen=True)
class Stop:
    """Where a rule stops a study.

    Attributes:
        n_trials: Number of trials; all of them if the rule never stops.
        stopped: Whether the rule stopped the study.
        left: Regret of the best trial, relative to the range of the values seen.
    """

    n_trials: int
    stopped: bool
    left: float


def function_cell(name: str, dim: int, seed: int, trials: int) -> StoppedCell:
    """Return the cell of a function; some have a fixed number of parameters."""
    return StoppedCell("bkop", name, {"hartmann6": 6, "branin": 2}.get(name, dim), seed, trials)


def run(cell: StoppedCell) -> Record:
    """Return the record of a study: parameters, values, distributions and the optimum.

    If torch is installed, the record has the scores of Optuna's regret bound too.
    """
    return run_cell(cell, _measure)


def _measure(cell: StoppedCell) -> Record:
    study = optuna.create_study(sampler=BKOPSampler(seed=cell.seed))
    if cell.dim:
        problem, optimum = Problem(cell.name, cell.dim, cell.seed), 0.0
        study.optimize(lambda trial: function_value(problem, trial), n_trials=cell.trials)
    else:
        task = TASKS[cell.name]
        study.optimize(
            lambda trial: task.loss(task.model(trial), split_of(cell.seed, trial.number)),
            n_trials=cell.trials,
        )
        optimum = min(load_references(REFERENCES)[cell.name].best, study.best_value)
    distributions = {k: v for trial in study.trials for k, v in trial.distributions.items()}
    record: Record = {
        "params": [trial.params for trial in study.trials],
        "values": [trial.value for trial in study.trials],
        "distributions": {k: distribution_to_json(v) for k, v in distributions.items()},
        "optimum": optimum,
    }
    if importlib.util.find_spec("torch") is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            bound = RegretBoundEvaluator(seed=cell.seed)
        record["regret_bounds"] = scores(
            lambda trials: bound.evaluate(trials, StudyDirection.MINIMIZE) / value_range(trials),
            study.trials,
            LEAST_SCORE,
        )
    return record


def trials_of(record: Record) -> list[FrozenTrial]:
    """Return the trials of a record."""
    distributions = {k: json_to_distribution(v) for k, v in record["distributions"].items()}
    return [
        optuna.trial.create_trial(
            params=params, distributions={k: distributions[k] for k in params}, value=value
        )
        for params, value in zip(record["params"], record["values"], strict=True)
    ]


def thresholds(label: str, gap: float) -> dict[str, float]:
    """Return the thresholds of a rule by name, for a gap relative to the range."""
    if label == STAGNATION:
        return {f"{n} trials": -float(n) for n in STAGNATIONS}
    multipliers = KNOWN_MULTIPLIERS if label == KNOWN else MULTIPLIERS
    return {f"gap x {m:g}": m * gap for m in multipliers}


def scores_of(record: Record) -> dict[str, list[float]]:
    """Return the scores of a recorded study by rule; without Optuna's bound if not recorded.

    The last rule, `KNOWN`, has the regret left as its score. No rule can know that; it shows what
    the best possible stops would leave.
    """
    low, trials = StudyDirection.MINIMIZE, trials_of(record)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        stagnation = BestValueStagnationEvaluator(0)
    certificate = RegretCertificateEvaluator(relative=True)
    found = {
        CERTIFICATE: scores(lambda some: certificate.evaluate(some, low), trials, LEAST_SCORE)
    }
    if "regret_bounds" in record:
        found[BOUND] = record["regret_bounds"]
    longest = -float(max(STAGNATIONS))
    found[STAGNATION] = scores(lambda some: stagnation.evaluate(some, low), trials, longest)
    values = np.array(record["values"])
    ends = range(WARMUP, len(values) + 1)
    found[KNOWN] = [regret_left(values[:n], record["optimum"]) for n in ends]
    return found


def regret_left(values: Array, optimum: float) -> float:
    """Return the regret of the best of values (n,), relative to their range."""
    return float(values.min() - optimum) / float(np.ptp(values))


def value_range(trials: list[FrozenTrial]) -> float:
    """Return the range of the values of trials."""
    return float(np.ptp([trial.values[0] for trial in trials]))


def scores(
    score: Callable[[list[FrozenTrial]], float], trials: list[FrozenTrial], least: float
) -> list[float]:
    """Return the scores from `WARMUP` trials on, until one is at most ``least``."""
    found: list[float] = []
    for n in range(WARMUP, len(trials) + 1):
        found.append(float(score(trials[:n])))
        if found[-1] <= least:
            break
    return found


def stop_at(found: list[float], threshold: float, values: Array, optimum: float) -> Stop:
    """Return where a rule with these scores stops a study with values (n,)."""
    first = next((k for k, score in enumerate(found) if score <= threshold), None)
    n = len(values) if first is None else WARMUP + first
    return Stop(n, first is not None, regret_left(values[:n], optimum))


def stops_of(record: Record, gap: float) -> dict[str, dict[str, Stop]]:
    """Return where each rule stops a recorded study, by rule and threshold."""
    values = np.array(record["values"])
    return {
        label: {
            name: stop_at(found, threshold, values, record["optimum"])
            for name, threshold in thresholds(label, gap).items()
        }
        for label, found in scores_of(record).items()
    }


def function_value(problem: Problem, trial: optuna.Trial) -> float:
    """Return the value of a problem at the trial's parameters."""
    point = [trial.suggest_float(f"x{j}", 0, 1) for j in range(problem.dim)]
    return float(problem.values(np.array([point]))[0])


def parallel_states(name: str, seed: int, relative: float, n_trials: int) -> dict[TrialState, int]:
    """Run a study with four threads until it is certified; return how many trials ended how."""
    problem = Problem(name, {"hartmann6": 6}.get(name, 2), seed)
    study = optuna.create_study(sampler=BKOPSampler(seed=seed))
    study.optimize(
        lambda trial: function_value(problem, trial),
        n_trials=n_trials,
        n_jobs=4,
        callbacks=[stop_when_certified(relative=relative)],
    )
    states = [trial.state for trial in study.trials]
    return {state: states.count(state) for state in set(states)}
