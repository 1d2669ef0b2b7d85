"""Optimisers other than Optuna samplers, with the benchmarks' ask-and-tell interface."""
