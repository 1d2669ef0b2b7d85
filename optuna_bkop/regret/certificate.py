"""The certificate of a study: at most how far its best trial is from the optimum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._checks import check_boolean, check_integer
from optuna_bkop._study_queries import StudyQueries, read_queries
from optuna_bkop._theory.branch_and_bound import Maximum
from optuna_bkop._theory.certificate import Gap, Premises, gap_after
from optuna_bkop._theory.queries import Queries
from optuna_bkop._theory.region import Region
from optuna_bkop._theory.theorems import KernelFunction
from optuna_bkop.regret.estimates import Given, estimate_premises

if TYPE_CHECKING:
    from optuna import Study

#: The certificate of a prefix is not located as closely as the last one.
_PREFIX_BOXES = 2_000


@dataclass(frozen=True)
class RegretCertificate:
    """Upper bounds on the simple regret of a run, after each of its N batches.

    Values are in the objective's own units and direction.

    Attributes:
        gap: Upper bounds (N,) of the simple regret: the best feasible value found so far differs
            from the optimum by at most this. Infinite as long as no query is feasible, and if
            kernel or norm would have to be estimated from values that are all equal: by default
            from the third of the queries with the largest values, at least 20.
        optimum: Bounds (N,) of the optimal value: no point has a better one.
        best: Best feasible value (N,) found so far. With a perturbation, a bound of the function's
            own value at the best query.
        n_queries: Number of queries T after each batch (N,).
        best_query: Index of the best query, or its trial number if the run is a study; -1 if no
            query is feasible.
        maximum: The maximum of m + R σ after the last batch, with posterior mean m, deviation σ
            and the weight R that follows from the norm: where it is, between which numbers, and
            whether the upper one is proved. To be maximised, even if the study minimises. If
            kernel and norm are estimated, m is the mean of compressed values.
        at: Parameters at which that maximum was found; None if the run is not a study.
        premises: The kernel, norms, noise variance, offset and form. The offset is that of values
            to be maximised.
        estimated: Names of the premises that were estimated; empty if all were given.
        data_norm: The norm of the smallest function that explains the values. A smaller
            ``rkhs_norm`` contradicts them.
        doubt: Why the certificate may not hold for all points; empty if there is no reason.

    Example:
        >>> from optuna_bkop.regret import Queries, StationaryKernel, regret_certificate
        >>> queries = Queries(np.array([[0.1], [0.9]]), np.array([0.0, 0.3]), np.array([0, 1]))
        >>> kernel = StationaryKernel("se", 0.3)
        >>> certificate = regret_certificate(queries, rkhs_norm=1.0, kernel=kernel)
        >>> certificate.is_certificate, certificate.best.tolist()
        (True, [0.0, 0.3])
    """

    gap: FloatArray
    optimum: FloatArray
    best: FloatArray
    n_queries: NDArray[np.int64]
    best_query: int
    maximum: Maximum
    at: dict[str, Any] | None
    premises: Premises
    estimated: tuple[str, ...]
    data_norm: float
    doubt: str

    @property
    def is_refuted(self) -> bool:
        """Whether the values have a larger norm than was given, so that nothing is certified."""
        return self.data_norm > self.premises.h_norm * (1 + 1e-9)

    @property
    def is_certificate(self) -> bool:
        """Whether the gap is proved, given the premises: none estimated, maximum certified."""
        is_proved = self.maximum.is_certified and not self.doubt
        return is_proved and not self.estimated and not self.is_refuted

    def __str__(self) -> str:
        p = self.premises
        kind = "certificate" if self.is_certificate else "estimate"
        lines = [
            f"{kind}: the regret after {self.n_queries[-1]} queries is at most {self.gap[-1]:.4g}",
            f"best {self.best[-1]:.6g} (query {self.best_query}), optimum {self.optimum[-1]:.6g}",
            f"norm {p.rkhs_norm:.4g} (the values have {self.data_norm:.4g}), "
            f"noise variance {p.noise_var:.4g}",
        ]
        if self.at is not None:
            lines.append(f"the optimum may be at {self.at}")
        if not self.maximum.is_certified:
            lines.append("The maximum was searched, not certified.")
        if self.estimated:
            lines.append(f"Estimated, not given: {', '.join(self.estimated)}.")
        if self.is_refuted:
            lines.append("REFUTED: the values have a larger norm.")
        if self.doubt:
            lines.append(f"Not certified: {self.doubt}.")
        return "\n".join(lines)


def regret_certificate(
    study_or_queries: Study | Queries,
    *,
    rkhs_norm: float | None = None,
    kernel: KernelFunction | None = None,
    noise_var: float | None = None,
    perturbation_norm: float = 0.0,
    offset: float | None = None,
    form: str = "sharp",
    certify: bool = True,
    each_batch: bool = True,
    max_boxes: int = 20_000,
) -> RegretCertificate:
    """Bound the simple regret of a study (or another run) by what its values leave open.

    Let f have norm at most B, and let m and σ be posterior mean and deviation given its values.
    Then f(x) = <k_x, f>. Split f into the minimum-norm interpolant m of the values and a rest r
    that vanishes at all queries. They are orthogonal, so |r|² <= B² - |m|². Since r(x) is an inner
    product with the part of k_x that is orthogonal to the data, whose norm is σ(x),

        f(x) <= m(x) + sqrt(B² - |m|²) σ(x) <= m(x) + B σ(x)   for all x,

    and the simple regret is at most the maximum of the right side minus the best value. There is
    no information gain and no constant, and it does not matter how the points were chosen. Values
    may be perturbed: y_i = f(x_i) + g_i, where the squares of g_i sum to at most G² σ_n², with the
    noise variance σ_n². Then H = sqrt(B² + G²) replaces B, and the best value is known up to G σ_n
    only (the proof is in `_theory.certificate`).

    ``form="sharp"`` uses the first bound. ``form="paper"`` uses the second one, as the proofs of
    Lyu, Yuan and Tsang do; with a perturbation it is m(x) + H σ(x) + (H + G) σ_n, as in their
    Theorem 3.

    A bound on the optimum remains true when more is known, so each batch takes the smallest one so
    far. Any constraints are ignored in the optimum, which can only make the gap larger; the best
    value is that of feasible trials. The search space of a study is that of its finished trials:
    every combination of choices, conditional parameters included, and steps as if they were
    continuous. Trials with infinite values and pruned trials are left out. If ``rkhs_norm``,
    ``kernel`` and ``offset`` are all None, they are estimated from compressed values of the best
    part of the queries, and only that part is used.

    Args:
        study_or_queries: A study with one objective (see `queries_of`), or the queries of a run.
        rkhs_norm: Norm B of f minus ``offset``, in units of the values. If None, it is estimated.
        kernel: Kernel of the features X, known in advance. For a study these are numbers of the
            unit cube, and indicators of choices. If None, a Matérn-5/2 kernel is fitted. Only with
            a `StationaryKernel` can the maximum be certified.
        noise_var: Noise variance σ_n², which is added to the diagonal of the kernel matrix. It is
            required if a kernel and a perturbation are given; otherwise a ValueError is raised.
            Without a perturbation, the certificate holds for every value.
            If None, it is fitted if the kernel is fitted and the norm is estimated or values are
            perturbed; otherwise it is almost 0.
        perturbation_norm: Norm G of the perturbation; 0 if values are exact.
        offset: Constant that is subtracted from f. If None, 0 for `Queries`, and the mean of the
            values for a study, which then counts as estimated.
        form: "sharp" or "paper", as explained above.
        certify: Whether to prove the maximum by branch and bound. Otherwise it is searched, which
            costs less.
        each_batch: Whether to bound the regret after each batch, or after the last one only.
        max_boxes: Maximum number of boxes of the branch and bound. With fewer boxes the
            certificate is valid, but larger.

    Returns:
        The bounds. They are called a certificate if all premises were given, the values do not
        contradict them, and the maximum is proved; otherwise an estimate.

    Example:
        >>> from optuna_bkop.regret import StationaryKernel
        >>> X = np.array([[0.1], [0.9], [0.5]])
        >>> queries = Queries(X, np.array([0.0, 0.3, 1.0]), np.array([0, 0, 1]))
        >>> print(regret_certificate(queries, rkhs_norm=1.5, kernel=StationaryKernel("se", 0.3)))
        certificate: the regret after 3 queries is at most 0.1653
        best 1 (query 2), optimum 1.1653
        norm 1.5 (the values have 1.115), noise variance 1e-10
    """
    given = Given(rkhs_norm, kernel, noise_var, perturbation_norm, offset, form)
    check_boolean("certify", certify)
    check_boolean("each_batch", each_batch)
    check_integer("max_boxes", max_boxes, 1)
    if isinstance(study_or_queries, Queries):
        read, queries = None, study_or_queries
    else:
        read = read_queries(study_or_queries)
        queries = read.queries
    if offset is not None and read is not None and not read.maximize:
        given = replace(given, offset=-offset)  # as the values of the queries
    premises, estimated = estimate_premises(queries, given)
    return certificate_of(
        queries,
        premises,
        estimated,
        read,
        certify=certify,
        each_batch=each_batch,
        max_boxes=max_boxes,
    )


def certificate_of(
    queries: Queries,
    premises: Premises,
    estimated: tuple[str, ...],
    read: StudyQueries | None,
    *,
    certify: bool,
    each_batch: bool,
    max_boxes: int,
) -> RegretCertificate:
    """Return the certificate of queries under premises.

    Args:
        queries: The points and values of a run.
        premises: What is assumed of the function.
        estimated: Names of the premises that are estimated.
        read: The study that the queries come from; None if they do not come from one.
        certify: Whether to prove the maximum by branch and bound.
        each_batch: Whether to bound the regret after each batch, or after the last one only.
        max_boxes: Maximum number of boxes of the branch and bound.

    Raises:
        ValueError: A query lies outside of the region over which f is maximised.
    """
    region = Region.cube(queries.X.shape[1]) if queries.region is None else queries.region
    if not region.contains(queries.X):
        raise ValueError("The queries must lie in the region, or in the unit cube without one.")
    ends = np.cumsum(queries.sizes) if each_batch else np.array([len(queries.y)])
    gaps: list[Gap] = [
        gap_after(
            queries.X[:end],
            queries.y[:end],
            premises,
            region,
            feasible=None if queries.feasible is None else queries.feasible[:end],
            certify=certify,
            max_boxes=max_boxes if end == ends[-1] else min(max_boxes, _PREFIX_BOXES),
        )
        for end in ends
    ]
    optimum = np.minimum.accumulate([gap.optimum for gap in gaps])
    used = queries.y[premises.part_of(queries.y, queries.feasible)]
    if set(estimated) & {"kernel", "rkhs_norm"} and np.ptp(used) == 0:
        optimum = np.full(len(gaps), np.inf)  # equal values tell neither kernel nor norm
    best = np.maximum.accumulate([gap.best for gap in gaps])
    last = gaps[-1]
    sign = 1.0 if read is None or read.maximize else -1.0
    index = last.index
    if queries.numbers is not None and index >= 0:
        index = int(queries.numbers[index])
    return RegretCertificate(
        # The optimum is at least the best value; rounding must not make the gap negative.
        gap=np.maximum(optimum - best, 0.0),
        optimum=sign * optimum,
        best=sign * best,
        n_queries=ends,
        best_query=index,
        maximum=last.maximum,
        at=None if read is None else read.params_at(last.maximum.at),
        premises=premises,
        estimated=estimated,
        data_norm=last.data_norm,
        doubt=region.doubt,
    )
