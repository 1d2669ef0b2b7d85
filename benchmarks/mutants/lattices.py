"""Mutants that cut a lattice search short."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant


def _mutant(name: str, file: str, text: str, replacement: str, tests: str) -> Mutant:
    where = f"tests/lattice_tools/{tests}"
    return Mutant(name, f"lattice_tools/{file}", text, replacement, (where,))


LATTICES: tuple[Mutant, ...] = (
    _mutant(
        "coordinate search stops after one coordinate",
        "scs.py",
        "for j in range(self.first_free, self.dim",
        "for j in range(self.first_free, min(self.first_free + 1, self.dim)",
        "test_scs.py",
    ),
    _mutant(
        "coordinate search sweeps once",
        "scs.py",
        "for _ in range(self.n_sweeps):",
        "for _ in range(1):",
        "test_scs.py",
    ),
    _mutant(
        "coordinate search takes the first good value",
        "scs.py",
        "if bound[block[0]] < best:",
        "if best_value is not None:",
        "test_scs.py",
    ),
    _mutant(
        "Algorithm 6 tries one prime",
        "hua_wang.py",
        "    for p in primes:\n",
        "    for p in primes[:1]:\n",
        "test_hua_wang.py",
    ),
    _mutant(
        "Algorithm 7 without coordinate search",
        "hua_wang.py",
        "worker = CoordinateSearch(N, d, n_sweeps=",
        "worker = CoordinateSearch(N, d, first_free=d, n_sweeps=",
        "test_hua_wang.py",
    ),
    _mutant(
        "half of Korobov's multipliers",
        "korobov.py",
        "    H = N // 2\n",
        "    H = max(1, N // 4)\n",
        "test_korobov.py",
    ),
    _mutant(
        "minimum distance of half of the points",
        "lattice.py",
        "last = self.n_points // 2\n",
        "last = max(1, self.n_points // 4)\n",
        "test_lattice.py",
    ),
    _mutant(
        "local search without random changes",
        "_campaign.py",
        "for _ in range(n_passes // 2):",
        "for _ in range(0):",
        "test_best.py",
    ),
)
