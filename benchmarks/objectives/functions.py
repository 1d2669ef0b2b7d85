"""Test functions with several objectives on a box, from pymoo and from `engineering.py`.

Glossary: `n` points, `d` parameters, `m` objectives, `z` `(n, d)` points of a function's own
domain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from pymoo.problems import get_problem

from benchmarks.harness.arrays import Array
from benchmarks.objectives import engineering


@dataclass(frozen=True)
class Function:
    """Objectives on a box, all of which are minimised.

    Attributes:
        formula: Returns the values `(n, m)` of points `(n, d)` of the box.
        lower: Lower bounds `(d,)`.
        upper: Upper bounds `(d,)`.
        optimum: Where the Pareto set is, per parameter and as a share of its range: a number if
            all of the set has this value, None if the set extends over the range. Empty if
            unknown.
        constraints: Returns the constraints `(n, c)` of points `(n, d)`, satisfied if not
            positive.
    """

    formula: Callable[[Array], Array]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    optimum: tuple[float | None, ...] = ()
    constraints: Callable[[Array], Array] | None = None

    @property
    def dim(self) -> int:
        """Number of parameters."""
        return len(self.lower)

    def at(self, shares: Array) -> Array:
        """Return the points `(n, d)` of the box at shares `(n, d)` of the parameters' ranges."""
        lower = np.asarray(self.lower)
        return np.asarray(lower + shares * (np.asarray(self.upper) - lower))


def _pymoo(name: str, n_position: int | None = None, best: float = 0.0, **kwargs: int) -> Function:
    """Return a function of pymoo.

    Args:
        name: Its name in pymoo.
        n_position: Number of its first parameters that determine the position on the front. The
            Pareto set has the same share of the range, `best`, in all others. None if unknown.
        best: See `n_position`.
        kwargs: Arguments of the function, such as `n_var` and `n_obj`.
    """
    problem = get_problem(name, **kwargs)

    def evaluate(z: Array, kind: str) -> Array:
        return np.asarray(problem.evaluate(z, return_values_of=[kind]), dtype=float)

    optimum: tuple[float | None, ...] = ()
    if n_position is not None:
        optimum = (None,) * n_position + (best,) * (problem.n_var - n_position)
    return Function(
        partial(evaluate, kind="F"),
        tuple(np.broadcast_to(problem.xl, problem.n_var).astype(float).tolist()),
        tuple(np.broadcast_to(problem.xu, problem.n_var).astype(float).tolist()),
        optimum,
        partial(evaluate, kind="G") if problem.n_ieq_constr else None,
    )


def _dtlz(name: str, n_objectives: int, best: float, dim: int = 8) -> Function:
    return _pymoo(name, n_objectives - 1, best, n_var=dim, n_obj=n_objectives)


def _wfg(name: str, n_objectives: int) -> Function:
    """Return a WFG function with nine parameters and 2 or 4 objectives.

    The number of position parameters must be at least 4 and a multiple of `n_objectives - 1`, and
    for WFG2 and WFG3 the number of the others must be even.
    """
    n_position = {2: 5, 4: 6}[n_objectives]
    return _pymoo(name, n_position, 0.35, n_var=9, n_obj=n_objectives, k=n_position)


def _box(formula: Callable[[Array], Array], *ranges: Sequence[float]) -> Function:
    lower, upper = zip(*ranges, strict=True)
    return Function(formula, lower, upper)


#: The functions by name, made when they are needed.
_MAKERS: dict[str, Callable[[], Function]] = {
    **{f"zdt{k}": partial(_pymoo, f"zdt{k}", 1, n_var=8) for k in (1, 2, 3, 6)},
    "zdt4": partial(_pymoo, "zdt4", 1, 0.5, n_var=4),
    "kursawe": partial(_pymoo, "kursawe"),
    "welded-beam": partial(_pymoo, "welded_beam"),
    "dtlz1-m3": partial(_dtlz, "dtlz1", 3, 0.5, dim=5),
    "dtlz2-m2": partial(_dtlz, "dtlz2", 2, 0.5),
    "dtlz2-m3": partial(_dtlz, "dtlz2", 3, 0.5),
    "dtlz3-m2": partial(_dtlz, "dtlz3", 2, 0.5, dim=4),
    "dtlz3-m3": partial(_dtlz, "dtlz3", 3, 0.5, dim=5),
    "dtlz5-m3": partial(_dtlz, "dtlz5", 3, 0.5),
    "dtlz7-m3": partial(_dtlz, "dtlz7", 3, 0.0),
    "dtlz7-m4": partial(_dtlz, "dtlz7", 4, 0.0),
    **{f"wfg{k}-m2": partial(_wfg, f"wfg{k}", 2) for k in (1, 2, 3, 4, 5, 7)},
    **{f"wfg{k}-m4": partial(_wfg, f"wfg{k}", 4) for k in (4, 5, 7)},
    # These are not moved: equal position parameters do not trace their fronts.
    **{f"wfg{k}-m2": partial(_pymoo, f"wfg{k}", n_var=9, n_obj=2, k=5) for k in (6, 9)},
    **{f"wfg{k}-m4": partial(_pymoo, f"wfg{k}", n_var=9, n_obj=4, k=6) for k in (6, 9)},
    "cantilever": partial(_box, engineering.cantilever, (0.01, 0.05), (0.2, 1.0)),
    "four-bar-truss": partial(
        _box, engineering.four_bar_truss, (1, 3), (2**0.5, 3), (2**0.5, 3), (1, 3)
    ),
    "vehicle-safety": partial(_box, engineering.vehicle_safety, *[(1, 3)] * 5),
    "hatch-cover": partial(_box, engineering.hatch_cover, (0.5, 4), (0.5, 50)),
    "two-bar-truss": partial(_box, engineering.two_bar_truss, (1e-5, 100), (1e-5, 100), (1, 3)),
    "disc-brake": partial(
        _box, engineering.disc_brake, (55, 80), (75, 110), (1000, 3000), (11, 20)
    ),
    "rocket-injector": partial(_box, engineering.rocket_injector, *[(0, 1)] * 4),
    "car-side-impact": partial(
        _box,
        engineering.car_side_impact,
        (0.5, 1.5),
        (0.45, 1.35),
        (0.5, 1.5),
        (0.5, 1.5),
        (0.875, 2.625),
        (0.4, 1.2),
        (0.4, 1.2),
    ),
}
FUNCTIONS = tuple(_MAKERS)


@lru_cache
def function(name: str) -> Function:
    """Return the function of this name, one of `FUNCTIONS`."""
    return _MAKERS[name]()
