"""Plots of a study with plotly, as in `optuna.visualization`: each function returns a figure.

`optuna_bkop.plots.matplotlib` has the same functions with matplotlib. `save_to_dashboard` shows
the figures in optuna-dashboard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from optuna import Study

from optuna_bkop.plots import _contents, _fronts, _plotly
from optuna_bkop.plots._dashboard import save_to_dashboard
from optuna_bkop.plots._slices import slices
from optuna_bkop.regret import RegretBound, RegretCertificate

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = [
    "plot_batches",
    "plot_front",
    "plot_hypervolume",
    "plot_model_slices",
    "plot_regret_bound",
    "plot_regret_certificate",
    "save_to_dashboard",
]


def plot_regret_certificate(
    study: Study,
    certificate: RegretCertificate | None = None,
    *,
    optimum: float | None = None,
) -> Figure:
    """Plot the regret certificate against the number of trials, on a logarithmic scale.

    The certificate is an upper bound of the simple regret: the difference between the best value
    found so far and the optimum. It is an estimate if kernel and norm of the objective are
    estimated. It has one point per batch, at the number of COMPLETE trials with a finite value so
    far. A batch is a set of trials whose points were chosen together.

    Args:
        study: A study with one objective.
        certificate: The certificate to plot. If None, `regret_certificate(study)`, which estimates
            kernel and norm.
        optimum: Best possible value, in units of the objective. If given, the smallest difference
            of a feasible trial's value to it so far is plotted as well, as "measured".

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=8)
        >>> [line.name for line in plot_regret_certificate(study, optimum=0.0).data]
        ['estimate', 'measured']
    """
    return _plotly.regret_figure(_contents.certificate_lines(study, certificate, optimum))


def plot_regret_bound(
    study: Study, bound: RegretBound | None = None, *, optimum: float | None = None
) -> Figure:
    """Plot bounds of the simple regret, on a logarithmic axis, against the number of trials.

    The bounds are those of Lyu, Yuan and Tsang for the cumulative regret, divided by the number of
    trials. Theorems 2 and 4 hold for batches; if trials ran one after the other, Theorems 1 and 3
    hold as well. "corollary" is the bound for exact values and a model that assumes noise. Dashed
    lines, "by deviations", show sharper bounds that the proofs contain.

    Args:
        study: A study with one objective.
        bound: The bounds to plot. If None, `regret_bound(study)`, which estimates kernel and norm.
        optimum: Best possible value, in units of the objective. If given, the smallest difference
            of a feasible trial's value to it so far is plotted as well, as "measured".

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> space = {name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"}
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> for _ in range(8):
        ...     trial = study.ask(space)
        ...     _ = study.tell(trial, trial.params["x"] + trial.params["y"] ** 2)
        >>> sorted({line.name for line in plot_regret_bound(study, optimum=0.0).data})
        ['by deviations', 'corollary', 'measured', 'theorem 2', 'theorem 4']
    """
    return _plotly.regret_figure(_contents.bound_lines(study, bound, optimum))


def plot_batches(study: Study, params: Sequence[str] | None = None) -> Figure:
    """Plot the batches of a study in the plane of two parameters.

    Trials of one batch, whose points were chosen together, share a colour and are joined to their
    centre by lines. Later batches are darker. Hollow points are trials that were not planned, for
    example those of the startup. The star is the best feasible trial, if there is one objective.

    Args:
        study: The study.
        params: Names of two parameters. If None, the first two of the COMPLETE trials. Trials that
            lack one of them, or are not COMPLETE, are left out.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> space = {name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"}
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> for _ in range(8):
        ...     trial = study.ask(space)
        ...     _ = study.tell(trial, trial.params["x"] + trial.params["y"] ** 2)
        >>> plot_batches(study).layout.xaxis.title.text
        'x'
    """
    return _plotly.batches_figure(_contents.batches(study, params))


def plot_model_slices(
    study: Study,
    params: Sequence[str] | None = None,
    *,
    certificate: RegretCertificate | None = None,
) -> Figure:
    """Plot the model of the objective along each parameter, through the best trial.

    A panel shows the posterior mean and the band in which the objective lies if its norm is that
    of the certificate. All other parameters are those of the best feasible trial. Points are the
    values of all COMPLETE trials, whatever their other parameters; the star is the best feasible
    trial.

    Args:
        study: A study with one objective.
        params: Names of parameters, each of which the best trial must have; otherwise a ValueError
            is raised. If None, all that it has.
        certificate: A certificate whose kernel and norm the model has. If None, both are estimated
            from all COMPLETE trials with a finite value.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> space = {name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"}
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> for _ in range(8):
        ...     trial = study.ask(space)
        ...     _ = study.tell(trial, trial.params["x"] + trial.params["y"] ** 2)
        >>> figure = plot_model_slices(study, params=["x"])
        >>> sorted({line.name for line in figure.data})
        ['band', 'best', 'mean', 'trials']
    """
    return _plotly.slices_figure(slices(study, params, certificate))


def plot_hypervolume(study: Study, reference_point: Sequence[float] | None = None) -> Figure:
    """Plot the hypervolume of all COMPLETE trials so far against their number.

    The hypervolume is the volume of objective space that feasible trials dominate, on the better
    side of a reference point. Dotted lines show where a planned batch begins.

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
        >>> len(plot_hypervolume(study).data[0].y)
        8
    """
    return _plotly.hypervolume_figure(_fronts.hypervolume_history(study, reference_point))


def plot_front(study: Study, objectives: tuple[int, int] = (0, 1)) -> Figure:
    """Plot the front of a study in the plane of two objectives, with the trials that run.

    The front consists of the feasible trials that no other feasible trial dominates: none is at
    least as good in all objectives of the study, and better in one. Running trials are drawn where
    the models expect their values, with bars of one posterior standard deviation, once any trial
    is feasible.

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
        >>> [line.name for line in plot_front(study).data]
        ['trials', 'front']
    """
    return _plotly.front_figure(_fronts.front(study, objectives))
