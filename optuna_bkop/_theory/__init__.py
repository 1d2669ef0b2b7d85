"""The formulas of the theorems of Lyu, Yuan and Tsang. Does not know Optuna."""
