"""The sampler inside other tools whose packages are too large for the test suite."""
