"""Theorem 9: the fully adversarial regret of a point set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from optuna_bkop._checks import check_number
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._theory.stationary_kernel import StationaryKernel

if TYPE_CHECKING:
    from lattice_tools import Radius


@dataclass(frozen=True)
class AdversarialBound:
    """The bounds of Theorem 9 of Lyu, Yuan and Tsang, and of its corollary, for a point set.

    The kernel is Φ, h is the covering radius of the points, B the norm of the function, and c a
    constant of the kernel.

    Attributes:
        value: The theorem's bound B sqrt(2 Φ(0) - 2 Φ(h)) of the regret.
        linear: The corollary's bound B c h, which is at least ``value``.
        is_certificate: Whether h is the exact covering radius; a plain number counts as exact.
            False if the radius is only known to be at least h.

    Example:
        >>> from optuna_bkop.regret import StationaryKernel, adversarial_bound
        >>> bound = adversarial_bound(0.1, StationaryKernel("se", 0.5), 2.0)
        >>> bound.value < bound.linear, bound.is_certificate
        (True, True)
    """

    value: float
    linear: float
    is_certificate: bool


def adversarial_bound(
    covering_radius: float | Radius, kernel: StationaryKernel, rkhs_norm: float
) -> AdversarialBound:
    """Bound the fully adversarial regret of a point set with covering radius h (Theorem 9).

    The theorem is that of Lyu, Yuan and Tsang. For every f of norm at most B with maximiser x*,
    some point x of the set has f(x*) - f(x) <= B sqrt(2 Φ(0) - 2 Φ(h)). They have 2 in place of 2
    Φ(0), because Φ(0) <= 1. If length scales differ, the shortest is used, which is safe: the
    kernel decreases fastest in that direction.

    The corollary, printed for the squared exponential, holds for both kernels: they are convex
    functions of r², so Φ(0) - Φ(h) <= -k0'(0) (h/ℓ)², which gives c = sqrt(-2 k0'(0)) / ℓ (times
    the root of the variance): 1/ℓ for the squared exponential, sqrt(5/3)/ℓ for Matérn-5/2.

    Args:
        covering_radius: Euclidean covering radius h within the plain cube (`periodic=False`), in
            the kernel's coordinates. A number or a result of `lattice_tools.covering_radius`.
        kernel: The kernel Φ.
        rkhs_norm: The norm B of f, in units of f divided by the root of the kernel's variance.

    Returns:
        The theorem's and the corollary's bound, in units of f.

    Example:
        >>> adversarial_bound(0.1, StationaryKernel("se", 0.5), 2.0).linear
        0.4
    """
    h = float(covering_radius)
    check_number("covering_radius", h)
    check_number("rkhs_norm", rkhs_norm)
    ell = float(np.min(kernel.length_scales))
    k0, slope = KERNELS[kernel.name](np.array([0.0, (h / ell) ** 2]))
    s2 = kernel.signal_var
    return AdversarialBound(
        value=rkhs_norm * math.sqrt(2.0 * s2 * float(k0[0] - k0[1])),
        linear=rkhs_norm * math.sqrt(-2.0 * s2 * float(slope[0])) * h / ell,
        is_certificate=getattr(covering_radius, "is_exact", True),
    )
