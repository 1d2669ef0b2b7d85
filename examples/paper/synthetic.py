"""The paper's Figure 1: six test functions, BKOP against GP-BUCB and GP-UCB-PE.

d = 6, batch sizes 5 and 10, 20 lattice points that are the same for all methods, 100 more
evaluations; mean and standard error of the simple regret. As in the paper the optima are where
the formulas have them; `--shift` moves them. `--settings` chooses what is compared: see
`SETTINGS` in `_common.py`.

    python -m examples.paper.synthetic
    python -m examples.paper.synthetic --settings paper --cma-evaluations 2000

Obtained by `python -m examples.paper.synthetic --runs 3` (mean simple regret, standard error; * is
the lowest; three runs only say that it works):

                                    BKOP             GP-BUCB           GP-UCB-PE
    rosenbrock, q=5         3.37 ± 0.47*         4.49 ± 0.71          35.3 ± 8.1
    rosenbrock, q=10        4.28 ± 0.48*         4.54 ± 0.21           55.5 ± 15
    nesterov, q=5           0.407 ± 0.11*        0.519 ± 0.11         1.41 ± 0.36
    nesterov, q=10          0.489 ± 0.14         0.464 ± 0.11*        2.13 ± 0.28
    different-powers, q=5   0.00044 ± 0.00034*     1.48 ± 1.3          2.23 ± 1.1
    different-powers, q=10  0.00070 ± 0.00052*     2.23 ± 1.1          2.23 ± 1.1
    dixon-price, q=5        0.671 ± 0.0015*     0.706 ± 0.022          4.25 ± 1.4
    dixon-price, q=10       0.685 ± 0.0071*     0.747 ± 0.063          7.24 ± 2.7
    levy, q=5               0.038 ± 0.028*       0.297 ± 0.25         5.33 ± 0.47
    levy, q=10              0.179 ± 0.02*         2.11 ± 0.98          5.59 ± 1.6
    ackley, q=5             0.716 ± 0.7       0.0146 ± 0.0019*       0.575 ± 0.53
    ackley, q=10            0.992 ± 0.8          0.704 ± 0.43        0.225 ± 0.13*
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
from optuna.distributions import FloatDistribution

from benchmarks.problems import Problem
from examples.paper import _common

# The order of the paper's figure.
FUNCTIONS = ("rosenbrock", "nesterov", "different-powers", "dixon-price", "levy", "ackley")
DIM = 6


def measure(cell: _common.Cell) -> list[float]:
    """The simple regret of one run after each evaluation."""
    problem = Problem(cell["function"], DIM, seed=cell["seed"], shift=cell["shift"])
    space = {f"x{i}": FloatDistribution(0.0, 1.0) for i in range(DIM)}

    def objective(params: dict[str, float]) -> float:
        return float(problem.regret(np.array([[params[name] for name in space]]))[0])

    return _common.optimise(objective, space, cell)


@click.command()
@_common.options(runs=30)
@_common.settings_options
@click.option("--shift", is_flag=True, help="Move the optima to random places.")
def main(
    runs: int,
    quick: bool,
    jobs: int,
    output: Path,
    settings: str,
    cma_evaluations: int,
    shift: bool,
) -> None:
    """Run the synthetic experiment."""
    functions, evaluations = FUNCTIONS, 100
    if quick:
        runs, functions, evaluations, cma_evaluations = 1, ("rosenbrock", "ackley"), 10, 200
    _common.compare(
        measure,
        {function: {"function": function} for function in functions},
        _common.SETTINGS[settings],
        runs=runs,
        shared={"shift": shift, "startup": 20, "evaluations": evaluations},
        cma_evaluations=cma_evaluations,
        output=output,
        experiment="synthetic",
        name=f"synthetic-{settings}{'-shifted' if shift else ''}{'-quick' if quick else ''}",
        jobs=jobs,
        columns=3,
    )


if __name__ == "__main__":
    main()
