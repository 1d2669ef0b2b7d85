"""The paper's comparison with Bull's non-adaptive batch, on Rosenbrock and Ackley.

Bull (2011) fixes all points of a batch but one in advance. d = 6, batch sizes 5 and 10, 20
lattice points, 100 more evaluations; mean and standard error of the simple regret.

    python -m examples.paper.bull

Obtained by `python -m examples.paper.bull --runs 10` (mean simple regret, standard error):

                               BKOP             Bull
    rosenbrock, q=5     4.21 ± 0.31       17.2 ± 1.7
    rosenbrock, q=10       7.54 ± 3       26.5 ± 3.1
    ackley, q=5        0.153 ± 0.15       1.5 ± 0.12
    ackley, q=10        0.306 ± 0.2      1.23 ± 0.16
"""

from __future__ import annotations

from pathlib import Path

import click

from examples.paper import _common
from examples.paper.synthetic import measure

#: Bull's method has the paper's model; the settings say which one BKOP has.
BULL = {"strategy": "bull"} | _common.PLAIN


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
    """Compare BKOP with Bull's non-adaptive batch."""
    evaluations = 100
    if quick:
        runs, evaluations, cma_evaluations = 1, 10, 200
    bull = BULL | ({"maximizer": "cma"} if settings == "paper" else {})
    _common.compare(
        measure,
        {function: {"function": function} for function in ("rosenbrock", "ackley")},
        {"BKOP": _common.SETTINGS[settings]["BKOP"], "Bull": bull},
        runs=runs,
        shared={"shift": shift, "startup": 20, "evaluations": evaluations},
        cma_evaluations=cma_evaluations,
        output=output,
        experiment="synthetic",  # BKOP's runs are the same
        name=f"bull-{settings}{'-shifted' if shift else ''}{'-quick' if quick else ''}",
        jobs=jobs,
        columns=2,
    )


if __name__ == "__main__":
    main()
