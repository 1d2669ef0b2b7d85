"""Chooses the next batch: startup lattice, acquisitions, strategies. Does not know Optuna."""
