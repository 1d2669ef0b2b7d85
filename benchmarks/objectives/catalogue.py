"""All problems by name, and which of them the sampler is developed on."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.harness.studies import Problem
from benchmarks.objectives.problems import FunctionProblem, heavy_tailed, scaled
from benchmarks.objectives.tasks import TASK_PROBLEMS

_STRETCHED = {
    "zdt1-scaled": FunctionProblem("zdt1", stretch=scaled),
    "dtlz2-m3-heavy": FunctionProblem("dtlz2-m3", stretch=heavy_tailed),
    "zdt6-scaled": FunctionProblem("zdt6", stretch=scaled),
    "wfg5-m2-heavy": FunctionProblem("wfg5-m2", stretch=heavy_tailed),
}

#: Choices of the sampler are made on these. Seeds from 100 on are for them.
DEVELOPMENT = (
    "zdt1",
    "zdt2",
    "zdt3",
    "dtlz2-m2",
    "dtlz2-m3",
    "kursawe",
    "four-bar-truss",
    "vehicle-safety",
    "zdt1-scaled",
    "dtlz2-m3-heavy",
    "wfg3-m2",
    "wfg6-m2",
    "wfg6-m4",
    "wfg9-m2",
    "wfg9-m4",
    "dtlz3-m2",
    "dtlz3-m3",
    "cantilever",
)
#: No choice is made on these: they are reported, with seeds from 0 on.
REPORTED = (
    "zdt4",
    "zdt6",
    "zdt6-scaled",
    "wfg1-m2",
    "wfg2-m2",
    "wfg4-m2",
    "wfg5-m2-heavy",
    "wfg7-m2",
    "wfg4-m4",
    "wfg5-m4",
    "wfg7-m4",
    "dtlz1-m3",
    "dtlz5-m3",
    "dtlz7-m3",
    "dtlz7-m4",
    "hatch-cover",
    "two-bar-truss",
    "disc-brake",
    "rocket-injector",
    "car-side-impact",
    "welded-beam",
)
#: The tuning tasks.
TASKS = tuple(TASK_PROBLEMS)
PROBLEMS = DEVELOPMENT + REPORTED + TASKS


def problem(name: str, seed: int = 0) -> Problem:
    """Return the problem of this name, one of `PROBLEMS`.

    The seed determines where the optimum of a test function is moved to; tasks ignore it.
    """
    if name in TASK_PROBLEMS:
        return TASK_PROBLEMS[name]
    if name in _STRETCHED:
        return replace(_STRETCHED[name], seed=seed)
    return FunctionProblem(name, seed)


def base_name(name: str) -> str:
    """Return the name of the problem with the same values, before they are stretched.

    Only some problems are stretched; all others keep their name.
    """
    return _STRETCHED[name].name if name in _STRETCHED else name
