"""The command `maximize`: the default maximiser of the acquisition against CMA-ES."""

from __future__ import annotations

import time
from dataclasses import dataclass

import click
import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.harness.options import number_option
from benchmarks.speed.imports import import_text
from optuna_bkop._batch.optimizers import by_cma
from optuna_bkop._batch.problem import BatchProblem
from optuna_bkop._batch.search import maximize
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.fitted import Fitted, fit_models
from optuna_bkop._settings import Settings

#: Batch sizes q and dimensions d with q * d = 30 and 60; the first two are the paper's.
SHAPES = ((5, 6), (10, 6), (6, 5), (12, 5), (3, 10), (6, 10))
#: Values that differ by less count as the same maximum; the largest shortfall is printed.
SAME = 1e-4


@dataclass(frozen=True)
class Maximum:
    """What a maximiser reached.

    Attributes:
        value: The acquisition of the batch that it found; larger is better.
        seconds: The CPU seconds that it took.
    """

    value: float
    seconds: float


def make_problem(seed: int, dim: int) -> Fitted:
    """Return models fitted to a random function, a bowl with waves, at 20 to 120 points."""
    rng = np.random.default_rng(seed)
    X = rng.random((int(rng.integers(20, 121)), dim))
    centre, frequencies = rng.random(dim), rng.normal(scale=3.0, size=(8, dim))
    waves = np.cos(X @ frequencies.T + rng.uniform(0, 2 * np.pi, 8)) @ rng.normal(size=8)
    values = 0.3 * waves - ((X - centre) ** 2).sum(axis=1) + 0.05 * rng.normal(size=len(X))
    domain = Domain((Parameter(),) * dim)
    return fit_models(X, values, np.empty((len(X), 0)), domain=domain, settings=Settings())


def run_default(fitted: Fitted, q: int, seed: int) -> Maximum:
    """Maximise as the sampler does. All that the sampler does after the fit is timed."""
    begun = time.process_time()
    held = np.empty((0, fitted.domain.dim))
    problem = BatchProblem.of(fitted, held)
    acquisition = problem.acquisition()
    batch = maximize(problem, acquisition, q, rng=np.random.default_rng(seed))
    return Maximum(acquisition.value(batch), time.process_time() - begun)


def run_cma(fitted: Fitted, q: int, seed: int, n_evaluations: int) -> Maximum:
    """Maximise by CMA-ES in the same box, restarted at random until its evaluations are used."""
    rng = np.random.default_rng(seed)
    begun = time.process_time()
    held = np.empty((0, fitted.domain.dim))
    problem = BatchProblem.of(fitted, held)
    acquisition, lower, upper = problem.acquisition(), problem.lower, problem.upper
    used, best = 0, -np.inf

    def values_of(X: Array) -> Array:
        nonlocal used
        used += len(X)
        return acquisition.values(X)

    while used < n_evaluations:
        start = lower + rng.random((q, len(lower))) * (upper - lower)
        left = n_evaluations - used
        best = max(best, by_cma(values_of, start, lower, upper, rng=rng, max_evaluations=left)[1])
    return Maximum(best, time.process_time() - begun)


@click.command(name="maximize")
@number_option("--problems", 30, "Number of random problems.")
@number_option("--evaluations", 20_000, "Evaluations of CMA-ES per problem.")
@number_option("--seed", 0, "Seed of the first problem.", least=0)
def maximize_command(problems: int, evaluations: int, seed: int) -> None:
    """Compare the default maximiser of the acquisition with CMA-ES, in value and in CPU seconds.

    Problems are models of random functions, with batches of 3 to 12 points that have 30 or 60
    coordinates in all.
    """
    click.echo(f"{'q':>3} {'d':>3} {'n':>4} {'default':>9} {'cma':>9} {'gain':>8} {'time':>6}")
    maxima: list[tuple[Maximum, Maximum]] = []
    for i in range(problems):
        q, dim = SHAPES[i % len(SHAPES)]
        fitted = make_problem(seed + i, dim)
        ours = run_default(fitted, q, seed + i)
        cma = run_cma(fitted, q, seed + i, evaluations)
        maxima.append((ours, cma))
        click.echo(
            f"{q:>3} {dim:>3} {len(fitted.U):>4} {ours.value:>9.5f} {cma.value:>9.5f} "
            f"{ours.value - cma.value:>+8.5f} 1/{cma.seconds / ours.seconds:<4.0f}"
        )
    n_wins = sum(ours.value > cma.value + SAME for ours, cma in maxima)
    n_same = sum(abs(ours.value - cma.value) <= SAME for ours, cma in maxima)
    n_quick = sum(20 * ours.seconds <= cma.seconds for ours, cma in maxima)
    total = [sum(pair[j].seconds for pair in maxima) for j in (0, 1)]
    shortfall = max(0.0, *(cma.value - ours.value for ours, cma in maxima))
    click.echo(
        f"value above that of CMA-ES: {n_wins} of {problems}, the same to {SAME}: {n_same}, "
        f"largest shortfall: {shortfall:.1e}"
    )
    click.echo(f"at most a twentieth of the time: {n_quick} of {problems}")
    click.echo(f"CPU seconds: {total[0]:.2f} against {total[1]:.1f}, 1/{total[1] / total[0]:.0f}")
    click.echo(import_text())
