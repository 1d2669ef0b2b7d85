"""The pictures show what the study holds."""

import sys

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution

from optuna_bkop import BKOPSampler
from optuna_bkop.plots import plot_batches, plot_regret_bound
from optuna_bkop.regret import regret_bound

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def study() -> optuna.Study:
    study = optuna.create_study(
        sampler=BKOPSampler(batch_size=3, n_startup_trials=4, seed=0), direction="maximize"
    )
    space = {
        "rate": FloatDistribution(1e-4, 1e-1, log=True),
        "kind": CategoricalDistribution(["a", "b"]),
        "x": FloatDistribution(-1, 1),
    }
    for n_asked in (4, 3, 3):
        for trial in [study.ask(space) for _ in range(n_asked)]:
            study.tell(trial, -(trial.params["x"] ** 2) - trial.params["rate"])
    return study


def test_regret_bound_has_a_line_for_each_theorem_and_the_measured_regret(study: optuna.Study):
    ax = plot_regret_bound(study, optimum=0.0)
    labels = ax.get_legend_handles_labels()[1]
    assert labels == ["theorem 2", "theorem 4", "corollary", "by deviations", "measured"]
    measured = next(line for line in ax.get_lines() if line.get_label() == "measured")
    values = [trial.value for trial in study.trials]
    np.testing.assert_allclose(measured.get_ydata()[-1], -max(values))
    assert "Estimates" in ax.get_title()


def test_regret_bound_draws_a_given_result_on_given_axes(study: optuna.Study):
    bound = regret_bound(study, rkhs_norm=5.0)
    ax = plot_regret_bound(study)
    again = plot_regret_bound(study, bound, ax=ax)
    assert again is ax
    assert ax.get_title() == "Bounds for norm 5"


def test_batches_have_a_colour_each_and_lines_to_their_centre(study: optuna.Study):
    ax = plot_batches(study, ("x", "rate"))
    assert ax.get_title() == "10 trials, 6 of them in 2 planned batches"
    sizes = [len(c.get_offsets()) for c in ax.collections]
    assert sizes == [4, 3, 3, 1]  # in no plan, two batches, the best
    assert len(ax.get_lines()) == 6
    best = study.best_params
    np.testing.assert_allclose(
        ax.collections[-1].get_offsets()[0], [best["x"], np.log10(best["rate"])]
    )
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "log10 rate")


def test_categories_are_named_on_their_axis(study: optuna.Study):
    ax = plot_batches(study)  # the first two parameters
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]


def test_pictures_can_be_written(study: optuna.Study, tmp_path):
    plot_batches(study).figure.savefig(tmp_path / "batches.png")
    plot_regret_bound(study).figure.savefig(tmp_path / "bound.png")
    assert (tmp_path / "batches.png").stat().st_size > 10_000


def test_studies_without_two_parameters_are_refused():
    study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=2, seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    with pytest.raises(ValueError, match="two parameters"):
        plot_batches(study)
    with pytest.raises(ValueError, match="'x' and 'z'"):
        plot_batches(study, ("x", "z"))


def test_without_matplotlib_the_extra_is_named(study: optuna.Study, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"optuna-bkop\[plot\]"):
        plot_regret_bound(study)
