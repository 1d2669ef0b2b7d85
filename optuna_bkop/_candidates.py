"""Candidate points: where a maximisation starts, and what discrete parameters try.

An acquisition here is anything that scores candidates as the next point of a growing batch.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Protocol

import numpy as np

from optuna_bkop._domain import Domain
from optuna_bkop._kernels import FloatArray

#: Candidates all over the box, and near known points.
_N_WIDE, _N_NEAR = 150, 150
#: Passes over all points of a batch, each trying other values of its discrete parameters.
_N_PASSES = 2
#: Up to this size a domain is searched whole for points that are left.
_MAX_LISTED = 100_000


class Scores(Protocol):
    """See `CandidateScores`."""

    def scores(self) -> FloatArray:
        """Of the batch so far with each candidate added (m,)."""
        ...

    def take(self, index: int) -> None:
        """Add a candidate to the batch."""
        ...

    def copy(self) -> Scores:
        """The batch so far, to be grown differently."""
        ...


class Acquisition(Protocol):
    """What scores candidates."""

    def candidates(self, F: FloatArray) -> Scores:
        """Scores of batches that grow by rows of F (m, D)."""
        ...


def random_points(
    domain: Domain,
    lower: FloatArray,
    upper: FloatArray,
    centres: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Candidates (m, d): uniform in the box, and around known points at several scales."""
    wide = lower + rng.random((_N_WIDE, len(lower))) * (upper - lower)
    near = centres[np.arange(_N_NEAR) % len(centres)]
    scale = 10.0 ** rng.uniform(-2.0, -0.5, (len(near), 1))
    near = np.clip(near + scale * rng.standard_normal(near.shape), lower, upper)
    return domain.snap(np.vstack([wide, near]))


def greedy(
    acquisition: Acquisition,
    C: FloatArray,
    domain: Domain,
    q: int,
    *,
    n_batches: int,
    rng: np.random.Generator,
) -> list[FloatArray]:
    """Batches (q, d) of candidates C (m, d), built point by point, each the best next one.

    The first may choose among all candidates, every other among a random half: what is best at
    first need not be part of the best batch. Candidates are scored once for all batches.
    """
    candidates = acquisition.candidates(domain.features(C))
    # A half must have enough points.
    share = 0.5 if 4 * q <= len(C) else 0.0
    batches = []
    for i in range(n_batches):
        growing = candidates.copy()
        closed = rng.random(len(C)) < (share if i else 0.0)
        chosen: list[int] = []
        for _ in range(q):
            if chosen:
                growing.take(chosen[-1])
            chosen.append(int(np.argmax(np.where(closed, -np.inf, growing.scores()))))
            closed[chosen[-1]] = True
        batches.append(C[chosen])
    return batches


def improve_discrete(acquisition: Acquisition, batch: FloatArray, domain: Domain) -> FloatArray:
    """The batch (q, d) after each point in turn has tried other values of one parameter."""
    batch = batch.copy()
    q = len(batch)
    for _ in range(_N_PASSES):
        changed = False
        for i in range(q):
            others = np.delete(batch, i, axis=0)
            tried = np.vstack([batch[i : i + 1], domain.neighbours(batch[i])])
            candidates = acquisition.candidates(domain.features(np.vstack([others, tried])))
            for other in range(q - 1):
                candidates.take(other)
            best = int(np.argmax(candidates.scores()[q - 1 :]))
            changed |= best > 0
            batch[i] = tried[best]
        if not changed:
            break
    return batch


def distinct(
    batch: FloatArray, taken: AbstractSet[bytes], domain: Domain, rng: np.random.Generator
) -> FloatArray:
    """The batch with points that are taken replaced by others, where there are any.

    A replacement is the nearest of all that are left, or, if the domain is not small, of random
    ones at all distances.
    """
    batch = batch.copy()
    taken = set(taken)
    for i, key in enumerate(domain.keys(batch)):
        if key in taken and len(taken) < domain.n_points:
            tried = (
                domain.all_points()
                if domain.n_points <= _MAX_LISTED
                else _around(batch[i], 1000, domain, rng)
            )
            free = np.array([k not in taken for k in domain.keys(tried)])
            if free.any():
                distance = np.linalg.norm(
                    domain.features(tried) - domain.features(batch[i : i + 1]), axis=1
                )
                batch[i] = tried[int(np.argmin(np.where(free, distance, np.inf)))]
                key = domain.keys(batch[i : i + 1])[0]
        taken.add(key)
    return batch


def _around(u: FloatArray, n: int, domain: Domain, rng: np.random.Generator) -> FloatArray:
    """Points (n, d) around ``u`` (d,), on the grid: some numbers moved, a little up to a lot.

    A continuous parameter moves by a hundredth of its range at least, since little is learnt from
    closer points; one that is rounded may have values that are much closer.
    """
    finest = np.array([-2.0 if p.rounding is None else -6.0 for p in domain.parameters])
    moved = rng.random((n, domain.dim)) < rng.random((n, 1))
    sign = rng.choice((-1.0, 1.0), (n, domain.dim))
    return domain.snap(u + moved * sign * 10.0 ** (finest * rng.random((n, 1))))
