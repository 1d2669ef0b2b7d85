"""Bounds on the regret of a study: how far its best trial can be from the optimum.

- `regret_certificate`: the difference between the largest value that the function can have and
  the best value found. It assumes a norm and a kernel, and nothing about how points were chosen.
- `regret_bound`: Theorems 1-4 of Lyu, Yuan and Tsang, for the points that were queried.
- `same_history_bound`: their Theorems 7 and 8, for any point set.
- `adversarial_bound`: their Theorem 9, for a covering radius.
"""

from optuna_bkop._study_queries import queries_of
from optuna_bkop._theory.adversarial import AdversarialBound, adversarial_bound
from optuna_bkop._theory.branch_and_bound import Maximum
from optuna_bkop._theory.queries import Queries
from optuna_bkop._theory.region import Region
from optuna_bkop._theory.same_history import SameHistoryBound, same_history_bound
from optuna_bkop._theory.stationary_kernel import StationaryKernel
from optuna_bkop._theory.theorems import (
    Bound,
    batch_covariances,
    information_gain,
    theorem_constant,
)
from optuna_bkop.regret.bounds import RegretBound, regret_bound
from optuna_bkop.regret.certificate import RegretCertificate, regret_certificate

__all__ = [
    "AdversarialBound",
    "Bound",
    "Maximum",
    "Queries",
    "Region",
    "RegretBound",
    "RegretCertificate",
    "SameHistoryBound",
    "StationaryKernel",
    "adversarial_bound",
    "batch_covariances",
    "information_gain",
    "queries_of",
    "regret_bound",
    "regret_certificate",
    "same_history_bound",
    "theorem_constant",
]
