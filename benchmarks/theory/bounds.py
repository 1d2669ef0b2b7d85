"""Measured regret divided by the regret bounds. A ratio above 1 is a violation.

Algorithms 1-4 run with exact maximisation on random functions of known norm on a finite set of
points. The regret of every prefix of a run, and of every batch, is divided by the bounds that
`optuna_bkop.regret` computes for it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.theory.algorithms import play
from benchmarks.theory.cases import Case
from benchmarks.theory.draws import draw
from lattice_tools import covering_radius
from optuna_bkop.regret import Queries, adversarial_bound, regret_bound

#: Tolerance, relative to the norm: deviations are square roots of differences that have rounding
#: errors of 1e-14.
ROUNDING = 1e-7
#: Number of batches of a run with batches of one point, and with larger ones.
_N_SINGLE, _N_LARGER = 30, 12


def ratios(case: Case, seed: int) -> dict[str, float]:
    """Return the largest ratio of measured regret to its bound in one run, by kind of bound."""
    rng = np.random.default_rng([seed, case.algorithm, case.perturbed, case.form == "mean"])
    q = 1 if case.algorithm in (1, 3) else int(rng.integers(2, 4))
    problem = draw(case, rng, q)
    claimed = replace(problem, norm=problem.norm / case.understated)
    weight = float(np.hypot(claimed.norm, claimed.perturbation_norm))
    chosen, seen = play(problem, case, weight, q, _N_SINGLE if q == 1 else _N_LARGER, rng)

    regret = problem.values.max() - problem.values[chosen]
    batch = np.repeat(np.arange(len(chosen) // q), q)
    result = regret_bound(
        Queries(problem.points[chosen], seen, batch),
        rkhs_norm=claimed.norm,
        noise_var=problem.noise_var,
        perturbation_norm=claimed.perturbation_norm,
        kernel=problem.kernel,
    )
    perturbed = (result.theorem3, result.theorem4)
    bounds = perturbed if case.perturbed else (result.theorem1, result.theorem2)
    total = np.add.reduceat(regret, np.arange(0, len(regret), q))
    measured = {
        "cumulative": np.cumsum(total),
        "simple": np.minimum.accumulate(regret)[q - 1 :: q],
        "deviations": np.cumsum(total),
        "batch": total,
    }
    found = dict.fromkeys(measured, 0.0)
    for bound in filter(None, bounds):
        is_mean = case.form == "mean" or q == 1
        deviations = bound.by_mean_deviations if is_mean else bound.by_deviations
        bounded = {"cumulative": bound.cumulative, "simple": bound.simple}
        # With jitter only, the deviations of Algorithms 3 and 4 are not the noise-free ones.
        if case.perturbed or case.algorithm < 3:
            bounded |= {"deviations": deviations, "batch": np.diff(deviations, prepend=0.0)}
        for name, values in bounded.items():
            ratio = measured[name] / (values + ROUNDING * problem.norm)
            found[name] = max(found[name], float(ratio.max()))
    return found


def adversarial_ratios(seed: int) -> dict[str, float]:
    """Return the ratio of the best random point's regret to the bounds of Theorem 9.

    The larger of two ratios counts: to the theorem's bound and to that of its corollary.
    """
    rng = np.random.default_rng([seed, 9])
    problem = draw(Case(1), rng, 1)
    X = problem.points[: int(rng.integers(2, 12))]
    h = covering_radius(X, periodic=False)
    bound = adversarial_bound(h, problem.kernel, problem.norm)
    regret = problem.values.max() - problem.values[: len(X)].max()
    return {"simple": max(regret / bound.value, regret / bound.linear)}
