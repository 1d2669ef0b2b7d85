"""Helpers of the tests, which the benchmarks use too: storages, worker processes, a model guard.

Importing the package limits BLAS and OpenMP to one thread unless the caller chose otherwise. The
matrices are small, several processes share the cores, and idle threads that spin would be counted
as CPU time.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
