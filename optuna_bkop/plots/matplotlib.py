"""Plots of a study with matplotlib, as in `optuna.visualization.matplotlib`.

Each function has the name and the arguments of its namesake in `optuna_bkop.plots`, where they are
explained, and returns axes; `axes.figure.savefig` writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from optuna import Study

from optuna_bkop._arrays import FloatArray
from optuna_bkop.plots import _contents, _fronts
from optuna_bkop.plots._contents import BLACK, COLOURS, GREY, AxisName, Line, RegretLines
from optuna_bkop.plots._slices import slices
from optuna_bkop.regret import RegretBound, RegretCertificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

__all__ = [
    "plot_batches",
    "plot_front",
    "plot_hypervolume",
    "plot_model_slices",
    "plot_regret_bound",
    "plot_regret_certificate",
]


def plot_regret_certificate(
    study: Study,
    certificate: RegretCertificate | None = None,
    *,
    optimum: float | None = None,
) -> Axes:
    """Plot the regret certificate against the number of trials, on a logarithmic scale.

    The certificate is an upper bound of the simple regret: the difference between the best value
    found so far and the optimum. It has one point per batch.

    Args:
        study: A study with one objective.
        certificate: The certificate to plot. If None, `regret_certificate(study)`.
        optimum: Best possible value. If given, the measured regret is plotted as well, with one
            point per COMPLETE trial.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=8)
        >>> plot_regret_certificate(study).get_ylabel()
        'simple regret'
    """
    return _regret_axes(_contents.certificate_lines(study, certificate, optimum))


def plot_regret_bound(
    study: Study, bound: RegretBound | None = None, *, optimum: float | None = None
) -> Axes:
    """Plot bounds of the simple regret against the number of trials, on a logarithmic scale.

    The bounds are those of Theorems 1-4 of Lyu, Yuan and Tsang for the cumulative regret, divided
    by the number of trials. Dashed lines show sharper bounds that the proofs contain.

    Args:
        study: A study with one objective.
        bound: The bounds to plot. If None, `regret_bound(study)`.
        optimum: Best possible value. If given, the measured regret is plotted as well.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> space = {name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"}
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> for _ in range(8):
        ...     trial = study.ask(space)
        ...     _ = study.tell(trial, trial.params["x"] + trial.params["y"] ** 2)
        >>> plot_regret_bound(study).get_yscale()
        'log'
    """
    return _regret_axes(_contents.bound_lines(study, bound, optimum))


def plot_batches(study: Study, params: Sequence[str] | None = None) -> Axes:
    """Plot the batches of a study in the plane of two parameters.

    Trials of one batch, whose points were chosen together, share a colour.

    Args:
        study: The study.
        params: Names of two parameters. If None, the first two.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> space = {name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"}
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> for _ in range(8):
        ...     trial = study.ask(space)
        ...     _ = study.tell(trial, trial.params["x"] + trial.params["y"] ** 2)
        >>> plot_batches(study).figure.savefig("batches.png")  # doctest: +SKIP
        >>> plot_batches(study).get_xlabel()
        'x'
    """
    from matplotlib import colormaps

    content = _contents.batches(study, params)
    ax = _new_axes()[0]
    _dots(ax, content.lone, s=22, facecolors="none", edgecolors=GREY, label="in no plan")
    for k, points in enumerate(content.planned):
        colour = colormaps["viridis_r"](content.shade(k))
        for point in points:
            ax.plot(*np.array([points.mean(axis=0), point]).T, color=colour, linewidth=0.7)
        _dots(ax, points, s=22, color=[colour], zorder=3)
    if content.best is not None:
        _dots(ax, content.best[None], s=160, c=COLOURS[1], marker="*", zorder=4, label="best")
    _name_axis(ax.xaxis, content.axes[0])
    _name_axis(ax.yaxis, content.axes[1])
    ax.set_title(content.title)
    ax.legend(frameon=False)
    return ax


def plot_model_slices(
    study: Study,
    params: Sequence[str] | None = None,
    *,
    certificate: RegretCertificate | None = None,
) -> list[Axes]:
    """Plot the model of the objective along each parameter, through the best trial.

    A panel shows the posterior mean, the band in which the objective lies if its norm is that of
    the certificate, and all trials.

    Args:
        study: A study with one objective.
        params: Names of parameters. If None, all that the best trial has.
        certificate: A certificate whose kernel and norm the model has. If None, both are
            estimated.

    Returns:
        The axes, one per parameter.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> space = {name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"}
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> for _ in range(8):
        ...     trial = study.ask(space)
        ...     _ = study.tell(trial, trial.params["x"] + trial.params["y"] ** 2)
        >>> [ax.get_xlabel() for ax in plot_model_slices(study)]
        ['x', 'y']
    """
    content = slices(study, params, certificate)
    axes = _new_axes(len(content.panels))
    for ax, panel in zip(axes, content.panels, strict=True):
        ax.fill_between(
            panel.x, panel.lower, panel.upper, color=COLOURS[0], alpha=0.2, lw=0, label="band"
        )
        marker = "o" if panel.axis.choices else None
        ax.plot(panel.x, panel.mean, color=COLOURS[0], marker=marker, label="mean")
        _dots(ax, panel.trials, s=12, c=BLACK, alpha=0.6, label="trials")
        _dots(ax, panel.best[None], s=120, c=COLOURS[1], marker="*", zorder=4, label="best")
        _name_axis(ax.xaxis, panel.axis)
    axes[0].set_ylim(*content.y_range)
    axes[0].set_ylabel(content.y_label)
    axes[0].figure.suptitle(content.title)
    axes[0].legend(frameon=False)
    return axes


def plot_hypervolume(study: Study, reference_point: Sequence[float] | None = None) -> Axes:
    """Plot the hypervolume of all COMPLETE trials so far against their number.

    The hypervolume is the volume of objective space that feasible trials dominate, on the better
    side of a reference point.

    Args:
        study: A study with several objectives.
        reference_point: One number per objective, in its own units and direction. If None, it lies
            beyond the worst values on the final front, by a fifth of the front's extent.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> sampler = BKOPSampler(n_startup_trials=4, seed=1)
        >>> study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        >>> for _ in range(8):
        ...     trial = study.ask({"x": optuna.distributions.FloatDistribution(0, 1)})
        ...     _ = study.tell(trial, [trial.params["x"], 1 - trial.params["x"] ** 2])
        >>> plot_hypervolume(study).get_ylabel()
        'hypervolume'
    """
    content = _fronts.hypervolume_history(study, reference_point)
    ax = _new_axes()[0]
    ax.step(content.x, content.y, where="post", color=COLOURS[0])
    for start in content.starts:
        ax.axvline(start, color=GREY, linewidth=0.5, linestyle=":")
    ax.set_xlabel("trials")
    ax.set_ylabel("hypervolume")
    ax.set_title(content.title)
    return ax


def plot_front(study: Study, objectives: tuple[int, int] = (0, 1)) -> Axes:
    """Plot the front of a study in the plane of two objectives, with the trials that run.

    The front consists of the feasible trials that no other feasible trial dominates.

    Args:
        study: A study with several objectives.
        objectives: Indices of two objectives, counted from 0.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> sampler = BKOPSampler(n_startup_trials=4, seed=1)
        >>> study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        >>> for _ in range(8):
        ...     trial = study.ask({"x": optuna.distributions.FloatDistribution(0, 1)})
        ...     _ = study.tell(trial, [trial.params["x"], 1 - trial.params["x"] ** 2])
        >>> plot_front(study).get_xlabel()
        'objective 0'
    """
    content = _fronts.front(study, objectives)
    ax = _new_axes()[0]
    _dots(ax, content.trials, s=14, c=GREY, alpha=0.6, label="trials")
    _dots(ax, content.front, s=30, c=COLOURS[0], label="front")
    if len(content.coming):
        sides = np.abs([content.coming - content.lower, content.upper - content.coming])
        ax.errorbar(
            content.coming[:, 0],
            content.coming[:, 1],
            xerr=sides[:, :, 0],
            yerr=sides[:, :, 1],
            fmt="D",
            color=COLOURS[1],
            elinewidth=0.8,
            label="running, as expected",
        )
    ax.set_xlabel(content.labels[0])
    ax.set_ylabel(content.labels[1])
    ax.set_title(content.title)
    ax.legend(frameon=False)
    return ax


def _regret_axes(content: RegretLines) -> Axes:
    ax = _new_axes()[0]
    for line in content.lines:
        ax.plot(line.x, line.y, color=line.colour, **_style(line))
    if any((line.y > 0).any() for line in content.lines):  # otherwise matplotlib warns
        ax.set_yscale("log")
    ax.set_xlabel(content.x_label)
    ax.set_ylabel(content.y_label)
    ax.set_title(content.title)
    ax.legend(frameon=False)
    return ax


def _style(line: Line) -> dict[str, Any]:
    label = line.name if line.is_named else None
    if line.is_dashed:
        return {"label": label, "linestyle": "--", "linewidth": 0.9}
    return {"label": label, "marker": "."}


def _dots(ax: Axes, points: FloatArray, **style: Any) -> None:
    ax.scatter(points[:, 0], points[:, 1], **style)


def _new_axes(n: int = 1) -> list[Axes]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "These plots need matplotlib: pip install 'optuna-bkop[plot]'."
        ) from None
    # This figure is unknown to pyplot: it opens no window.
    size = (7.0, 5.0) if n == 1 else (3.2 * n, 3.6)
    figure = Figure(figsize=size, layout="constrained")
    return list(figure.subplots(1, n, sharey=True, squeeze=False)[0])


def _name_axis(axis: Axis, name: AxisName) -> None:
    axis.set_label_text(name.label)
    if name.choices:
        axis.set_ticks(range(len(name.choices)), labels=name.choices)
