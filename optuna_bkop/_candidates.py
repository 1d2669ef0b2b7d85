"""Candidate points: where a maximisation starts, and what discrete parameters try.

An acquisition here is anything that scores candidates as the next point of a growing batch.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from optuna_bkop._domain import Domain
from optuna_bkop._kernels import FloatArray

#: Candidates all over the box, and near each of the best points.
_N_WIDE, _N_NEAR = 400, 40
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


class Acquisition(Protocol):
    """What scores candidates."""

    def candidates(self, F: FloatArray) -> Scores:
        """Scores of batches that grow by rows of F (m, D)."""
        ...


def random_points(
    domain: Domain,
    lower: FloatArray,
    upper: FloatArray,
    best: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Candidates (m, d): uniform in the box, and around the best points at several scales."""
    wide = lower + rng.random((_N_WIDE, len(lower))) * (upper - lower)
    near = np.repeat(best, _N_NEAR, axis=0)
    scale = 10.0 ** rng.uniform(-2.0, -0.5, (len(near), 1))
    near = np.clip(near + scale * rng.standard_normal(near.shape), lower, upper)
    return domain.snap(np.vstack([wide, near]))


def greedy(acquisition: Acquisition, C: FloatArray, domain: Domain, q: int) -> FloatArray:
    """A batch (q, d) of candidates C (m, d), built point by point, each the best next one."""
    candidates = acquisition.candidates(domain.features(C))
    chosen: list[int] = []
    for _ in range(q):
        scores = candidates.scores()
        scores[chosen] = -np.inf
        chosen.append(int(np.argmax(scores)))
        candidates.take(chosen[-1])
    return C[chosen]


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
    batch: FloatArray, taken: set[bytes], domain: Domain, rng: np.random.Generator
) -> FloatArray:
    """The batch with points that are taken replaced by others, where there are any.

    A replacement is the nearest of random points, or of all that are left if the domain is small.
    """
    batch = batch.copy()
    taken = set(taken)
    for i, key in enumerate(domain.keys(batch)):
        if key in taken and len(taken) < domain.n_points:
            tried = (
                domain.all_points()
                if domain.n_points <= _MAX_LISTED
                else domain.snap(rng.random((1000, domain.dim)))
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
