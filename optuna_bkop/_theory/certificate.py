"""The certificate: how much better than the best query a function of known norm can be.

Glossary: ``B`` norm of f, ``G`` norm of the perturbation g, ``H`` = sqrt(B² + G²) at least the
norm of h = f + g, ``σ²`` the noise variance, ``m`` and ``s`` posterior mean and deviation of the
values y, ``A`` = sqrt(y' (K + σ² I)⁻¹ y) the norm of the smallest (f, g) that explains them.

**Sharp form.** f(x) = <(k_x, 0), (f, g/σ)> and y_i = <(k_{x_i}, σ e_i), (f, g/σ)> are inner
products with one element (f, g/σ) of norm at most H. Split it into the smallest element that
explains y, of norm A, and a rest that the data do not see. They are orthogonal, so that the rest
has norm at most sqrt(H² - A²). The first has the value m(x), and the rest at most its norm times
the distance of (k_x, 0) from the span of the data, which is s(x). So for all x

    |f(x) - m(x)| <= sqrt(H² - A²) s(x).                                                   (1)

f(x*) is at most the maximum of m + sqrt(H² - A²) s. Without a perturbation y_i = f(x_i), and the
difference to the largest y_i bounds the simple regret. With one, f(x_i) is at least
m(x_i) - sqrt(H² - A²) s(x_i) by (1), and at least y_i - G σ, because g_i² / σ² <= G².

**Form of Lyu, Yuan and Tsang** ("paper"). Their Lemma 1 has B in place of the root, because
A >= 0; the lemma of Theorem 3 has the norm of h and adds the bias (H + G) σ. Both are weaker, and
so is the certificate with them: the maximum of m + B s, or of m + H s + (H + G) σ, minus the best
value, or y_i - G σ.

Without a perturbation both forms hold for every σ² >= 0, because (1) holds with g = 0. A small σ²
therefore stands for σ² = 0. Any subset of the queries gives a certificate, because (1) holds for
it as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._theory.branch_and_bound import Maximum
from optuna_bkop._theory.compression import NO_COMPRESSION, Compression
from optuna_bkop._theory.optimism import certified_maximum, search_maximum
from optuna_bkop._theory.posterior import Posterior
from optuna_bkop._theory.queries import best_part
from optuna_bkop._theory.region import Region
from optuna_bkop._theory.theorems import KernelFunction

FORMS = ("sharp", "paper")
#: The maximum is located to this share of the gap, plus this share of the spread of the values.
_SHARE_OF_GAP, _SHARE_OF_SPREAD = 0.02, 1e-4


@dataclass(frozen=True)
class Premises:
    """The assumptions about a function f under which a certificate is a theorem.

    A certificate bounds how much better than the best query f can be.

    Attributes:
        kernel: The kernel k.
        rkhs_norm: Upper bound B of the norm of f minus the offset.
        noise_var: The noise variance σ².
        perturbation_norm: The norm G of the perturbation; 0 if values are exact.
        offset: The constant that is subtracted from f.
        form: "sharp" for the bound with sqrt(H² - A²), where H² = B² + G² and A is the norm that
            the values have already; "paper" for the larger bound with H, as in Lyu, Yuan and
            Tsang.
        is_exact: Whether an observed value is that of f, up to the perturbation. Otherwise f at a
            query is only known to be at least m - R σ, with posterior mean m, deviation σ and its
            weight R.
        compression: An increasing function φ that compresses poor values and leaves values above
            the best one unchanged. Kernel, norms and offset are then those of φ(f), not of f.
            `NO_COMPRESSION` leaves all values unchanged.
        best_only: Whether only the third of the queries with the largest values is used, but at
            least 20 queries.
    """

    kernel: KernelFunction
    rkhs_norm: float
    noise_var: float
    perturbation_norm: float = 0.0
    offset: float = 0.0
    form: str = "sharp"
    is_exact: bool = True
    compression: Compression = NO_COMPRESSION
    best_only: bool = False

    @property
    def h_norm(self) -> float:
        """The bound H of the norm of h = f + g."""
        return math.hypot(self.rkhs_norm, self.perturbation_norm)

    def part_of(
        self, y: FloatArray, feasible: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return the ascending indices of the queries that are used.

        All queries are used, or, if ``best_only``, the third with the largest values (at least
        20).

        Args:
            y: Values (n,) of all queries, to be maximised.
            feasible: Which queries (n,) meet their constraints; None if all do. The feasible query
                with the largest value, if any, is always used.
        """
        return best_part(y, feasible) if self.best_only else np.arange(len(y))

    def weight(self, data_norm: float) -> float:
        """Return the weight R of the deviation, given the norm A that the values have already."""
        if self.form == "paper":
            return self.h_norm
        return math.sqrt(max(self.h_norm**2 - data_norm**2, 0.0))

    @property
    def bias(self) -> float:
        """The bias of Theorem 3, which the sharp form and exact values do not need."""
        if self.form == "sharp" or self.perturbation_norm == 0:
            return 0.0
        return (self.h_norm + self.perturbation_norm) * math.sqrt(self.noise_var)


