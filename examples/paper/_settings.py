"""What is compared: settings -> method -> arguments of `BKOPSampler`.

- "ours": BKOP with the defaults of this package against baselines with `PLAIN`.
- "same-model": all methods with the defaults of this package, so that only the strategy differs.
- "estimated-noise": all methods with the paper's settings, except that the noise variance is
  estimated from the data.
- "paper": all methods with the paper's settings, `optuna_bkop.PAPER_SETTINGS`: noise-free, as
  Algorithm 2 is printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optuna_bkop import PAPER_SETTINGS

Arguments = dict[str, Any]

ESTIMATED_NOISE: Arguments = {k: v for k, v in PAPER_SETTINGS.items() if k != "noise_var"}
#: The paper's settings except for two: the noise variance is estimated, and gradients instead of
#: CMA-ES maximise the acquisition.
PLAIN: Arguments = {k: v for k, v in ESTIMATED_NOISE.items() if k != "maximizer"}


def _strategies(arguments: Mapping[str, Any]) -> dict[str, Arguments]:
    """Return the arguments of each method, which differ in the strategy alone."""
    return {
        "BKOP": {**arguments},
        "GP-BUCB": {"strategy": "gp_bucb", **arguments},
        "GP-UCB-PE": {"strategy": "gp_ucb_pe", **arguments},
    }


SETTINGS: dict[str, dict[str, Arguments]] = {
    "ours": _strategies(PLAIN) | {"BKOP": {}},
    "same-model": _strategies({}),
    "estimated-noise": _strategies(ESTIMATED_NOISE),
    "paper": _strategies(PAPER_SETTINGS),
}
METHODS = tuple(SETTINGS["ours"])

#: Settings -> arguments of Bull's non-adaptive batch. It never has the defaults of this package.
BULL: dict[str, Arguments] = {
    "ours": {"strategy": "bull", **PLAIN},
    "same-model": {"strategy": "bull", **PLAIN},
    "estimated-noise": {"strategy": "bull", **ESTIMATED_NOISE},
    "paper": {"strategy": "bull", **PAPER_SETTINGS},
}
