"""Every default of the sampler, and the settings of the paper (Lyu, Yuan and Tsang)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Settings:
    """How batches are chosen: the sampler's arguments that concern the mathematics.

    Attributes:
        strategy: "bkop", "gp_bucb", "gp_ucb_pe" or "bull" (see `STRATEGIES`).
        acquisition_form: How the posterior standard deviations of a batch are combined: "mean", or
            "rms" for the root mean square.
        maximizer: How an acquisition is maximised: "gradient" or "cma" (CMA-ES).
        cma_evaluations: Maximum number of CMA-ES evaluations per maximisation.
        kernel: "matern52" or "se" (squared exponential).
        rkhs_norm: Weight B of the posterior standard deviations in an acquisition.
        noise_var: Noise variance of the standardised values. 0 is noise-free; None estimates it.
        warping: How values are transformed: "log", "half-rank" or "none" (see `warp`).
        length_scale_factors: The acquisition is averaged over models whose length scales are the
            fitted ones times each of these.
        prior_mean: Mean of the transformed values far from all data.
        trust_margin: Batches stay within the trust box: the box around the best tenth of the
            points, widened by this share of the range on each side. Points that are chosen in
            another branch may leave it. None means no box.
        detail: Whether every second point is chosen by models whose kernel has a second, short
            length scale. With several objectives, all models of objectives have it. Only with the
            strategy "bkop".
        n_starts: Maximum number of greedy batches from which the gradient is followed.
        max_joint: Maximum number of points in all joint maximisations of a batch together. The
            first maximisation is done in any case. A maximum may contain copies, that is, points
            that nearly coincide; they are dropped, and the missing points are maximised again.
            With 64, batches of 10 are maximised until they are complete, batches of 64 once.
    """

    strategy: str = "bkop"
    acquisition_form: str = "mean"
    maximizer: str = "gradient"
    cma_evaluations: int = 20_000
    kernel: str = "matern52"
    rkhs_norm: float = 1.0
    noise_var: float | None = None
    warping: str = "log"
    length_scale_factors: tuple[float, ...] = (0.3, 0.6, 1.0)
    prior_mean: float = -1.5
    trust_margin: float | None = 0.1
    detail: bool = True
    n_starts: int = 16
    max_joint: int = 64


@dataclass(frozen=True)
class Options:
    """The sampler's arguments that concern one ask.

    Attributes:
        batch_size: Number of points that are planned together. None means the number of trials
            that recently ran in parallel.
        n_startup_trials: The model takes over from the lattice when this many trials are finished
            or running, half as many are finished, and at least one has a value.
        stale_after: Minimum age in seconds at which a running trial may be considered dead.
        reference_point: Reference point of the hypervolume, one number per objective, in its units
            and direction. None means a little beyond the worst values on the front.
        settings: How batches are chosen.
    """

    batch_size: int | None = None
    n_startup_trials: int = 20
    stale_after: float = 60.0
    reference_point: tuple[float, ...] | None = None
    settings: Settings = field(default_factory=Settings)


DEFAULTS = Options()

#: The plain settings of the paper: `BKOPSampler(**PAPER_SETTINGS)` is Algorithm 2 as printed.
#: With a positive ``noise_var`` instead of 0 it is Algorithm 4.
PAPER_SETTINGS: Mapping[str, Any] = MappingProxyType(
    {
        "acquisition_form": "rms",
        "maximizer": "cma",
        "warping": "none",
        "noise_var": 0.0,
        "length_scale_factors": (1.0,),
        "prior_mean": 0.0,
        "trust_margin": None,
        "detail": False,
    }
)