@dataclass(frozen=True)
class Gap:
    """What is left to gain after some queries; all values are to be maximised.

    Attributes:
        optimum: Upper bound of the maximum of f.
        best: Lower bound of f at the best query; minus infinity if no query is feasible.
        index: Index of the best query: the feasible one with the largest lower bound of f. -1 if
            no query is feasible.
        maximum: The maximum of m + R σ, with posterior mean m, deviation σ and the weight R of the
            premises. It is that of compressed values if the premises have a compression, and does
            not include the bias of the form "paper".
        data_norm: The norm A of the smallest function (with perturbation) that explains the
            values.
    """

    optimum: float
    best: float
    index: int
    maximum: Maximum
    data_norm: float


def gap_after(
    X: FloatArray,
    y: FloatArray,
    premises: Premises,
    region: Region,
    *,
    feasible: NDArray[np.bool_] | None = None,
    certify: bool = True,
    max_boxes: int = 20_000,
) -> Gap:
    """Bound what is left to gain after queries X (n, D) with values y (n,).

    The gain is at most ``optimum - best`` of the result. This is proved only if its
    ``maximum.is_certified``; otherwise ``optimum`` may be too small.

    Args:
        X: Queried points.
        y: Their values, to be maximised.
        premises: What is assumed of the function.
        region: Region over which f is maximised.
        feasible: Which queries may be the best one (n,). If None, all.
        certify: Whether to prove the maximum by branch and bound, which needs a
            `StationaryKernel`. Otherwise, or with another kernel, it is searched.
        max_boxes: Number of boxes after which the branch and bound ends. The bound is proved all
            the same, but may be larger than with more boxes.
    """
    p = premises
    part = p.part_of(y, feasible)
    X, y = X[part], p.compression.apply(y[part])
    posterior = Posterior.of(X, y, p.kernel, p.noise_var, p.offset)
    weight = p.weight(posterior.data_norm)
    lowest = np.full(len(y), -math.inf)
    if p.is_exact:
        lowest = y - p.perturbation_norm * math.sqrt(p.noise_var)
    if not p.is_exact or (p.form == "sharp" and p.perturbation_norm > 0):
        mean, std = posterior.mean_and_std(X)
        lowest = np.maximum(lowest, mean - weight * std)
    if feasible is not None:
        lowest = np.where(feasible[part], lowest, -math.inf)
    index = int(np.argmax(lowest))
    best = float(lowest[index])

    found = search_maximum(posterior, weight, region)
    if certify:
        left = max(found.lower - best, 0.0) if math.isfinite(best) else 0.0
        spread = float(np.ptp(y)) if len(y) > 1 else p.h_norm
        found = certified_maximum(
            posterior,
            weight,
            region,
            found=found,
            tolerance=_SHARE_OF_GAP * left + _SHARE_OF_SPREAD * spread,
            max_boxes=max_boxes,
        )
    optimum, best = p.compression.invert(np.array([found.upper + p.bias, best])).tolist()
    return Gap(
        optimum=optimum,
        best=best,
        index=int(part[index]) if math.isfinite(best) else -1,
        maximum=found,
        data_norm=posterior.data_norm,
    )
