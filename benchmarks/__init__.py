"""Measurements of samplers side by side; run the commands from the root of the repository.

Importing the package limits BLAS and OpenMP to one thread unless the caller chose otherwise: CPU
seconds are compared between samplers, and idle threads that spin would be counted as work.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
