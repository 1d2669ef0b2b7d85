"""Integration: P2 beside Kuo's vector, and Genz's six families beside scrambled Sobol points."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import click
import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from lattice_tools import Rank1Lattice
from lattice_tools.integration import LatticeSequence, cbc, p_alpha
from lattice_tools.integration.sequence import shipped_vector

FloatArray = NDArray[np.float64]
Function = Callable[[FloatArray], FloatArray]

#: Kuo's vector lattice-33002-1024-1048576.9125, QMCPy's default, in its first dimensions.
KUO = (
    1, 182667, 213731, 255351, 96013, 116671, 479315, 424089, 271103, 464421,
    124483, 230887, 392877, 162965, 109125, 168491, 216103, 5613, 207895, 506745,
)  # fmt: skip

#: Rates that differ by at most this count as equal: fits over other shifts differ as much.
SAME_RATE = 0.03

#: Genz's families with the sum of the difficulties a_j, as usual in five to ten dimensions.
FAMILIES = {
    "oscillatory": 9.0,
    "product peak": 7.25,
    "corner peak": 1.85,
    "Gaussian": 7.03,
    "continuous": 20.4,
    "discontinuous": 4.3,
}


@click.command()
def p2() -> None:
    """Print sqrt(P2), weights 1/j^2, N = 1024, of our vectors and of Kuo's."""
    kept = True
    print("   d     Kuo     cbc  embedded")
    for d in (3, 5, 10, 20):
        vectors = [KUO[:d], cbc(1024, d).base_vector, shipped_vector()[:d]]
        kuo, ours, embedded = (math.sqrt(p_alpha(Rank1Lattice(1024, b))) for b in vectors)
        kept &= ours <= kuo
        print(f"  {d:2}  {kuo:.4f}  {ours:.4f}    {embedded:.4f}")
    sys.exit(0 if kept else 1)


@click.command()
@click.option("--dim", default=5, show_default=True, help="Dimension.")
@click.option("--instances", default=6, show_default=True, help="Functions per family.")
@click.option(
    "--shifts", default=16, show_default=True, help="Scramblings or shifts per function."
)
def genz(dim: int, instances: int, shifts: int) -> None:
    """Print relative errors on Genz's six families and the rates at which they decrease.

    The error is the standard deviation over shifts divided by the mean, with the geometric mean
    taken over functions. The rate is the slope of log(error) in log(N) over N = 2^6, 2^7, ...,
    2^16; a more negative one is better.
    """
    exponents = tuple(range(6, 17))
    shown = (8, 10, 12, 14, 16)
    engines: dict[str, Callable[[int], qmc.QMCEngine]] = {
        "Sobol": lambda seed: qmc.Sobol(dim, rng=np.random.default_rng(seed)),
        "lattice": lambda seed: LatticeSequence(dim, rng=seed),
        "lattice, tent": lambda seed: LatticeSequence(dim, tent=True, rng=seed),
    }
    verdicts = []
    heads = "  ".join(f"N=2^{m}".rjust(8) for m in shown)
    print(f"d={dim}{' ' * 26}{heads}   rate")
    for family, difficulty in FAMILIES.items():
        rates = {}
        for name, engine in engines.items():
            errors = [
                _error(family, difficulty, dim, instances, shifts, engine, 2**m) for m in exponents
            ]
            rates[name] = float(np.polyfit(exponents, np.log2(errors), 1)[0])
            by_exponent = dict(zip(exponents, errors, strict=True))
            cells = "  ".join(f"{by_exponent[m]:.2e}" for m in shown)
            print(f"{family:13} {name:14}  {cells}  {rates[name]:5.2f}", flush=True)
        difference = rates["lattice, tent"] - rates["Sobol"]
        verdict = "faster" if difference < 0 else "slower"
        verdicts.append("as fast" if abs(difference) <= SAME_RATE else verdict)
        print(f"{family:13} lattice, tent: {verdicts[-1]} compared with Sobol")
    counts = ", ".join(f"{verdicts.count(w)} {w}" for w in ("faster", "as fast", "slower"))
    print(
        f"Of {len(FAMILIES)} families the tent lattice converges, compared with Sobol: {counts}."
    )
    sys.exit(0 if verdicts.count("slower") <= 2 else 1)


def _error(
    family: str,
    difficulty: float,
    dim: int,
    instances: int,
    shifts: int,
    engine: Callable[[int], qmc.QMCEngine],
    n: int,
) -> float:
    errors = []
    for instance in range(instances):
        rng = np.random.default_rng(instance)
        a = rng.random(dim)
        function = _genz_function(family, a * difficulty / a.sum(), rng.random(dim))
        means = [float(function(engine(seed).random(n)).mean()) for seed in range(shifts)]
        errors.append(np.std(means, ddof=1) / abs(np.mean(means)))
    return float(np.exp(np.mean(np.log(errors))))


def _genz_function(family: str, a: FloatArray, u: FloatArray) -> Function:
    functions: dict[str, Function] = {
        "oscillatory": lambda X: np.cos(2 * np.pi * u[0] + X @ a),
        "product peak": lambda X: np.prod(1 / (a**-2.0 + (X - u) ** 2), axis=1),
        "corner peak": lambda X: (1 + X @ a) ** -(len(a) + 1.0),
        "Gaussian": lambda X: np.exp(-((a * (X - u)) ** 2).sum(axis=1)),
        "continuous": lambda X: np.exp(-(a * np.abs(X - u)).sum(axis=1)),
        "discontinuous": lambda X: np.where(
            (X[:, 0] > u[0]) | (X[:, 1] > u[1]), 0.0, np.exp(X @ a)
        ),
    }
    return functions[family]
