"""Pseudo-Boolean problems of the suite PBO, by the package `ioh`.

Doerr, Ye, Horesh, Wang, Shir, Bäck (2020): Benchmarking discrete optimization heuristics with
IOHprofiler. Applied Soft Computing 88.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from optuna.trial import BaseTrial

from benchmarks.harness.generators import generator
from benchmarks.harness.studies import Outcome, Problem

#: Number of bits: a square, as the N-queens problem and the torus need.
N_BITS = 25
#: Names of the problems, and their numbers in the suite.
NUMBERS = {
    "onemax": 1,
    "leading-ones": 2,
    "linear": 3,
    "onemax-epistasis": 7,
    "labs": 18,
    "ising-ring": 19,
    "ising-torus": 20,
    "ising-triangular": 21,
    "independent-set": 22,
    "queens": 23,
    "trap": 24,
    "nk-landscape": 25,
}


@dataclass(frozen=True)
class BitProblem(Problem):
    """A function of 25 bits that is maximised; its negative is the value that is minimised.

    The first instance of the suite's function is used, some of whose bits are flipped.

    Attributes:
        name: A key of `NUMBERS`.
        encoding: "integer" or "categorical".
        seed: Determines which bits are flipped.
    """

    name: str
    encoding: str
    seed: int

    @cached_property
    def flipped(self) -> NDArray[np.int64]:
        """Whether each bit is flipped, `(25,)`, 0 or 1."""
        return np.asarray(generator(self.seed, self.name, "flip").integers(0, 2, N_BITS))

    @cached_property
    def _function(self) -> Any:
        import ioh  # an optional dependency

        return ioh.get_problem(NUMBERS[self.name], 1, N_BITS, ioh.ProblemClass.PBO)

    def suggest(self, trial: BaseTrial) -> None:
        """Suggest `b0` to `b24`."""
        for j in range(N_BITS):
            if self.encoding == "integer":
                trial.suggest_int(f"b{j}", 0, 1)
            else:
                trial.suggest_categorical(f"b{j}", [0, 1])

    def evaluate(self, params: Mapping[str, Any]) -> Outcome:
        """Return the negative value."""
        bits = np.array([params[f"b{j}"] for j in range(N_BITS)]) ^ self.flipped
        return Outcome(np.array([-self._function(bits.tolist())]), np.empty(0))
