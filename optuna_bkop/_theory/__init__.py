"""The formulas of the paper's theorems. Does not know Optuna."""
