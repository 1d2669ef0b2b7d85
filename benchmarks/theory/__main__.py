"""Regret bounds against measured regret: `python -m benchmarks.theory --help`.

Output of `python -m benchmarks.theory bounds` (500 functions each, 2 minutes on one core):

    largest regret / bound               cumulative  simple  deviations      batch  violations
    Algorithm 1                               0.707   0.707       0.707      0.851    0 of 500
    Algorithm 2, rms form                     0.611   0.610       0.611      0.800    0 of 500
    Algorithm 2, mean form                    0.611   0.610       0.611      0.836    0 of 500
    Algorithm 3, perturbed                    0.655   0.655       0.655      0.655    0 of 500
    Algorithm 4, rms form, perturbed          0.519   0.474       0.519      0.613    0 of 500
    Algorithm 4, mean form, perturbed         0.516   0.516       0.516      0.753    0 of 500
    Algorithm 3, jitter only                  0.707   0.707           -          -    0 of 500
    Algorithm 4, rms form, jitter only        0.610   0.609           -          -    0 of 500
    Algorithm 4, mean form, jitter only       0.611   0.611           -          -    0 of 500
    Algorithm 1, norm / 4 (control)           3.144   3.094      12.233  57057.248  428 of 500
    Theorem 9                                     -   0.884           -          -    0 of 500

The control understates the norm by a factor of four, which shows up as violations.
`benchmarks/README.md` has the output of the other commands.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
import numpy as np
import optuna

from benchmarks.harness.options import FILE, number_option, output_option, parse_seeds
from benchmarks.harness.runner import run_missing
from benchmarks.harness.tables import show
from benchmarks.theory.bounds import adversarial_ratios, ratios
from benchmarks.theory.cases import CASES
from benchmarks.theory.certificates import (
    CERTIFICATES,
    certificate_outcome,
    same_history_ratios,
)
from benchmarks.theory.rates import CASES as RATE_CASES
from benchmarks.theory.rates import draw_rates, slopes
from benchmarks.theory.rates import rates as lattice_rates
from benchmarks.theory.stopping import (
    FUNCTIONS,
    LEAST_SCORE,
    MULTIPLIERS,
    STOPPED_TASKS,
    WARMUP,
    StoppedCell,
    function_cell,
    parallel_states,
    run,
    stops_of,
)
from benchmarks.theory.tradeoffs import Stops, by_problem, comparison, draw, outcomes, tradeoff

functions_option = number_option("--functions", 500, "Number of random functions per row.")
seed_option = number_option("--seed", 0, "Seed of the first function.", least=0)


@click.group()
def main() -> None:
    """Check the paper's theorems against measurements."""


@main.command()
@functions_option
@seed_option
def bounds(functions: int, seed: int) -> None:
    """Divide measured regret by the bounds of Theorems 1-4 and 9 and count ratios above 1.

    A row has the largest ratio by kind of bound: cumulative regret, simple regret, cumulative
    regret bounded by the deviations, and regret of one batch. The exit status is 1 if a bound is
    violated anywhere except in the control, which must be violated.
    """
    names = ["cumulative", "simple", "deviations", "batch"]
    rows = [["largest regret / bound", *names, "violations"]]
    kinds: list[tuple[str, Callable[[int], dict[str, float]], bool]] = [
        (case.label, partial(ratios, case), case.understated > 1) for case in CASES
    ]
    kinds.append(("Theorem 9", adversarial_ratios, False))
    n_violations = 0
    with click.progressbar(
        length=functions * len(kinds), label="functions", file=sys.stderr
    ) as bar:
        for label, measure, is_control in kinds:
            worst, violations = dict.fromkeys(names, 0.0), 0
            for k in range(seed, seed + functions):
                found = measure(k)
                violations += max(found.values()) > 1
                worst = {name: max(worst[name], found.get(name, 0.0)) for name in names}
                bar.update(1)
            n_violations += 0 if is_control else violations
            cells = [f"{worst[name]:.3f}" if worst[name] else "-" for name in names]
            rows.append([label, *cells, f"{violations} of {functions}"])
    show(rows)
    if n_violations:
        raise click.ClickException(f"{n_violations} violations of the bounds.")


