"""What the plots show, as numbers and texts. The backends, plotly and matplotlib, only draw it.

A plan is a set of points that were chosen together; its trials are one planned batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from optuna import Study
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._arrays import FloatArray
from optuna_bkop._checks import check_finite
from optuna_bkop._coordination.records import STARTUP, batch_labels
from optuna_bkop._study.trial_cache import constraints_of
from optuna_bkop.regret import RegretBound, RegretCertificate, regret_bound, regret_certificate

#: Okabe and Ito's colours, distinguishable with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
GREY, BLACK = "#808080", "#000000"


@dataclass(frozen=True)
class Line:
    """A line of a plot.

    Attributes:
        name: Name in the legend.
        x: Positions (n,).
        y: Values (n,).
        colour: Colour as "#rrggbb".
        is_dashed: Whether the line is dashed.
        is_named: Whether the legend shows it.
    """

    name: str
    x: FloatArray | NDArray[np.int64]
    y: FloatArray
    colour: str
    is_dashed: bool = False
    is_named: bool = True


@dataclass(frozen=True)
class RegretLines:
    """Lines of simple regret against the number of trials; the regret is on a logarithmic axis."""

    title: str
    lines: tuple[Line, ...]
    x_label: str = "trials"
    y_label: str = "simple regret"


@dataclass(frozen=True)
class AxisName:
    """The label of an axis, and how its positions are to be read.

    Attributes:
        label: Name of the parameter, or "log10" and the name.
        choices: Names of the choices at 0, 1, 2, ... if the parameter is categorical; else empty.
        is_log: Whether positions are decimal logarithms of the values.
    """

    label: str
    choices: tuple[str, ...] = ()
    is_log: bool = False


@dataclass(frozen=True)
class Batches:
    """COMPLETE trials in the plane of two parameters.

    Attributes:
        title: Title of the figure.
        axes: Labels of both axes.
        lone: Positions (n, 2) of trials that no plan contains, for example those of the startup.
        planned: Positions (q, 2) of the trials of each planned batch, the earliest batch first.
        best: Position (2,) of the best feasible trial with a finite value; None if there is none,
            or if there are several objectives.
    """

    title: str
    axes: tuple[AxisName, AxisName]
    lone: FloatArray
    planned: tuple[FloatArray, ...]
    best: FloatArray | None

    def shade(self, k: int) -> float:
        """Return the shade of batch k: later ones are darker, from near 0.1 to 1."""
        return 0.1 + 0.9 * (k + 1) / len(self.planned)


@dataclass(frozen=True)
class Slice:
    """The model along one parameter, through the best trial.

    Attributes:
        axis: Name of the parameter's axis.
        x: Positions (m,) of the parameter.
        mean: Posterior mean (m,), in units and direction of the objective.
        lower: Lower ends (m,) of the band in which the objective lies if its norm is that of the
            model.
        upper: Upper ends (m,) of the band.
        trials: Positions and values (n, 2) of the COMPLETE trials that have the parameter and a
            finite value.
        best: Position and value (2,) of the best feasible trial.
    """

    axis: AxisName
    x: FloatArray
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    trials: FloatArray
    best: FloatArray


@dataclass(frozen=True)
class Slices:
    """The model along several parameters.

    Attributes:
        title: Title of the figure.
        panels: One slice per parameter.
        y_range: Ends of the axis of values: the range of all observed values, with a margin.
        y_label: Label of the axis of values.
    """

    title: str
    panels: tuple[Slice, ...]
    y_range: tuple[float, float]
    y_label: str = field(default="objective value")


def bound_lines(study: Study, bound: RegretBound | None, optimum: float | None) -> RegretLines:
    """Return bounds of the simple regret after each batch, two lines per theorem that applies.

    They are `Bound.simple`, and `Bound.by_deviations` divided by the number of queries.

    Args:
        study: A study with one objective.
        bound: The bounds; None computes them.
        optimum: Best possible value, for a line of the measured regret: the smallest distance of a
            feasible trial so far to it. None for no such line.
    """
    bound = regret_bound(study) if bound is None else bound
    n, lines = bound.n_queries, []
    for colour, one in zip(COLOURS, bound.bounds, strict=False):
        by_deviations = one.by_deviations / n
        lines.append(Line(one.theorem, n, one.simple, colour))
        is_first = one is bound.bounds[0]
        lines.append(Line("by deviations", n, by_deviations, colour, True, is_first))
    what = "Estimates with the interpolant's" if bound.norm_is_lower_bound else "Bounds for"
    title = f"{what} norm {bound.rkhs_norm:.3g}"
    return RegretLines(title, (*lines, *_measured(study, optimum)))


def certificate_lines(
    study: Study, certificate: RegretCertificate | None, optimum: float | None
) -> RegretLines:
    """Return the certificate, a bound of the simple regret, after each batch.

    Args:
        study: A study with one objective.
        certificate: The certificate; None computes it.
        optimum: Best possible value, for a line of the measured regret; None for no such line.
    """
    found = regret_certificate(study) if certificate is None else certificate
    what = "certificate" if found.is_certificate else "estimate"
    # A gap of 0 has no place on a logarithmic scale.
    gap = np.where((found.gap > 0) & np.isfinite(found.gap), found.gap, np.nan)
    line = Line(what, found.n_queries, gap, COLOURS[0])
    title = f"Regret {what}: at most {found.gap[-1]:.3g} is left to gain"
    return RegretLines(title, (line, *_measured(study, optimum)))


def batches(study: Study, params: Sequence[str] | None) -> Batches:
    """Return the batches of a study in the plane of two parameters.

    Args:
        study: The study.
        params: Names of the two parameters. If None, the first two of the COMPLETE trials.

    Raises:
        ValueError: ``params`` are not two parameters of the study, no COMPLETE trial has both, or
            the study has fewer than two.
    """
    first, second = _two_params(study, params)
    trials = [t for t in finished(study) if first in t.params and second in t.params]
    if not trials:
        raise ValueError(f"No finished trial has the parameters {first!r} and {second!r}.")
    P = np.column_stack([positions(trials, first), positions(trials, second)])
    labels = batch_labels(study.get_trials(deepcopy=False))
    names = np.array([labels[trial.number] for trial in trials])
    lone = np.array([name == STARTUP or name.startswith("trial") for name in names])
    planned = tuple(P[names == batch] for batch in dict.fromkeys(names[~lone].tolist()))
    n_planned = len(trials) - int(lone.sum())
    best = best_of(study, trials)
    return Batches(
        f"{len(trials)} trials, {n_planned} of them in {len(planned)} planned batches",
        (
            axis_name(first, trials[0].distributions[first]),
            axis_name(second, trials[0].distributions[second]),
        ),
        P[lone],
        planned,
        None if best is None else P[best],
    )


def finished(study: Study) -> list[FrozenTrial]:
    """Return the COMPLETE trials of a study, in the order of their numbers."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def positions(trials: Sequence[FrozenTrial], name: str) -> FloatArray:
    """Return the coordinates (n,) at which the trials' values of a parameter are drawn.

    They are decimal logarithms if the parameter has a logarithmic scale, indices of choices,
    counted from 0, if it is categorical, and the values themselves otherwise. All trials must have
    the parameter.
    """
    values = []
    for trial in trials:
        distribution = trial.distributions[name]
        value = distribution.to_internal_repr(trial.params[name])
        values.append(math.log10(value) if getattr(distribution, "log", False) else value)
    return np.array(values, dtype=float)


