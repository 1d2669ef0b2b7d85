from optuna_bkop import BKOPSampler
from optuna_bkop import PAPER_SETTINGS


__all__ = ["PAPER_SETTINGS", "BKOPSampler"]
