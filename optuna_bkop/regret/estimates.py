"""Estimates of what the theorems assume to be known: the kernel, and the norm of f."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._checks import check_choice, check_finite, check_number
from optuna_bkop._model.fit import fit
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._model.linalg import cho_solve, cholesky
from optuna_bkop._theory.certificate import FORMS, Premises
from optuna_bkop._theory.compression import NO_COMPRESSION, Compression
from optuna_bkop._theory.posterior import Posterior
from optuna_bkop._theory.queries import Queries, best_part
from optuna_bkop._theory.stationary_kernel import StationaryKernel
from optuna_bkop._theory.theorems import KernelFunction

#: Replaces σ² = 0, relative to κ. Certificates with it hold for σ² = 0 as well, and deviations are
#: far above rounding errors.
_ZERO = 1e-10
#: The estimated norm leaves the part of f that the data do not see this many times the norm that
#: one query adds on average: the band m ± 2 σ of a Gaussian process with fitted variance.
_DEVIATIONS = 2.0


@dataclass(frozen=True)
class Given:
    """What a user says about a function f; None is to be estimated.

    Attributes:
        rkhs_norm: Norm of f minus the offset, in units of the values.
        kernel: Kernel of f.
        noise_var: Noise variance, which is added to the diagonal of the kernel matrix.
        perturbation_norm: Norm of the perturbation of the values; 0 if they are exact.
        offset: Constant that is subtracted from f.
        form: "sharp" or "paper", for a smaller or a larger bound (see `regret_certificate`).
    """

    rkhs_norm: float | None = None
    kernel: KernelFunction | None = None
    noise_var: float | None = None
    perturbation_norm: float = 0.0
    offset: float | None = None
    form: str = "sharp"

    def __post_init__(self) -> None:
        check_number("perturbation_norm", self.perturbation_norm)
        for name, value in (("rkhs_norm", self.rkhs_norm), ("noise_var", self.noise_var)):
            if value is not None:
                check_number(name, value)
        if self.offset is not None:
            check_finite("offset", self.offset)
        check_choice("form", self.form, FORMS)
        if self.kernel is None:
            return
        if not callable(self.kernel):
            raise ValueError(f"`kernel` must be a function of two arrays, got {self.kernel!r}.")
        if self.noise_var is None and self.perturbation_norm > 0:
            raise ValueError("`noise_var` must be given with a kernel: it is relative to it.")

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Given:
        """Return premises by their names.

        Raises:
            TypeError: A name is unknown.
            ValueError: A value is invalid.
        """
        names = [field.name for field in fields(cls)]
        for name in given:
            if name not in names:
                raise TypeError(f"`{name}` must be one of {', '.join(names)}.")
        return cls(**given)  # type: ignore[arg-type]


def estimate_premises(
    queries: Queries, given: Given, *, best_only: bool = True
) -> tuple[Premises, tuple[str, ...]]:
    """Return the premises of a certificate, and the names of those that are estimated.

    The norm A of the values grows with each query that the others do not predict. Per query, A²
    has grown by A²/n. The estimate of B² lets it grow by `_DEVIATIONS`² times as much, which
    leaves the part of f that the data do not see a norm of `_DEVIATIONS` A / sqrt(n).

    If neither kernel, norm nor offset is given, they are those of the compressed f (see
    `Compression`), estimated from the best third of the queries unless ``best_only`` is False. If
    the noise variance is fitted and no perturbation is given, values count as noisy.

    Args:
        queries: The points and values of a run.
        given: What is known about f.
        best_only: Whether only the best third of the queries is used where nothing is known.
    """
    kernel, noise_var, offset = given.kernel, given.noise_var, given.offset
    estimated: list[str] = []
    compression, is_exact = NO_COMPRESSION, True
    knows_nothing = kernel is None and given.rkhs_norm is None and offset is None
    if knows_nothing and best_only:
        queries = queries.part(best_part(queries.y, queries.feasible))
    if knows_nothing:
        compression = Compression.of(queries.y)
        queries = replace(queries, y=compression.apply(queries.y))
    if kernel is None:
        kernel, fitted_noise_var = fitted_kernel(queries)
        estimated.append("kernel")
        # Exact values of a function with known norm need no noise.
        if noise_var is None and (given.perturbation_norm > 0 or given.rkhs_norm is None):
            noise_var, is_exact = fitted_noise_var, given.perturbation_norm > 0
            estimated.append("noise_var")
    kappa = float(kernel(queries.X[:1], queries.X[:1])[0, 0])
    noise_var = max(noise_var or 0.0, _ZERO * kappa)
    if offset is None and queries.numbers is not None:
        offset = float(queries.y.mean())
        estimated.append("offset")
    offset = 0.0 if offset is None else offset
    rkhs_norm, G = given.rkhs_norm, given.perturbation_norm
    if rkhs_norm is None:
        data_norm = Posterior.of(queries.X, queries.y, kernel, noise_var, offset).data_norm
        h_norm = data_norm * math.sqrt(1.0 + _DEVIATIONS**2 / len(queries.y))
        rkhs_norm = math.sqrt(max(h_norm**2 - G**2, 0.0))
        estimated.append("rkhs_norm")
    premises = Premises(
        kernel,
        rkhs_norm,
        noise_var,
        G,
        offset,
        given.form,
        is_exact,
        compression,
        best_only=knows_nothing and best_only,
    )
    return premises, tuple(estimated)


def fitted_kernel(queries: Queries) -> tuple[StationaryKernel, float]:
    """Fit a Matérn-5/2 kernel of variance 1 to the values; return it with σ² relative to it."""
    groups = np.arange(queries.X.shape[1]) if queries.groups is None else queries.groups
    scale = float(queries.y.std())
    y = (queries.y - queries.y.mean()) / (scale if scale > 0 else 1.0)
    found = fit(queries.X, y, kernel=KERNELS["matern52"], groups=groups, prior_mean=0.0)
    length_scales = tuple(found.length_scales[groups].tolist())
    return StationaryKernel("matern52", length_scales), found.noise_var / found.signal_var


def interpolant_norm_of(K: FloatArray, y: FloatArray, noise_var: float) -> float:
    """Return sqrt(y' (K + σ² I)⁻¹ y), the norm of the minimum-norm function with values y (T,)."""
    L = cholesky(K, noise_var, float(np.diagonal(K).max()))
    return math.sqrt(max(float(y @ cho_solve(L, y)), 0.0))
