"""All mutants, in the order in which they are run."""

from __future__ import annotations

from benchmarks.mutants.arguments import ARGUMENTS
from benchmarks.mutants.certificates import CERTIFICATES
from benchmarks.mutants.choices import CHOICES
from benchmarks.mutants.constraints import CONSTRAINTS
from benchmarks.mutants.lattices import LATTICES
from benchmarks.mutants.models import MODELS
from benchmarks.mutants.mutant import Mutant
from benchmarks.mutants.objectives import OBJECTIVES
from benchmarks.mutants.pace import PACE
from benchmarks.mutants.protocol import PROTOCOL
from benchmarks.mutants.studies import STUDIES

MUTANTS: tuple[Mutant, ...] = (
    *ARGUMENTS,
    *MODELS,
    *CONSTRAINTS,
    *CHOICES,
    *OBJECTIVES,
    *STUDIES,
    *PROTOCOL,
    *PACE,
    *LATTICES,
    *CERTIFICATES,
)
