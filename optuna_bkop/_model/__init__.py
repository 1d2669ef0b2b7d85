"""Kernel models of the data: kernels, fit, posterior. Knows numpy and SciPy, not Optuna."""
