"""Measurements of samplers. Run the commands from the root of the repository.

Each folder measures one thing and is a command: `python -m benchmarks.regret --help`. What they
share is in `benchmarks.harness`.

Importing the package limits BLAS and OpenMP to one thread (by importing `tests.support`, which
does so): CPU seconds are compared between samplers.
"""

import tests.support  # noqa: F401