def axis_name(name: str, distribution: BaseDistribution) -> AxisName:
    """Return the label of a parameter's axis, and how positions on it are to be read."""
    if isinstance(distribution, CategoricalDistribution):
        return AxisName(name, tuple(str(choice) for choice in distribution.choices))
    is_log = bool(getattr(distribution, "log", False))
    return AxisName(f"log10 {name}" if is_log else name, is_log=is_log)


def best_of(study: Study, trials: Sequence[FrozenTrial]) -> int | None:
    """Return the index in ``trials`` of the best feasible trial with a finite value.

    A trial without constraints is feasible; of equally good trials, the first is returned. The
    result is None if there is none, or if the study has several objectives.
    """
    if len(study.directions) > 1:
        return None
    sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
    usable = [k for k, t in enumerate(trials) if is_feasible(t) and math.isfinite(t.values[0])]
    return min(usable, key=lambda k: sign * trials[k].values[0], default=None)


def is_feasible(trial: FrozenTrial) -> bool:
    """Return whether a trial violates none of its constraints. NaN is no violation."""
    return not any(c > 0 for c in constraints_of(trial).values())


def _measured(study: Study, optimum: float | None) -> list[Line]:
    if optimum is None:
        return []
    check_finite("optimum", optimum)
    regret = [
        abs(trial.values[0] - optimum) if is_feasible(trial) else math.inf
        for trial in finished(study)
    ]
    best = np.minimum.accumulate(regret)
    x = np.arange(1, len(best) + 1)
    return [Line("measured", x, np.where(np.isfinite(best), best, np.nan), BLACK)]


def _two_params(study: Study, params: Sequence[str] | None) -> tuple[str, str]:
    names = list(dict.fromkeys(name for trial in finished(study) for name in trial.params))
    if len(names) < 2:
        raise ValueError(f"A study with at least two parameters is needed, got {names}.")
    two = names[:2] if params is None else list(params)
    if isinstance(params, str) or len(two) != 2 or not set(two) <= set(names):
        raise ValueError(f"`params` must be two of {', '.join(names)}, got {params!r}.")
    return two[0], two[1]
