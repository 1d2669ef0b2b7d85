"""Which trials and which coordinates a long study's local model is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optuna_bkop._arrays import FloatArray
from optuna_bkop._domain import Domain
from optuna_bkop._model.chart import ChartedDomain, best_first, local_chart
from optuna_bkop._settings import Settings

#: Number of trials from which on a study searches locally, at least, and per parameter. Fewer
#: trials do not show the covariance of the best ones, and the model of all trials still gains.
_MIN_TRIALS, _MIN_PER_PARAMETER = 250, 15
#: Number of best trials whose covariance makes the chart, at least, and per parameter.
_MIN_ELITE, _ELITE_PER_PARAMETER = 50, 5
#: Number of best trials that the local model is trained on, at least, and as a multiple of those
#: that make the chart.
_MIN_LOCAL, _LOCAL_PER_ELITE = 250, 2
#: Share of the batches that are chosen locally. The others are chosen by the model of all trials,
#: so that the search never ends in one basin.
_LOCAL_SHARE = 0.75
#: Lengths of a chart's edges in standard deviations, of which each batch draws one: short edges
#: settle in a basin, long ones follow a curved valley (benchmarks/README.md compares them).
_LENGTHS = (6.0, 12.0)
#: The chart changes when this many trials are new. Between, the fitted parameters are kept.
_STEP = 10


@dataclass(frozen=True)
class Neighbourhood:
    """The trials around the best one, and the domain with the chart in which they are modelled.

    Attributes:
        rows: Indices (m,) of the trials, ascending.
        domain: The domain with its chart, that is, local coordinates around the best trials.
    """

    rows: NDArray[np.int64]
    domain: ChartedDomain


def neighbourhood(
    U: FloatArray,
    values: FloatArray,
    constraints: FloatArray,
    domain: Domain,
    settings: Settings,
    rng: np.random.Generator,
) -> Neighbourhood | None:
    """Return the neighbourhood in which to choose the next batch; None for the whole range.

    The whole range is searched while trials are few, in a part of the batches later, on a plateau
    (other trials have the best value, too), and if `local_chart` finds no chart. It is always
    searched if the settings have no trust box, because the user has asked for that, and by the
    strategy "bull", which fixes its points in advance.

    Args:
        U: Points (n, d); NaN where a trial does not have the parameter.
        values: Values (n,), to be maximised.
        constraints: Constraint values (n, k); feasible if at most 0, NaN if unknown.
        domain: The domain of the points.
        settings: How batches are chosen.
        rng: Decides between neighbourhood and whole range, equally for all workers that know the
            same trials.
    """
    if settings.trust_margin is None or settings.strategy == "bull":
        return None
    n, dim = U.shape
    if n < max(_MIN_TRIALS, _MIN_PER_PARAMETER * dim) or rng.random() >= _LOCAL_SHARE:
        return None
    settled = n - n % _STEP
    order = best_first(values[:settled], constraints[:settled])
    if values[order[0]] == values[order[1]]:
        return None
    n_elite = max(_MIN_ELITE, _ELITE_PER_PARAMETER * dim)
    chart = local_chart(U[order[:n_elite]], domain, float(rng.choice(_LENGTHS)))
    if chart is None:
        return None
    n_local = max(_MIN_LOCAL, _LOCAL_PER_ELITE * n_elite)
    rows = np.append(np.sort(order[:n_local]), np.arange(settled, n))
    return Neighbourhood(rows, ChartedDomain(domain.parameters, chart=chart))
