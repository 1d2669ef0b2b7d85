"""An Optuna sampler that chooses whole batches of trials together."""

from lattice_tools._version import __version__ as __version__
from optuna_bkop._settings import PAPER_SETTINGS
from optuna_bkop.sampler import BKOPSampler

__all__ = ["PAPER_SETTINGS", "BKOPSampler"]
