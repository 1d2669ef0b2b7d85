"""The paper's comparison with Bull's non-adaptive batch, on Rosenbrock and Ackley.

Bull (2011) fixes all points of a batch but one in advance. d = 6, batch sizes 5 and 10, 20 lattice
points, 100 more evaluations; mean and standard error of the simple regret. Bull's method always
has the paper's model; `--settings` says which one BKOP has.

    python -m examples.paper.bull

Output of `python -m examples.paper.bull --runs 10`: BKOP with this package's defaults, Bull's
method with the paper's model but an estimated noise variance (mean simple regret, standard error).

                               BKOP             Bull
    rosenbrock, q=5     4.21 ± 0.31       17.2 ± 1.7
    rosenbrock, q=10       7.54 ± 3       26.5 ± 3.1
    ackley, q=5        0.153 ± 0.15       1.5 ± 0.12
    ackley, q=10        0.306 ± 0.2      1.23 ± 0.16
"""

from __future__ import annotations

import click

from examples.paper._experiment import compare
from examples.paper._options import Options, options, settings_options
from examples.paper._settings import BULL, SETTINGS
from examples.paper.synthetic import measure


@click.command()
@options(runs=30)
@settings_options
@click.option("--shift", is_flag=True, help="Move the optima to random points.")
def main(given: Options, shift: bool) -> None:
    """Compare BKOP with Bull's non-adaptive batch."""
    compare(
        measure,
        {function: {"function": function} for function in ("rosenbrock", "ackley")},
        {"BKOP": SETTINGS[given.settings]["BKOP"], "Bull": BULL[given.settings]},
        given,
        shared={"shift": shift, "startup": 20, "evaluations": 10 if given.quick else 100},
        experiment="synthetic",  # the runs of BKOP are the same
        name=f"bull-{given.settings}{'-shifted' if shift else ''}",
        columns=2,
    )


if __name__ == "__main__":
    main()
