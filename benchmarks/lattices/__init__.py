"""Benchmarks of `lattice_tools`: ``python -m benchmarks.lattices --help``; see README.md here."""
