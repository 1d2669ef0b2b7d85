"""The formulas of Theorems 1-4: what is known of the points of a run, and what follows from it.

Glossary: ``X`` queried points (T, D), ``K`` their kernel matrix, ``noise_var`` the paper's σ²,
``A_n`` the covariance (q_n, q_n) of batch n given all earlier batches, ``β_n`` its spectral norm,
``I`` the information gain of X, ``κ`` the largest k(x, x), ``B`` a norm, ``R`` cumulative regret.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from optuna_bkop._checks import check_number
from optuna_bkop._kernels import FloatArray
from optuna_bkop._surrogate import cholesky

#: X (n, D), Z (m, D) -> k(X, Z) (n, m), positive definite.
KernelFunction = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True)
class Bound:
    """One theorem for one run: bounds after each of its N batches.

    Attributes:
        theorem: Which.
        constant: Its C_1, C_2, C_3 or C_4.
        noise_var: Its σ².
        cumulative: R <= B sqrt(T C I), for 3 and 4 + 2 T (B + G) σ (N,).
        simple: r <= R / T (N,).
        by_deviations: R <= 2B Σ_n sqrt(q_n tr A_n) + ... (N,), the line of the proof before
            deviations are replaced by their information; never larger.
        by_mean_deviations: R <= 2B Σ_n Σ_i σ_i + ... (N,), for the mean-deviation form only;
            never larger still.
    """

    theorem: str
    constant: float
    noise_var: float
    cumulative: FloatArray
    simple: FloatArray
    by_deviations: FloatArray
    by_mean_deviations: FloatArray


def information_gain(X: FloatArray, kernel: KernelFunction, noise_var: float) -> float:
    """Half log det(I + K / σ²) of points X (T, D), repeated ones included.

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
    """C = 8 s / log(1 + s / σ²): C_1 and C_3 with s = κ, C_2 and C_4 with s = β = max_n β_n.

    The paper's C_1 has s = 1 because it asks for k(x, x) <= 1; its C_3 has s >= κ + σ², where
    the proof needs σ̂² <= s only, and σ̂² <= κ. So the Corollary, which sets s = 1, is right.
    """
    check_number("scale", scale, positive=True)
    check_number("noise_var", noise_var, positive=True)
    return 8.0 * scale / math.log1p(scale / noise_var)


def batch_covariances(
    X: FloatArray, sizes: Sequence[int], kernel: KernelFunction, noise_var: float
) -> list[FloatArray]:
    """The covariances A_n (q_n, q_n) of each batch of X (T, D), given all earlier batches.

    With K + σ² I = L L' the Schur complement of block n is L_nn L_nn' = A_n + σ² I: one factor
    has them all.
    """
    K = kernel(X, X)
    L = cholesky(K, noise_var, float(np.diagonal(K).max()))
    ends = np.cumsum(sizes)
    blocks = [L[end - q : end, end - q : end] for q, end in zip(sizes, ends, strict=True)]
    return [block @ block.T - noise_var * np.eye(len(block)) for block in blocks]


@dataclass(frozen=True)
class Run:
    """What the bounds of a run are made of, for one σ².

    Attributes:
        sizes: q_n, N of them.
        noise_var: σ².
        kappa: κ.
        spectral_norms: β_n (N,).
        information: I after each batch (N,).
        rms_sum: Σ sqrt(q_n tr A_n) up to each batch (N,).
        mean_sum: Σ Σ_i σ_i up to each batch (N,).
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
        """The run that queried X (T, D) in batches of these sizes."""
        A = batch_covariances(X, sizes, kernel, noise_var)
        eigenvalues = [np.maximum(np.linalg.eigvalsh(A_n), 0.0) for A_n in A]
        variances = [np.maximum(np.diagonal(A_n), 0.0) for A_n in A]
        return cls(
            sizes=tuple(sizes),
            noise_var=noise_var,
            kappa=float(np.diagonal(kernel(X, X)).max()),
            spectral_norms=np.array([values[-1] for values in eigenvalues]),
            # Half log det(I + K/σ²) is the sum of the batches' (the second to last line of the
            # proof of Theorem 2 drops the half; its last line has it again).
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
        """B sqrt(T C I) + T bias, and the lines of the proof that lead to it.

        Args:
            theorem: Its name.
            norm: B.
            bias: Of the regret of each query.
            sequential: Whether the constant is that of a sequential theorem.
            deviations: The same run with the σ² that its algorithm had; None: this one.
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
