"""The default maximiser against CMA-ES: `python -m benchmarks.maximize --help`."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass

import click
import numpy as np

from benchmarks.functions import Array
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._maximize import by_cma
from optuna_bkop._models import Fitted, Settings, fit_models
from optuna_bkop._situation import acquisition_of, maximize, situation_of

#: Batch sizes and dimensions with 30 and with 60 numbers to find, the paper's first.
SHAPES = ((5, 6), (10, 6), (6, 5), (12, 5), (3, 10), (6, 10))
#: Values that differ by less are taken for the same maximum; the largest shortfall is printed.
SAME = 1e-4


@dataclass(frozen=True)
class Outcome:
    """The value that a maximiser reached, and the seconds it took."""

    value: float
    seconds: float


def make_problem(seed: int, dim: int) -> Fitted:
    """Models of a random function, a bowl with waves, at 20 to 120 random points."""
    rng = np.random.default_rng(seed)
    X = rng.random((int(rng.integers(20, 121)), dim))
    centre, frequencies = rng.random(dim), rng.normal(scale=3.0, size=(8, dim))
    waves = np.cos(X @ frequencies.T + rng.uniform(0, 2 * np.pi, 8)) @ rng.normal(size=8)
    values = 0.3 * waves - ((X - centre) ** 2).sum(axis=1) + 0.05 * rng.normal(size=len(X))
    domain = Domain((Parameter(),) * dim)
    return fit_models(X, values, np.empty((len(X), 0)), domain=domain, settings=Settings())


def run_default(fitted: Fitted, q: int, seed: int) -> Outcome:
    """The sampler's own maximisation, with all that it costs after the fit."""
    begun = time.process_time()
    held = np.empty((0, fitted.domain.dim))
    situation = situation_of(fitted, held, rng=np.random.default_rng(seed))
    acquisition = acquisition_of(situation)
    batch = maximize(situation, acquisition, q)
    return Outcome(acquisition.value(batch), time.process_time() - begun)


def run_cma(fitted: Fitted, q: int, seed: int, n_evaluations: int) -> Outcome:
    """CMA-ES in the same box from random batches, begun anew until its evaluations are used up."""
    rng = np.random.default_rng(seed)
    begun = time.process_time()
    held = np.empty((0, fitted.domain.dim))
    situation = situation_of(fitted, held, rng=rng)
    acquisition, lower, upper = acquisition_of(situation), situation.lower, situation.upper
    used, best = 0, -np.inf

    def values_of(X: Array) -> Array:
        nonlocal used
        used += len(X)
        return acquisition.values(X)

    while used < n_evaluations:
        start = lower + rng.random((q, len(lower))) * (upper - lower)
        left = n_evaluations - used
        best = max(best, by_cma(values_of, start, lower, upper, rng=rng, max_evaluations=left)[1])
    return Outcome(best, time.process_time() - begun)


def import_seconds(n_times: int = 5) -> list[float]:
    """CPU seconds of `import optuna`, and of `import optuna_bkop` after it; the least of some."""
    code = """
import time
begun = time.process_time()
import optuna
between = time.process_time()
import optuna_bkop
print(between - begun, time.process_time() - between)
"""
    runs = [subprocess.check_output([sys.executable, "-c", code]).split() for _ in range(n_times)]
    return [min(map(float, seconds)) for seconds in zip(*runs, strict=True)]


@click.command()
@click.option("--problems", type=click.IntRange(1), default=30, show_default=True)
@click.option("--evaluations", type=click.IntRange(1), default=20_000, show_default=True)
@click.option("--seed", default=0, show_default=True, help="Of the first problem.")
def main(problems: int, evaluations: int, seed: int) -> None:
    """Compare acquisition values and seconds on random problems with q * d = 30 and 60."""
    click.echo(f"{'q':>3} {'d':>3} {'n':>4} {'default':>9} {'cma':>9} {'gain':>8} {'time':>6}")
    outcomes: list[tuple[Outcome, Outcome]] = []
    for i in range(problems):
        q, dim = SHAPES[i % len(SHAPES)]
        fitted = make_problem(seed + i, dim)
        ours = run_default(fitted, q, seed + i)
        cma = run_cma(fitted, q, seed + i, evaluations)
        outcomes.append((ours, cma))
        click.echo(
            f"{q:>3} {dim:>3} {len(fitted.U):>4} {ours.value:>9.5f} {cma.value:>9.5f} "
            f"{ours.value - cma.value:>+8.5f} 1/{cma.seconds / ours.seconds:<4.0f}"
        )
    n_wins = sum(ours.value > cma.value + SAME for ours, cma in outcomes)
    n_same = sum(abs(ours.value - cma.value) <= SAME for ours, cma in outcomes)
    n_quick = sum(20 * ours.seconds <= cma.seconds for ours, cma in outcomes)
    total = [sum(pair[j].seconds for pair in outcomes) for j in (0, 1)]
    shortfall = max(0.0, *(cma.value - ours.value for ours, cma in outcomes))
    click.echo(
        f"value above that of CMA-ES: {n_wins} of {problems}, the same to {SAME}: {n_same}, "
        f"largest shortfall: {shortfall:.1e}"
    )
    click.echo(f"at most a twentieth of the time: {n_quick} of {problems}")
    click.echo(f"CPU seconds: {total[0]:.2f} against {total[1]:.1f}, 1/{total[1] / total[0]:.0f}")
    optuna, more = import_seconds()
    click.echo(f"import optuna: {optuna:.2f} CPU s, optuna_bkop on top of it: {more:.2f} s")


if __name__ == "__main__":
    main()
