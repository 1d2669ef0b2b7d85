"""Pictures of a study: its regret bounds, and which trials were planned together.

As in `optuna.visualization.matplotlib`, each function draws on axes and returns them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from optuna import Study
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._kernels import FloatArray
from optuna_bkop._queries import STARTUP, batch_labels
from optuna_bkop.regret import RegretBound, regret_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Okabe and Ito's colours, told apart with any colour vision.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")


def plot_regret_bound(
    study: Study,
    bound: RegretBound | None = None,
    *,
    optimum: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Bounds on the simple regret against the number of trials, on a logarithmic scale.

    Args:
        study: The study.
        bound: Its bounds; None: `regret_bound(study)`, with a fitted kernel and the norm of the
            interpolant, which are estimates.
        optimum: The best value there is, if it is known: the measured regret is then drawn too.
        ax: Axes to draw on; None: new ones.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=8)
        >>> plot_regret_bound(study, optimum=0.0).get_ylabel()
        'simple regret'
    """
    bound = regret_bound(study) if bound is None else bound
    ax = _new_axes() if ax is None else ax
    for colour, one in zip(_COLOURS, bound.bounds, strict=False):
        ax.plot(bound.n_queries, one.simple, color=colour, marker=".", label=one.theorem)
        by_deviations = one.by_deviations / bound.n_queries
        ax.plot(bound.n_queries, by_deviations, color=colour, linestyle="--", linewidth=0.9)
    ax.plot([], [], color="0.5", linestyle="--", linewidth=0.9, label="by deviations")
    if optimum is not None:
        regret = [abs(trial.values[0] - optimum) for trial in _finished(study)]
        best = np.minimum.accumulate(regret)
        ax.plot(np.arange(1, len(best) + 1), best, color="black", label="measured")
    ax.set_yscale("log")
    ax.set_xlabel("trials")
    ax.set_ylabel("simple regret")
    what = "Estimates with the interpolant's" if bound.norm_is_lower_bound else "Bounds for"
    ax.set_title(f"{what} norm {bound.rkhs_norm:.3g}")
    ax.legend(frameon=False)
    return ax


def plot_batches(
    study: Study, params: tuple[str, str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Which trials were planned together, and where, in the plane of two parameters.

    Trials of one batch have one colour, the later the darker, and lines to their centre. Hollow
    points are trials that were in no plan, the startup's among them; the star is the best trial.

    Args:
        study: The study.
        params: The names of two parameters; None: the first two.
        ax: Axes to draw on; None: new ones.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> sampler = BKOPSampler(batch_size=3, n_startup_trials=4, seed=1)
        >>> study = optuna.create_study(sampler=sampler)
        >>> space = {name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"}
        >>> for n_asked in (4, 3, 3):
        ...     for trial in [study.ask(space) for _ in range(n_asked)]:
        ...         _ = study.tell(trial, trial.params["x"] + trial.params["y"])
        >>> plot_batches(study).get_title()
        '10 trials, 6 of them in 2 planned batches'
    """
    from matplotlib import colormaps

    first, second = _two_params(study) if params is None else params
    trials = [t for t in _finished(study) if first in t.params and second in t.params]
    if not trials:
        raise ValueError(f"No finished trial has the parameters {first!r} and {second!r}.")
    ax = _new_axes() if ax is None else ax
    P = np.column_stack([_positions(trials, first), _positions(trials, second)])

    labels = batch_labels(study.get_trials(deepcopy=False))
    names = [labels[trial.number] for trial in trials]
    lone = np.array([name == STARTUP or name.startswith("trial") for name in names])
    batches = list(dict.fromkeys(np.array(names)[~lone].tolist()))
    ax.scatter(P[lone, 0], P[lone, 1], 22, facecolors="none", edgecolors="0.6", label="in no plan")
    for k, batch in enumerate(batches):
        rows = np.array([name == batch for name in names])
        colour = colormaps["viridis_r"](0.1 + 0.9 * (k + 1) / len(batches))
        for point in P[rows]:
            ax.plot(*np.array([P[rows].mean(axis=0), point]).T, color=colour, linewidth=0.7)
        ax.scatter(P[rows, 0], P[rows, 1], 22, color=[colour], zorder=3)
    best = _best(study, trials)
    if best is not None:
        ax.scatter(P[best, 0], P[best, 1], 160, "#D55E00", marker="*", zorder=4, label="best")
    for axis, name in ((ax.xaxis, first), (ax.yaxis, second)):
        _name_axis(axis, name, trials[0].distributions[name])
    n_planned = len(trials) - int(lone.sum())
    ax.set_title(f"{len(trials)} trials, {n_planned} of them in {len(batches)} planned batches")
    ax.legend(frameon=False)
    return ax


def _new_axes() -> Axes:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("Plots need matplotlib: pip install 'optuna-bkop[plot]'.") from None
    # A figure apart from pyplot: no window, nothing to close. `ax.figure.savefig` writes it.
    axes: Axes = Figure(figsize=(7.0, 5.0), layout="constrained").subplots()
    return axes


def _finished(study: Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _two_params(study: Study) -> tuple[str, str]:
    names = list(dict.fromkeys(name for trial in _finished(study) for name in trial.params))
    if len(names) < 2:
        raise ValueError(f"A study with at least two parameters is needed, got {names}.")
    return names[0], names[1]


def _positions(trials: Sequence[FrozenTrial], name: str) -> FloatArray:
    """Where the trials' values (n,) of a parameter are drawn."""
    values = []
    for trial in trials:
        distribution = trial.distributions[name]
        value = distribution.to_internal_repr(trial.params[name])
        values.append(math.log10(value) if getattr(distribution, "log", False) else value)
    return np.array(values, dtype=float)


def _name_axis(axis: Axis, name: str, distribution: BaseDistribution) -> None:
    axis.set_label_text(f"log10 {name}" if getattr(distribution, "log", False) else name)
    if isinstance(distribution, CategoricalDistribution):
        choices = [str(choice) for choice in distribution.choices]
        axis.set_ticks(range(len(choices)), labels=choices)


def _best(study: Study, trials: Sequence[FrozenTrial]) -> int | None:
    """The place of the best feasible trial."""
    sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
    feasible = [k for k, t in enumerate(trials) if all(c <= 0 for c in t.constraints.values())]
    return min(feasible, key=lambda k: sign * trials[k].values[0], default=None)
