"""Regret of samplers on test functions with known minima."""