@main.command()
@functions_option
@seed_option
def certificates(functions: int, seed: int) -> None:
    """Divide measured regret by the certificate and by 2 B sigma, and count ratios above 1.

    Beside the largest ratio, a row has the median of the certificate after the last batch, in
    units of the norm, and divided by the simple bound of Theorem 2 (4 for perturbed values). The
    exit status is 1 if a bound is violated anywhere except in a control.
    """
    header = ["regret / certificate", "largest", "violations", "median gap / B", "/ Theorem 2, 4"]
    rows, n_violations = [header], 0
    seeds = range(seed, seed + functions)
    length = functions * (len(CERTIFICATES) + 2)
    with click.progressbar(length=length, label="functions", file=sys.stderr) as bar:
        for case in CERTIFICATES:
            outcomes = []
            for k in seeds:
                outcomes.append(certificate_outcome(case, k))
                bar.update(1)
            violations = sum(outcome.ratio > 1 for outcome in outcomes)
            n_violations += violations if case.understated == 1 else 0
            rows.append(
                [
                    case.label,
                    f"{max(outcome.ratio for outcome in outcomes):.3g}",
                    f"{violations} of {functions}",
                    f"{np.median([outcome.gap for outcome in outcomes]):.3g}",
                    f"{np.median([outcome.share for outcome in outcomes]):.3g}",
                ]
            )
        for understated in (1.0, 4.0):
            found = []
            for k in seeds:
                found.append(same_history_ratios(k, understated))
                bar.update(1)
            control = f", norm / {understated:g} (control)" if understated > 1 else ""
            for name, column in zip(
                ("2 B sigma(x_T)", "2 B max sigma"), zip(*found, strict=True), strict=True
            ):
                violations = sum(ratio > 1 for ratio in column)
                n_violations += violations if understated == 1 else 0
                counted = f"{violations} of {functions}"
                rows.append([name + control, f"{max(column):.3g}", counted, "-", "-"])
    show(rows)
    if n_violations:
        raise click.ClickException(f"{n_violations} violations of the certificates.")


@main.command()
@click.option("--picture", type=FILE, help="PNG file for the picture.")
def rates(picture: Path | None) -> None:
    """Show how the largest deviation of lattices falls with their covering radius.

    Deviations are proved upper bounds, with the largest one found in brackets. Slopes are those of
    the smaller and the larger half of the lattices, and of all, in the log-log picture.
    """
    found = {(kernel, dim): lattice_rates(kernel, dim) for kernel, dim in RATE_CASES}
    for (kernel, dim), lattices in found.items():
        first, last, over_all = slopes(lattices)
        click.echo(f"{kernel}, d = {dim}: slopes {first:.2f}, {last:.2f}; over all {over_all:.2f}")
        show(
            [
                ["N", "covering radius", "largest deviation", "found"],
                *(
                    [str(r.n_points), f"{r.radius:.4f}", f"{r.std:.3g}", f"{r.searched:.3g}"]
                    for r in lattices
                ),
            ]
        )
    if picture is not None:
        draw_rates(found, picture)


@main.command()
@click.option("--functions/--tasks", "on_functions", default=True, help="What is minimised.")
@click.option("--seeds", type=parse_seeds, metavar="0-9,20", default="0-4", show_default=True)
@number_option("--dim", 2, "Number of parameters of a function.", least=2)
@number_option("--trials", 100, "Number of trials of a study.", least=WARMUP)
@click.option(
    "--gap",
    type=click.FloatRange(LEAST_SCORE / min(MULTIPLIERS)),
    default=0.01,
    show_default=True,
    help="Relative to the range.",
)
@output_option
@click.option("--picture", type=FILE, help="PNG file for the picture.")
@click.option("--parallel/--no-parallel", default=True, help="Also stop studies of four threads.")
def stopping(
    on_functions: bool,
    seeds: list[int],
    dim: int,
    trials: int,
    gap: float,
    output: Path,
    picture: Path | None,
    parallel: bool,
) -> None:
    """Compare when the certificate and Optuna's evaluators stop a study, and the regret left.

    Studies are recorded; rules are evaluated on the records, each with several thresholds.
    Optuna's regret bound needs torch and is left out without it. The last rule knows the regret:
    it shows what the best possible stops would leave. Regret is relative to the range of the
    values seen, like the gap. The regret of a task is the distance to the best known loss.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    names = FUNCTIONS if on_functions else STOPPED_TASKS
    cells = [
        function_cell(name, dim, seed, trials)
        if on_functions
        else StoppedCell("bkop", name, 0, seed, trials)
        for name in names
        for seed in seeds
    ]
    known = {StoppedCell.of(r): r for r in run_missing(cells, run, StoppedCell.of, output)}
    stops: Stops = {}
    with click.progressbar(cells, label="rules", file=sys.stderr) as bar:
        for cell in bar:
            for label, by_threshold in stops_of(known[cell], gap).items():
                for threshold, stop in by_threshold.items():
                    by_name = stops.setdefault(label, {}).setdefault(threshold, {})
                    by_name.setdefault(cell.name, []).append(stop)
    found = outcomes(stops, gap)
    show(by_problem(stops))
    show(tradeoff(found))
    click.echo("\n".join(comparison(found)))
    if picture is not None:
        draw(found, gap, picture)
    if on_functions and parallel:
        states = [parallel_states(name, seeds[0], gap, trials) for name in names]
        n_lost = sum(n for one in states for state, n in one.items() if state.name != "COMPLETE")
        n_all = sum(sum(one.values()) for one in states)
        click.echo(f"four threads, {len(names)} studies: {n_all} trials, {n_lost} not finished")


if __name__ == "__main__":
    main()
