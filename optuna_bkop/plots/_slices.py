"""Slices of the model of the objective, through the best feasible trial."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from optuna import Study

from optuna_bkop._arrays import FloatArray
from optuna_bkop._study.unit_cube import from_unit
from optuna_bkop._study_queries import StudyQueries, read_queries
from optuna_bkop._theory.certificate import Premises
from optuna_bkop._theory.posterior import Posterior
from optuna_bkop.plots._contents import Slice, Slices, axis_name, best_of, finished, positions
from optuna_bkop.regret import RegretCertificate
from optuna_bkop.regret.estimates import Given, estimate_premises

#: Number of points of a slice, and the margin of the axis of values.
_N_POINTS, _MARGIN = 101, 0.08


def slices(
    study: Study, params: Sequence[str] | None, certificate: RegretCertificate | None
) -> Slices:
    """Return the model's mean and band along each parameter, through the best feasible trial.

    Along a parameter, all other parameters have their values in the best trial. The band contains
    the objective if its norm is that of the model.

    Args:
        study: A study with one objective.
        params: Names of parameters. If None, all that the best trial has.
        certificate: A certificate whose kernel and norm the model has. If None, both are estimated
            from all COMPLETE trials with a finite value.

    Raises:
        ValueError: The best trial lacks one of ``params``, no COMPLETE trial is feasible with a
            finite value, or the study has several objectives.
    """
    read = read_queries(study)
    trials = finished(study)
    best = best_of(study, trials)
    if best is None:
        raise ValueError("A study with a feasible trial is needed, got none.")
    names = [name for name in read.cube.names if name in trials[best].params]
    unknown = [name for name in params or () if name not in names]
    if unknown:
        raise ValueError(f"The best trial must have the parameters {unknown}, got {names}.")
    if certificate is None:
        # A picture shows poor values too, so that its model must know them.
        premises = estimate_premises(read.queries, Given(), best_only=False)[0]
    else:
        premises = certificate.premises
    used = read.queries.part(premises.part_of(read.queries.y, read.queries.feasible))
    y = premises.compression.apply(used.y)
    model = Posterior.of(used.X, y, premises.kernel, premises.noise_var, premises.offset)
    u = read.cube.encode(trials[best].params, trials[best].distributions)
    panels = []
    for name in names if params is None else params:
        x, U = _line(read, name, u)
        mean, lower, upper = _band(read, model, premises, U)
        with_it = [t for t in trials if name in t.params]
        values = np.array([t.values[0] for t in with_it])
        seen = np.column_stack([positions(with_it, name), values])
        at = np.array([positions([trials[best]], name)[0], trials[best].values[0]])
        axis = axis_name(name, trials[best].distributions[name])
        panels.append(Slice(axis, x, mean, lower, upper, seen[np.isfinite(values)], at))
    low, high = float(read.queries.y.min()), float(read.queries.y.max())
    # Equal values need a range, too.
    margin = _MARGIN * ((high - low) or abs(high) or 1.0)
    y_range = (low - margin, high + margin)
    title = f"Model through the best trial, {trials[best].number}"
    return Slices(title, tuple(panels), y_range if read.maximize else (-y_range[1], -y_range[0]))


def _line(read: StudyQueries, name: str, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return positions (m,) on a parameter's axis, and points (m, d) that vary it alone in u."""
    j = read.cube.names.index(name)
    distribution, grid = read.cube.distributions[j], read.domain.parameters[j].grid
    numbers = np.linspace(0.0, 1.0, _N_POINTS) if grid is None else grid
    U = np.tile(u, (len(numbers), 1))
    U[:, j] = numbers
    values = [distribution.to_internal_repr(from_unit(distribution, v)) for v in numbers.tolist()]
    x = np.array(values, dtype=float)
    return (np.log10(x) if getattr(distribution, "log", False) else x), U


def _band(
    read: StudyQueries, model: Posterior, premises: Premises, U: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean, lower and upper end of the band (m,) at points U (m, d).

    They are in units and direction of the objective.
    """
    mean, std = model.mean_and_std(read.domain.features(U))
    width = premises.weight(model.data_norm) * std
    ends = [premises.compression.invert(v) for v in (mean, mean - width, mean + width)]
    return (ends[0], ends[1], ends[2]) if read.maximize else (-ends[0], -ends[2], -ends[1])
