"""Chooses a batch in a chart: a system of local coordinates around the best trials.

Charts are explained in `optuna_bkop._model.chart`.
"""

from __future__ import annotations

import numpy as np

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.candidates import distinct
from optuna_bkop._batch.strategies import choose_batch
from optuna_bkop._domain import Domain
from optuna_bkop._model.chart import Chart
from optuna_bkop._model.fitted import Fitted


def choose_nearby(
    fitted: Fitted,
    chart: Chart,
    U: FloatArray,
    U_held: FloatArray,
    q: int,
    *,
    domain: Domain,
    rng: np.random.Generator,
    n_before: int | None = None,
) -> FloatArray:
    """Return the next q points (q, d) of the unit cube, chosen by models in a chart.

    The points differ from each other and from all observed and held points, as long as the domain
    has other points.

    Args:
        fitted: The models, whose points are in the chart.
        chart: Maps points of the unit cube to local coordinates around the best trials, and back.
        U: All observed points (n, d) of the unit cube.
        U_held: Points (p, d) of trials whose values are unknown, in the unit cube.
        q: Number of points.
        domain: The domain of the unit cube.
        rng: Source of randomness.
        n_before: Number of trials before this batch. If None, the number of observed and held
            points.
    """
    n_before = len(U) + len(U_held) if n_before is None else n_before
    W = choose_batch(fitted, chart.inward(U_held), q, rng=rng, n_before=n_before)
    taken = {*domain.keys(U), *domain.keys(U_held)}
    return distinct(domain.snap(chart.outward(W)), taken, domain, rng)
