"""Scores of samplers on tuning tasks with scikit-learn models."""
