"""Statistics over runs that are paired by problem and seed.

A block maps each sampler to the loss that it reached on one problem with one seed. Less is better,
and the loss of a failed run is infinite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from benchmarks.harness.arrays import Array
from benchmarks.harness.records import Record, failed
from benchmarks.harness.tables import Rows

#: Bootstrap samples of an interval: its ends vary by about 1 % of its width between seeds.
RESAMPLES = 10_000

Block = Mapping[str, float]


def samplers_of(records: Iterable[Record]) -> list[str]:
    """Return the samplers of records in the order of their first appearance."""
    return list(dict.fromkeys(record["sampler"] for record in records))


def complete_blocks(blocks: Iterable[Block], samplers: Sequence[str]) -> list[Block]:
    """Return the blocks in which all samplers have run, whether the runs failed or not."""
    return [block for block in blocks if len(block) == len(samplers)]


def mean_ranks(blocks: Iterable[Block], samplers: Sequence[str]) -> dict[str, float]:
    """Return the mean rank of each sampler, 1 for the best; empty if no block is complete.

    The mean is over the blocks in which all samplers have run. A failed run ranks last. Equal
    losses share the mean of their ranks.
    """
    losses = [[b[name] for name in samplers] for b in complete_blocks(blocks, samplers)]
    if not losses:
        return {}
    means = rankdata(losses, axis=1).mean(axis=0)
    return dict(zip(samplers, means.tolist(), strict=True))


@dataclass(frozen=True)
class Comparison:
    """A sampler against a reference sampler, over the blocks in which both have finished.

    Attributes:
        differences: Loss of the sampler minus that of the reference, per block `(n,)`.
    """

    differences: Array

    @property
    def n_pairs(self) -> int:
        """Number of blocks."""
        return len(self.differences)

    @property
    def mean(self) -> float:
        """Mean difference."""
        return float(self.differences.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """95 % bootstrap interval of the mean difference: lower and upper end."""
        return bootstrap_interval(self.differences)

    @property
    def wins(self) -> Array:
        """1 for each block that the sampler won, 0 if it lost, 0.5 for a tie."""
        return np.asarray((1 - np.sign(self.differences)) / 2)


def compare(blocks: Iterable[Block], sampler: str, reference: str) -> Comparison | None:
    """Compare a sampler with a reference over the blocks in which both runs have finished.

    The result is None if both are the same sampler or there is no such block.
    """
    pairs = [(b[sampler], b[reference]) for b in blocks if sampler in b and reference in b]
    finite = np.array([pair for pair in pairs if np.isfinite(pair).all()]).reshape(-1, 2)
    if sampler == reference or not len(finite):
        return None
    return Comparison(finite[:, 0] - finite[:, 1])


def bootstrap_interval(values: Array) -> tuple[float, float]:
    """Return a 95 % percentile interval of the mean of values `(n,)`, by bootstrap.

    Equal values give the same interval: the seed is fixed.
    """
    rng = np.random.default_rng(0)
    means = values[rng.integers(len(values), size=(RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def cost_rows(records: Sequence[Record], samplers: Sequence[str]) -> Rows:
    """Return two rows with a column per sampler: CPU seconds per point, and failed runs.

    The CPU seconds are a mean over finished runs, "-" without any. Failed runs are counted.
    """
    cpu, failures = ["CPU s/point"], ["failed"]
    for sampler in samplers:
        own = [record for record in records if record["sampler"] == sampler]
        seconds = [record["cpu_per_point"] for record in own if not failed(record)]
        cpu.append(f"{np.mean(seconds):.2g}" if seconds else "-")
        failures.append(str(len(own) - len(seconds)))
    return [cpu, failures]
