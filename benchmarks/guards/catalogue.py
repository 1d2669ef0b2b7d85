"""All problems by name, and which of them the sampler is developed on."""

from __future__ import annotations

from benchmarks.guards.bits import NUMBERS, BitProblem
from benchmarks.guards.constrained import MINIMA, THIN, ConstrainedProblem
from benchmarks.harness.studies import Problem

#: Choices of the sampler are made on these constrained problems. Seeds from 100 on are for them.
DEVELOPMENT = (*THIN, "g1", "g2", "g7", "g10")
CONSTRAINED = tuple(name for name in MINIMA if name not in DEVELOPMENT)
#: The names of bit problems, with the encoding of their parameters.
BITS = {
    f"{name}-{encoding}": (name, encoding)
    for encoding in ("integer", "categorical")
    for name in NUMBERS
}
SETS = {"bits": tuple(BITS), "constrained": CONSTRAINED, "development": DEVELOPMENT}
PROBLEMS = tuple(name for names in SETS.values() for name in names)


def problem(name: str, seed: int) -> Problem:
    """Return the problem of a name and a seed."""
    if name in BITS:
        return BitProblem(*BITS[name], seed)
    return ConstrainedProblem(name, seed)
