"""Reads Optuna studies: search spaces as unit cubes, finished trials as arrays."""
