"""Computes reference fronts: from the Pareto set where it is known, else by long searches."""

from __future__ import annotations

import numpy as np
import optuna
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem as PymooProblem
from pymoo.optimize import minimize

from benchmarks.harness.arrays import Array
from benchmarks.harness.studies import Problem
from benchmarks.objectives.catalogue import problem
from benchmarks.objectives.functions import Function
from benchmarks.objectives.problems import FunctionProblem
from benchmarks.objectives.references import Reference, reference_of

#: Points of a known Pareto set from which its front is computed, by the number of objectives. The
#: hypervolume of four objectives takes quadratic time.
SET_POINTS = {2: 100_000, 3: 1_000_000, 4: 200_000}
#: Share of their parameters that are 0 or 1, because a front may end there.
EDGES = 0.1
#: Exponents of uniform numbers that trace a front evenly, where uniform ones do not: WFG1 takes
#: its position parameters to the power of 0.02.
POWERS = {"wfg1-m2": 50.0}
#: Population and generations of the long searches on functions, and their seeds.
POPULATION, GENERATIONS, SEEDS = 200, 200, (0, 1)
#: Trials of the search on a tuning task. Few, because runs of all samplers extend its front.
TRIALS = 300
#: Reference points of problems on which random search and both forms of NSGA have a gap
#: of 1 with the rule of `references.py`, which says nothing about them. The numbers are about the
#: worst values on the fronts of 100 random points, or on the known front if those are worse.
FAR_POINTS = {
    "zdt4": (1.1, 80.0),
    "zdt6": (1.1, 8.0),
    "wfg1-m2": (3.0, 4.5),
    "dtlz3-m2": (400.0, 400.0),
    "dtlz3-m3": (400.0, 400.0, 400.0),
    "dtlz1-m3": (200.0, 200.0, 200.0),
    "dtlz7-m3": (1.0, 1.0, 20.0),
    "dtlz7-m4": (1.0, 1.0, 1.0, 30.0),
}


def compute_reference(name: str) -> Reference:
    """Return the reference of a problem, whose front is computed here.

    The front is that of the Pareto set where it is known, and of long runs of NSGA-II otherwise.
    """
    found = problem(name)
    if not isinstance(found, FunctionProblem):
        text = f"{TRIALS} trials of NSGA-II"
        return reference_of(_search_trials(found), text, extendable=True)
    function = found.function
    if function.optimum:
        values = function.formula(function.at(_pareto_set(function, POWERS.get(name, 1.0))))
        return reference_of(values, "the known Pareto set", point=FAR_POINTS.get(name))
    text = f"{len(SEEDS)} runs of NSGA-II, {POPULATION * GENERATIONS} evaluations each"
    return reference_of(np.concatenate([_search(function, seed) for seed in SEEDS]), text)


def _pareto_set(function: Function, power: float) -> Array:
    """Return random points `(n, d)` of a known Pareto set, in the unit cube.

    Some of them lie on the edges and corners of the cube.

    The position parameters of a front with m objectives form m - 1 groups. Only the mean of a
    group counts (WFG), and equal parameters trace its whole range evenly. They are uniform numbers
    to the power of `power`.
    """
    best = np.array(function.optimum, dtype=float)
    is_free = np.isnan(best)
    n_groups = function.formula(function.at(np.zeros((1, len(best))))).shape[1] - 1
    rng = np.random.default_rng(0)
    free = rng.random((SET_POINTS[n_groups + 1], n_groups)) ** power
    free = np.where(rng.random(free.shape) < EDGES, np.round(rng.random(free.shape)), free)
    points = np.tile(best, (len(free), 1))
    points[:, is_free] = np.repeat(free, is_free.sum() // n_groups, axis=1)
    return points


def _search(function: Function, seed: int) -> Array:
    """Return the values `(n, m)` of all feasible points that a long run of NSGA-II has seen.

    Its last population alone is too small: a hundred points of a good sampler may dominate more.
    """
    seen: list[Array] = []

    class Wrapped(PymooProblem):  # type: ignore[misc]
        def _evaluate(self, x: Array, out: dict[str, Array], *_: object, **__: object) -> None:
            out["F"] = function.formula(x)
            if function.constraints is None:
                seen.append(out["F"])
            else:
                out["G"] = function.constraints(x)
                seen.append(out["F"][(out["G"] <= 0).all(axis=1)])

    start = np.asarray(function.lower)[None]
    n_constraints = 0 if function.constraints is None else function.constraints(start).shape[1]
    wrapped = Wrapped(
        n_var=function.dim,
        n_obj=function.formula(start).shape[1],
        n_ieq_constr=n_constraints,
        xl=np.asarray(function.lower),
        xu=np.asarray(function.upper),
    )
    minimize(wrapped, NSGA2(pop_size=POPULATION), ("n_gen", GENERATIONS), seed=seed)
    return np.concatenate(seen)


def _search_trials(found: Problem) -> Array:
    """Return the values `(n, m)` of all trials of a long study with NSGA-II."""
    values: list[Array] = []

    def objective(trial: optuna.Trial) -> tuple[float, ...]:
        found.suggest(trial)
        values.append(found.evaluate(trial.params).values)
        return tuple(values[-1].tolist())

    probe = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0)).ask()
    found.suggest(probe)
    n_objectives = len(found.evaluate(probe.params).values)
    sampler = optuna.samplers.NSGAIISampler(seed=0)
    study = optuna.create_study(directions=["minimize"] * n_objectives, sampler=sampler)
    study.optimize(objective, n_trials=TRIALS)
    return np.array(values)
