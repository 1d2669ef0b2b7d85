"""Shows the plots of a study in optuna-dashboard."""

from __future__ import annotations

import numpy as np
from optuna import Study

from optuna_bkop.plots import _contents, _fronts, _plotly
from optuna_bkop.plots._slices import slices


def save_to_dashboard(study: Study) -> list[str]:
    """Save the plots of a study as user-defined plots of optuna-dashboard.

    With one objective, these are the plots of the certificate, the regret bounds and the model's
    slices; with several, of the front and the hypervolume; and in both cases of the batches. The
    plot of batches is left out if the study has fewer than two parameters; those of the slices and
    of the hypervolume are left out as long as no COMPLETE trial is feasible with finite values.

    The dashboard shows the plots on the front page of the study. Saving them again replaces them.

    Args:
        study: A study with finished trials, in a storage that the dashboard can open.

    Returns:
        The identifiers of the plots.

    Raises:
        ImportError: If optuna-dashboard is not installed.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> space = {name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"}
        >>> study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=4, seed=1))
        >>> for _ in range(8):
        ...     trial = study.ask(space)
        ...     _ = study.tell(trial, trial.params["x"] + trial.params["y"] ** 2)
        >>> save_to_dashboard(study)  # doctest: +ELLIPSIS
        ['bkop-regret-certificate', ..., 'bkop-batches']
    """
    try:
        from optuna_dashboard import save_plotly_graph_object
    except ImportError:
        raise ImportError(
            "The dashboard is missing: pip install 'optuna-bkop[dashboard]'."
        ) from None
    trials = _contents.finished(study)
    is_any_usable = any(
        _contents.is_feasible(trial) and np.isfinite(trial.values).all() for trial in trials
    )
    if len(study.directions) > 1:
        figures = {"bkop-front": _plotly.front_figure(_fronts.front(study, (0, 1)))}
        if is_any_usable:
            history = _fronts.hypervolume_history(study, None)
            figures["bkop-hypervolume"] = _plotly.hypervolume_figure(history)
    else:
        figures = {
            "bkop-regret-certificate": _plotly.regret_figure(
                _contents.certificate_lines(study, None, None)
            ),
            "bkop-regret-bound": _plotly.regret_figure(_contents.bound_lines(study, None, None)),
        }
        if is_any_usable:
            figures["bkop-model-slices"] = _plotly.slices_figure(slices(study, None, None))
    if len({name for trial in trials for name in trial.params}) > 1:
        figures["bkop-batches"] = _plotly.batches_figure(_contents.batches(study, None))
    return [
        save_plotly_graph_object(study, figure, graph_object_id=name)
        for name, figure in figures.items()
    ]
