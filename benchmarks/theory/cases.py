"""The algorithms that are checked, and the functions they are run on."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.harness.arrays import Array
from optuna_bkop.regret import StationaryKernel


@dataclass(frozen=True)
class Case:
    """An algorithm, and which bounds its runs are checked against.

    Attributes:
        algorithm: Number of the paper's algorithm, 1-4.
        form: Form of a batch's acquisition, "rms" or "mean".
        perturbed: Whether values are perturbed. If not, Algorithms 3 and 4 only differ from 1 and
            2 by a jitter, and are checked against the bounds of 1 and 2, without the Corollary's
            bias.
        understated: The algorithm and the bounds are given the norm divided by this. Above 1 it is
            a control, which must find violations.
    """

    algorithm: int
    form: str = "rms"
    perturbed: bool = False
    understated: float = 1.0

    @property
    def label(self) -> str:
        """The name of the case in the table."""
        form = f", {self.form} form" if self.algorithm in (2, 4) else ""
        g = "" if self.algorithm < 3 else ", perturbed" if self.perturbed else ", jitter only"
        control = f", norm / {self.understated:g} (control)" if self.understated > 1 else ""
        return f"Algorithm {self.algorithm}{form}{g}{control}"


CASES = (
    Case(1),
    Case(2, "rms"),
    Case(2, "mean"),
    Case(3, perturbed=True),
    Case(4, "rms", perturbed=True),
    Case(4, "mean", perturbed=True),
    Case(3),
    Case(4, "rms"),
    Case(4, "mean"),
    Case(1, understated=4.0),
)


@dataclass(frozen=True)
class KnownNormProblem:
    """A function of known norm on a finite set of points, and its perturbation.

    Attributes:
        points: The set `(m, d)`.
        values: The function f on it `(m,)`.
        kernel: The kernel in whose RKHS f lies.
        norm: The RKHS norm of f.
        noise_var: The paper's sigma^2.
        perturbation_norm: The paper's G: an upper bound of the norm of all perturbations of a run.
        centres: The centres z_i `(c, d)` of f = sum_i a_i k(z_i, .).
        weights: Its weights a_i `(c,)`.
        is_adversary: Whether perturbations lower the good half of the points and raise the other
            half; otherwise their signs are random.
    """

    points: Array
    values: Array
    kernel: StationaryKernel
    norm: float
    noise_var: float
    perturbation_norm: float
    centres: Array
    weights: Array
    is_adversary: bool
