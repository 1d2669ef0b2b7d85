"""Breaks a copy of the project on purpose, once per mutant, and prints which test sees it.

The sampler survives almost everything, so a green suite alone proves little. Each mutant of
`catalogue` ignores one argument, removes one mechanism, skips one step of the protocol or cuts
one lattice search short. A test must fail for every one of them.

Two tests are not counted, because they fail with every change of the code and explain none: the
recorded trials (tests/optuna_bkop/test_golden.py) and the test that the mutants are current.
"""
