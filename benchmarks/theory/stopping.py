"""When a study stops, and what regret is left then: the certificate against Optuna's evaluators.

A study runs to its last trial once. Each rule is then asked after every trial, from `WARMUP` on,
whether it would have stopped there, so that all rules see the same trials.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import optuna
from optuna.study import StudyDirection
from optuna.terminator import BestValueStagnationEvaluator, RegretBoundEvaluator
from optuna.trial import FrozenTrial, TrialState

from benchmarks.regret.problems import Problem
from benchmarks.tuning.references import REFERENCES, load_references
from benchmarks.tuning.runs import split_of
from benchmarks.tuning.tasks import TASKS
from optuna_bkop import BKOPSampler
from optuna_bkop.stopping import RegretCertificateEvaluator, stop_when_certified

#: The functions; all have two parameters, Hartmann's six.
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

#: Maps trials and the gap, in the objective's units, to whether to stop.
Rule = Callable[[list[FrozenTrial], float], bool]


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


def rules(seed: int) -> dict[str, Rule]:
    """Return the rules by name. Those with a regret bound stop when it is below the gap.

    Optuna's regret bound needs torch and is left out without it.
    """
    low = StudyDirection.MINIMIZE
    certificate = RegretCertificateEvaluator()
    found: dict[str, Rule] = {
        "certificate (estimate)": lambda trials, gap: certificate.evaluate(trials, low) <= gap
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        stagnation = BestValueStagnationEvaluator()
        if importlib.util.find_spec("torch") is not None:
            bound = RegretBoundEvaluator(seed=seed)
            found["RegretBoundEvaluator"] = lambda trials, gap: bound.evaluate(trials, low) <= gap
    return found | {
        "BestValueStagnationEvaluator": lambda trials, _: stagnation.evaluate(trials, low) <= 0
    }


def function_trials(
    name: str, dim: int, seed: int, n_trials: int
) -> tuple[list[FrozenTrial], float]:
    """Return the trials of a study of a test function, and the minimum."""
    problem = Problem(name, {"hartmann6": 6, "branin": 2}.get(name, dim), seed)
    study = optuna.create_study(sampler=BKOPSampler(seed=seed))
    study.optimize(lambda trial: function_value(problem, trial), n_trials=n_trials)
    return study.trials, 0.0


def function_value(problem: Problem, trial: optuna.Trial) -> float:
    """Return the value of a problem at the trial's parameters."""
    point = [trial.suggest_float(f"x{j}", 0, 1) for j in range(problem.dim)]
    return float(problem.values(np.array([point]))[0])


def task_trials(name: str, seed: int, n_trials: int) -> tuple[list[FrozenTrial], float]:
    """Return the trials of a study of a tuning task, and the best known loss."""
    task = TASKS[name]
    study = optuna.create_study(sampler=BKOPSampler(seed=seed))
    study.optimize(
        lambda trial: task.loss(task.model(trial), split_of(seed, trial.number)),
        n_trials=n_trials,
    )
    return study.trials, min(load_references(REFERENCES)[name].best, study.best_value)


def stop_of(rule: Rule, trials: list[FrozenTrial], optimum: float, relative: float) -> Stop:
    """Return where a rule stops, with a gap of ``relative`` times the range of values seen."""
    values = np.array([trial.value for trial in trials])
    counts = range(WARMUP, len(trials) + 1)
    is_met = (rule(trials[:n], relative * float(np.ptp(values[:n]))) for n in counts)
    first = next((n for n, stops in zip(counts, is_met, strict=True) if stops), None)
    n, stopped = (len(trials), False) if first is None else (first, True)
    return Stop(n, stopped, float(values[:n].min() - optimum) / float(np.ptp(values[:n])))


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
