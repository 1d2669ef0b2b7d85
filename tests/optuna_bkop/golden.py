"""Studies whose trials are recorded, so that a change of structure leaves every number as it was.

``python tests/optuna_bkop/golden.py`` prints the trials of all studies as JSON. After a change
that is meant to alter suggestions, record them again:

    python tests/optuna_bkop/golden.py > tests/optuna_bkop/golden_trials.json

Equal numbers to the last bit need the same versions of the numerical packages and the same
instructions of the processor. The file holds the versions; `ENVIRONMENT` asks for instructions
that every x86-64 processor of the last ten years has.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

#: Variables under which the studies are run, in a process of their own.
ENVIRONMENT = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "OMP_NUM_THREADS": "1",
}


def versions() -> dict[str, str]:
    """What decides on the last bit beside the code."""
    names = ("numpy", "scipy", "cma")
    return {"machine": platform.machine(), **{name: version(name) for name in names}}


def run_all() -> dict[str, list[Any]]:
    """The last trials of each study: parameters, state and value."""
    import optuna

    from optuna_bkop import PAPER_SETTINGS, BKOPSampler
    from tests.support.constraints import set_constraint

    Float = optuna.distributions.FloatDistribution
    Int = optuna.distributions.IntDistribution
    Categorical = optuna.distributions.CategoricalDistribution
    State = optuna.trial.TrialState

    plane = {"x": Float(-2.0, 3.0), "y": Float(-1.0, 1.5)}
    cube6 = {f"x{j}": Float(-5.0, 5.0) for j in range(6)}
    mixed = {
        "lr": Float(1e-4, 1e-1, log=True),
        "x": Float(-1.0, 2.0),
        "n": Int(2, 20, step=2),
        "wide": Int(1, 100_000, log=True),
        "c": Categorical(["a", "b", "d"]),
    }
    grid = {"i": Int(0, 3), "c": Categorical(["a", "b", "d"])}

    def rosenbrock(params: dict[str, Any]) -> float:
        x = [params[name] for name in sorted(params)]
        return sum(100.0 * (b - a * a) ** 2 + (1.0 - a) ** 2 for a, b in itertools.pairwise(x))

    def of_mixed(params: dict[str, Any]) -> float:
        return (
            (math.log10(params["lr"]) + 2.0) ** 2
            + params["x"] ** 2
            + (params["n"] - 6) ** 2 / 50
            + (math.log10(params["wide"]) - 3.0) ** 2
            + "abd".index(params["c"])
        )

    def accuracy(params: dict[str, Any]) -> float:
        return round(20 * min(0.8, 1.0 - abs(params["x"] - 0.5) / 4 - abs(params["y"]) / 4)) / 20

    def of_conditional(trial: optuna.Trial) -> float:
        kind = trial.suggest_categorical("kind", ["linear", "tree", "net"])
        rate = trial.suggest_float("rate", 1e-3, 1.0, log=True)
        loss = (math.log10(rate) + 1.5) ** 2
        if kind == "linear":
            return loss + abs(trial.suggest_float("penalty", 0.0, 1.0) - 0.3) + 0.4
        if kind == "tree":
            return loss + (trial.suggest_int("depth", 1, 10) - 7) ** 2 / 20 + 0.1
        n_layers = trial.suggest_int("n_layers", 1, 2)
        widths = [trial.suggest_int(f"width{i}", 8, 64) for i in range(n_layers)]
        return loss + sum((width - 40) ** 2 for width in widths) / 900

    def study_of(direction: str = "minimize", pruner: Any = None, **arguments: Any) -> Any:
        arguments = {"seed": 7, "n_startup_trials": 8, **arguments}
        return optuna.create_study(
            sampler=BKOPSampler(**arguments), direction=direction, pruner=pruner
        )

    def sequential(
        space: dict[str, Any], value: Callable[[dict[str, Any]], float], n: int, **arguments: Any
    ) -> Any:
        study = study_of(**arguments)
        for _ in range(n):
            trial = study.ask(space)
            study.tell(trial, value(trial.params))
        return study

    def rounds(
        space: dict[str, Any],
        value: Callable[[dict[str, Any]], float],
        n: int,
        q: int,
        **arguments: Any,
    ) -> Any:
        study = study_of(**arguments)
        for _ in range(n):
            for trial in [study.ask(space) for _ in range(q)]:
                study.tell(trial, value(trial.params))
        return study

    def asynchronous() -> Any:
        study = study_of(batch_size=4)
        running = []
        for _ in range(30):
            running.append(study.ask(plane))
            if len(running) == 4:
                trial = running.pop(0)
                study.tell(trial, rosenbrock(trial.params))
        return study

    def conditional(n: int, q: int) -> Any:
        study = study_of()
        for _ in range(n):
            values = {}
            for trial in [study.ask() for _ in range(q)]:
                values[trial] = of_conditional(trial)
            for trial, value in values.items():
                study.tell(trial, value)
        return study

    def constrained(limit: float) -> Any:
        """Feasible below the limit; with a small one nothing is feasible for a while."""
        study = study_of()
        for _ in range(8):
            for trial in [study.ask(plane) for _ in range(4)]:
                x, y = trial.params["x"], trial.params["y"]
                set_constraint(trial, "disc", (x - 1.0) ** 2 + (y - 0.5) ** 2 - limit)
                set_constraint(trial, "half", x - y - 1.0)
                study.tell(trial, rosenbrock(trial.params))
        return study

    def failing() -> Any:
        study = study_of()
        for _ in range(8):
            for trial in [study.ask(plane) for _ in range(4)]:
                if trial.params["x"] > 1.2 or trial.number % 11 == 3:
                    study.tell(trial, state=State.FAIL)
                else:
                    study.tell(trial, rosenbrock(trial.params))
        return study

    def pruned() -> Any:
        study = study_of(pruner=optuna.pruners.MedianPruner(n_startup_trials=4))

        def objective(trial: optuna.Trial) -> float:
            params = {name: trial.suggest_float(name, d.low, d.high) for name, d in plane.items()}
            value = rosenbrock(params)
            for step in range(6):
                trial.report(value + 30.0 / (step + 1), step)
                if trial.should_prune():
                    raise optuna.TrialPruned
            return value + 5.0

        study.optimize(objective, n_trials=32)
        return study

    def infinite_and_enqueued() -> Any:
        study = study_of("maximize")
        study.enqueue_trial({"x": 0.5, "y": 0.25})
        for _ in range(24):
            trial = study.ask(plane)
            x, y = trial.params["x"], trial.params["y"]
            study.tell(trial, -math.inf if x + y > 2.5 else -rosenbrock({"x": x, "y": y}))
        return study

    def many() -> Any:
        """More trials than the active set and the fit see."""
        study = study_of()
        for i in range(640):
            params = {"x": -2.0 + 5.0 * (i * 0.618 % 1.0), "y": -1.0 + 2.5 * (i * 0.755 % 1.0)}
            study.add_trial(
                optuna.trial.create_trial(
                    params=params, distributions=plane, value=rosenbrock(params)
                )
            )
        for _ in range(2):
            for trial in [study.ask(plane) for _ in range(4)]:
                study.tell(trial, rosenbrock(trial.params))
        return study

    def several(directions: list[str], **arguments: Any) -> Any:
        """Rounds of four; with three objectives a constraint and a mixed space."""
        study = optuna.create_study(
            directions=directions,
            sampler=BKOPSampler(**{"seed": 7, "n_startup_trials": 8, **arguments}),
        )
        for _ in range(7):
            for trial in [study.ask(mixed if len(directions) == 3 else plane) for _ in range(4)]:
                x = trial.params["x"]
                if len(directions) == 3:
                    set_constraint(trial, "half", x - 1.0)
                    study.tell(trial, [of_mixed(trial.params), x, trial.params["n"]])
                else:
                    y = trial.params["y"]
                    study.tell(trial, [(x - 1.0) ** 2 + y**2, -(x**2) - (y - 1.0) ** 2])
        return study

    studies: dict[str, Callable[[], Any]] = {
        "continuous, sequential": lambda: sequential(plane, rosenbrock, 30),
        "continuous, rounds of 5": lambda: rounds(cube6, rosenbrock, 10, 5, n_startup_trials=20),
        "continuous, four in flight": asynchronous,
        "mixed, sequential": lambda: sequential(mixed, of_mixed, 24),
        "mixed, rounds of 4": lambda: rounds(mixed, of_mixed, 7, 4, batch_size=4),
        "conditional, sequential": lambda: conditional(30, 1),
        "conditional, rounds of 4": lambda: conditional(8, 4),
        "constrained": lambda: constrained(0.8),
        "constrained, feasible late": lambda: constrained(0.01),
        "failing": failing,
        "pruned": pruned,
        "maximised, infinite values, enqueued": infinite_and_enqueued,
        "ties": lambda: rounds(plane, accuracy, 10, 4, direction="maximize"),
        "finite space, exhausted": lambda: sequential(
            grid, lambda params: params["i"] + "abd".index(params["c"]), 14, n_startup_trials=4
        ),
        "more trials than the model sees": many,
        "half-rank, squared exponential": lambda: rounds(
            plane, rosenbrock, 6, 4, warping="half-rank", kernel="se", rkhs_norm=2.0
        ),
        "gp_bucb": lambda: rounds(plane, rosenbrock, 5, 4, strategy="gp_bucb"),
        "gp_ucb_pe": lambda: rounds(plane, rosenbrock, 5, 4, strategy="gp_ucb_pe"),
        "bull": lambda: rounds(plane, rosenbrock, 5, 4, strategy="bull"),
        "paper, rounds of 3": lambda: rounds(
            plane, rosenbrock, 5, 3, **{**PAPER_SETTINGS, "cma_evaluations": 1000}
        ),
        "paper, mixed, sequential": lambda: sequential(
            mixed, of_mixed, 14, **{**PAPER_SETTINGS, "cma_evaluations": 500}
        ),
        "two objectives": lambda: several(["minimize", "maximize"]),
        "three objectives, constrained, mixed": lambda: several(["minimize"] * 3),
        "two objectives, gp_bucb": lambda: several(["minimize", "maximize"], strategy="gp_bucb"),
    }
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return {
        name: [[t.params, t.state.name, _value(t)] for t in run().trials[-60:]]
        for name, run in studies.items()
    }


def _value(trial: Any) -> Any:
    """The value of a trial, or the list of its values."""
    return trial.values if trial.values and len(trial.values) > 1 else trial.value


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[2]))
    recorded = {"versions": versions(), "studies": run_all()}
    lines = [
        f"  {json.dumps(name)}: [\n    " + ",\n    ".join(map(json.dumps, trials)) + "\n  ]"
        for name, trials in recorded["studies"].items()
    ]
    sys.stdout.write(f'{{"versions": {json.dumps(recorded["versions"])}, "studies": {{\n')
    sys.stdout.write(",\n".join(lines) + "\n}}\n")
