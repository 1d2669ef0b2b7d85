"""Tests, and under `tests.support` what they share with the benchmarks."""
