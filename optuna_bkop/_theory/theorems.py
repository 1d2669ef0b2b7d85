"""The formulas of Theorems 1-4: covariances and information gain of a run, and its bounds.

Glossary: ``X`` queried points (T, D), ``K`` their kernel matrix, ``noise_var`` the paper's σ²,
``A_n`` the covariance (q_n, q_n) of batch n given all earlier batches, ``β_n`` its spectral norm,
``I`` the information gain of X, ``κ`` the largest k(x, x), ``B`` a norm, ``R`` cumulative regret.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._checks import check_number
from optuna_bkop._model.linalg import cholesky

#: Maps X (n, D) and Z (m, D) to the kernel matrix k(X, Z) (n, m), which is positive definite.
KernelFunction = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True)
class Bound:
    """The bounds of one theorem of Lyu, Yuan and Tsang after each of the N batches of a run.

    R and r are cumulative and simple regret, T the number of queries so far, B a norm of f, G the
    norm of the perturbation, σ² the noise variance, and I the information gain of the queries.
    Batch n has q_n points with the covariance A_n given all earlier batches, and with the
    deviations σ_i.

    Attributes:
        theorem: Name of the theorem.
        constant: Its constant C (C_1, C_2, C_3 or C_4) after the last batch.
        noise_var: Its σ².
        cumulative: Bounds (N,) on the cumulative regret: R <= B sqrt(T C I), plus 2 T (B + G) σ
            for Theorems 3 and 4.
        simple: Bounds (N,) on the simple regret: r <= R / T.
        by_deviations: Bounds (N,) R <= 2B Σ_n sqrt(q_n tr A_n) + ..., the line of the proof before
            deviations are replaced by information gain. They are never larger than ``cumulative``.
        by_mean_deviations: Bounds (N,) R <= 2B Σ_n Σ_i σ_i + ..., valid only for the acquisition
            with the mean of the deviations (form "mean"). They are never larger than
            ``by_deviations``.

    Example:
        >>> from optuna_bkop.regret import Queries, StationaryKernel, regret_bound
        >>> queries = Queries(np.array([[0.1], [0.9]]), np.array([0.0, 0.3]), np.array([0, 1]))
        >>> kernel = StationaryKernel("se", 0.3)
        >>> bounds = regret_bound(queries, rkhs_norm=1.0, kernel=kernel, noise_var=0.01)
        >>> bounds.theorem1.theorem, bounds.theorem1.simple.shape
        ('theorem 1', (2,))
    """

    theorem: str
    constant: float
    noise_var: float
    cumulative: FloatArray
    simple: FloatArray
    by_deviations: FloatArray
    by_mean_deviations: FloatArray


def information_gain(X: FloatArray, kernel: KernelFunction, noise_var: float) -> float:
    """Return half of log det(I + K / σ²) for points X (T, D), which may repeat.

    Args:
        X: The points.
        kernel: Maps X (n, D) and Z (m, D) to the kernel matrix (n, m); K is that of X with itself.
        noise_var: The noise variance σ², positive.

    Example:
        >>> from optuna_bkop.regret import StationaryKernel
        >>> X = np.zeros((2, 1))  # twice the same point: half log 3
        >>> round(information_gain(X, StationaryKernel(), 1.0), 6)
        0.549306
    """
    check_number("noise_var", noise_var, positive=True)
    L = np.linalg.cholesky(np.eye(len(X)) + kernel(X, X) / noise_var)
    return float(np.log(np.diagonal(L)).sum())


def theorem_constant(scale: float, noise_var: float) -> float:
    """Return the constant C = 8 s / log(1 + s / σ²) of a regret bound.

    The constants C_1 and C_3 of Lyu, Yuan and Tsang have s = κ, the largest k(x, x); C_2 and C_4
    have s = max_n β_n, the largest spectral norm of a batch's covariance. Their C_1 has s = 1,
    because they require k(x, x) <= 1. Their C_3 has s >= κ + σ², but the proof needs only
    σ̂² <= s, and σ̂² <= κ. So the Corollary, which sets s = 1, is correct.

    Args:
        scale: The number s, positive.
        noise_var: The noise variance σ², positive.

    Example:
        >>> round(theorem_constant(1.0, 0.01), 4)
        1.7334
    """
    check_number("scale", scale, positive=True)
    check_number("noise_var", noise_var, positive=True)
    return 8.0 * scale / math.log1p(scale / noise_var)


def batch_covariances(
    X: FloatArray, sizes: Sequence[int], kernel: KernelFunction, noise_var: float
) -> list[FloatArray]:
    """Return the covariances A_n (q_n, q_n) of each batch of X (T, D), given earlier batches.

    They are covariances of the noise-free values. With K + σ² I = L L' the Schur complement of
    block n is L_nn L_nn' = A_n + σ² I, so that one factor contains all of them.

    Args:
        X: The points, in the order of their batches.
        sizes: Batch sizes q_n, which sum to T.
        kernel: Maps X (n, D) and Z (m, D) to the kernel matrix (n, m).
        noise_var: The noise variance σ².

    Example:
        >>> from optuna_bkop.regret import StationaryKernel
        >>> X = np.array([[0.0], [0.5], [1.0]])
        >>> [A.shape for A in batch_covariances(X, [1, 2], StationaryKernel("se", 0.3), 0.01)]
        [(1, 1), (2, 2)]
    """
    K = kernel(X, X)
    L = cholesky(K, noise_var, float(np.diagonal(K).max()))
    ends = np.cumsum(sizes)
    blocks = [L[end - q : end, end - q : end] for q, end in zip(sizes, ends, strict=True)]
    return [block @ block.T - noise_var * np.eye(len(block)) for block in blocks]


@dataclass(frozen=True)
class Run:
    """The quantities from which the bounds of a run of N batches follow, for one σ².

    A_n is the covariance of the q_n points of batch n given all earlier batches, and σ_i are the
    roots of its diagonal.

    Attributes:
        sizes: Batch sizes q_n.
        noise_var: Noise variance σ².
        kappa: Largest prior variance κ.
        spectral_norms: Spectral norms β_n of A_n (N,).
        information: Information gain of the queries up to each batch (N,).
        rms_sum: Σ_n sqrt(q_n tr A_n) up to each batch (N,).
        mean_sum: Σ_n Σ_i σ_i up to each batch (N,).
    """

    sizes: tuple[int, ...]
    noise_var: float
    kappa: float
    spectral_norms: FloatArray
    information: FloatArray
    rms_sum: FloatArray
    mean_sum: FloatArray

    @classmethod
    def of(
        cls, X: FloatArray, sizes: Sequence[int], kernel: KernelFunction, noise_var: float
    ) -> Run:
        """Return the quantities of a run that queried X (T, D) in batches of these sizes."""
        A = batch_covariances(X, sizes, kernel, noise_var)
        eigenvalues = [np.maximum(np.linalg.eigvalsh(A_n), 0.0) for A_n in A]
        variances = [np.maximum(np.diagonal(A_n), 0.0) for A_n in A]
        return cls(
            sizes=tuple(sizes),
            noise_var=noise_var,
            kappa=float(np.diagonal(kernel(X, X)).max()),
            spectral_norms=np.array([values[-1] for values in eigenvalues]),
            # Half of log det(I + K/σ²) is the sum over batches. (The second to last line of the
            # proof of Theorem 2 drops the half; its last line has it again.)
            information=np.cumsum(
                [0.5 * np.log1p(values / noise_var).sum() for values in eigenvalues]
            ),
            rms_sum=np.cumsum([math.sqrt(len(v) * v.sum()) for v in variances]),
            mean_sum=np.cumsum([np.sqrt(v).sum() for v in variances]),
        )

    def bound(
        self,
        theorem: str,
        norm: float,
        bias: float = 0.0,
        *,
        sequential: bool,
        deviations: Run | None = None,
    ) -> Bound:
        """Return the bounds B sqrt(T C I) + T bias after each batch, and lines of their proof.

        After n batches, T is the number of queries so far, I their information gain, and C the
        theorem's constant 8 s / log(1 + s / σ²): s is κ, or for theorems about batches the largest
        β of the first n batches.

        Args:
            theorem: Name to store in the result; it selects nothing.
            norm: The norm B.
            bias: Bias that is added to the regret of each query.
            sequential: Whether the constant is that of a sequential theorem (C_1, C_3), or that of
                a theorem about batches (C_2, C_4).
            deviations: The same run with the noise variance that its algorithm used, from which
                the bounds by deviations are computed. If None, this run.
        """
        deviations = self if deviations is None else deviations
        T = np.cumsum(self.sizes)
        scales = np.maximum.accumulate(self.spectral_norms)
        if sequential:
            scales = np.full(len(T), self.kappa)
        C = np.array([theorem_constant(scale, self.noise_var) for scale in scales])
        cumulative = norm * np.sqrt(T * C * self.information) + T * bias
        return Bound(
            theorem=theorem,
            constant=float(C[-1]),
            noise_var=self.noise_var,
            cumulative=cumulative,
            simple=cumulative / T,
            by_deviations=2.0 * norm * deviations.rms_sum + T * bias,
            by_mean_deviations=2.0 * norm * deviations.mean_sum + T * bias,
        )
