"""The pictures show what the study holds, with both backends."""

import inspect
import math
import sys
from types import ModuleType

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from optuna_bkop import BKOPSampler, plots
from optuna_bkop._theory.posterior import Posterior
from optuna_bkop.plots import matplotlib as mpl
from optuna_bkop.regret import (
    StationaryKernel,
    queries_of,
    regret_bound,
    regret_certificate,
)
from tests.support.constraints import set_constraint

pytest.importorskip("matplotlib")
pytest.importorskip("plotly")

NAMES = [
    "plot_batches",
    "plot_front",
    "plot_hypervolume",
    "plot_model_slices",
    "plot_regret_bound",
    "plot_regret_certificate",
]
SPACE = {
    "rate": FloatDistribution(1e-4, 1e-1, log=True),
    "kind": CategoricalDistribution(["a", "b"]),
    "x": FloatDistribution(-1, 1),
}


@pytest.fixture(scope="module")
def study() -> optuna.Study:
    study = optuna.create_study(
        sampler=BKOPSampler(batch_size=3, n_startup_trials=4, seed=0), direction="maximize"
    )
    for n_asked in (4, 3, 3):
        for trial in [study.ask(SPACE) for _ in range(n_asked)]:
            study.tell(trial, -(trial.params["x"] ** 2) - trial.params["rate"])
    return study


@pytest.fixture(scope="module")
def several() -> optuna.Study:
    """Six startup trials, two planned rounds of three, and a third round that runs."""
    study = optuna.create_study(
        sampler=BKOPSampler(batch_size=3, n_startup_trials=6, seed=0),
        directions=["minimize", "maximize"],
    )
    space = {"x": FloatDistribution(-1, 1), "y": FloatDistribution(0, 1)}
    for n_asked in (6, 3, 3):
        for trial in [study.ask(space) for _ in range(n_asked)]:
            study.tell(trial, [trial.params["x"], trial.params["x"] - trial.params["y"]])
    for _ in range(3):
        study.ask(space)
    return study


#: Plots of studies with several objectives.
OF_SEVERAL = ("plot_front", "plot_hypervolume")


class Lines:
    """What either backend drew: named lines and points, title and labels."""

    def __init__(self, drawn: object) -> None:
        self.lines: list[tuple[str, np.ndarray, np.ndarray]] = []
        self.points: list[tuple[str, np.ndarray]] = []
        if hasattr(drawn, "data"):
            layout = drawn.layout
            self.title, self.y_type = layout.title.text, layout.yaxis.type
            self.labels = (layout.xaxis.title.text, layout.yaxis.title.text)
            self.y_ticks = list(layout.yaxis.ticktext or ())
            for trace in drawn.data:
                x, y = np.asarray(trace.x, float), np.asarray(trace.y, float)
                if "lines" in trace.mode:
                    self.lines.append((trace.name if trace.showlegend is not False else "", x, y))
                else:
                    self.points.append((trace.name, np.column_stack([x, y])))
        else:
            self.title, self.y_type = drawn.get_title(), drawn.get_yscale()
            self.labels = (drawn.get_xlabel(), drawn.get_ylabel())
            self.y_ticks = [label.get_text() for label in drawn.get_yticklabels()]
            for line in drawn.get_lines():
                label = line.get_label()
                name = "" if label.startswith("_") else label
                self.lines.append((name, line.get_xdata(), line.get_ydata()))
            for dots in drawn.collections:
                self.points.append((dots.get_label(), np.asarray(dots.get_offsets())))

    def line(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        return next((x, y) for label, x, y in self.lines if label == name)


def both(name: str, *arguments: object, **options: object) -> list[Lines]:
    return [Lines(getattr(module, name)(*arguments, **options)) for module in (plots, mpl)]


def test_both_backends_have_the_same_functions_with_the_same_arguments():
    for name in NAMES:
        parameters = [
            str(inspect.signature(getattr(module, name))).split(" -> ")[0]
            for module in (plots, mpl)
        ]
        assert parameters[0] == parameters[1]
    assert set(mpl.__all__) == set(NAMES) == set(plots.__all__) - {"save_to_dashboard"}


# --- regret ---


def test_the_bound_has_a_line_for_each_theorem_and_the_measured_regret(study: optuna.Study):
    bound = regret_bound(study)
    for drawn in both("plot_regret_bound", study, optimum=0.0):
        names = [name for name, _, _ in drawn.lines if name]
        assert names == ["theorem 2", "by deviations", "theorem 4", "corollary", "measured"]
        x, y = drawn.line("theorem 2")
        np.testing.assert_allclose(x, [4, 7, 10])
        np.testing.assert_allclose(y, bound.theorem2.simple)
        measured = drawn.line("measured")[1]
        assert measured[-1] == pytest.approx(-max(trial.value for trial in study.trials))
        assert "Estimates" in drawn.title
        assert drawn.y_type == "log"
        assert drawn.labels == ("trials", "simple regret")


def test_a_given_bound_is_drawn(study: optuna.Study):
    bound = regret_bound(study, rkhs_norm=5.0)
    for drawn in both("plot_regret_bound", study, bound):
        assert drawn.title == "Bounds for norm 5"
        assert "measured" not in [name for name, _, _ in drawn.lines]


def test_the_certificate_is_a_line_that_says_what_it_is(study: optuna.Study):
    found = regret_certificate(study)
    for drawn in both("plot_regret_certificate", study, optimum=0.0):
        assert [name for name, _, _ in drawn.lines] == ["estimate", "measured"]
        np.testing.assert_allclose(drawn.line("estimate")[0], [4, 7, 10])
        np.testing.assert_allclose(drawn.line("estimate")[1], found.gap)
        assert drawn.title.startswith("Regret estimate: at most ")
        assert drawn.y_type == "log"
    kernel = StationaryKernel("matern52", 1.0)
    given = regret_certificate(study, rkhs_norm=9.0, kernel=kernel, offset=0.0)
    for drawn in both("plot_regret_certificate", study, given):
        assert [name for name, _, _ in drawn.lines] == ["certificate"]
        np.testing.assert_allclose(drawn.line("certificate")[1], given.gap)


# --- batches ---


def test_batches_have_a_colour_each_and_lines_to_their_centre(study: optuna.Study):
    for drawn in both("plot_batches", study, ("x", "rate")):
        assert drawn.title == "10 trials, 6 of them in 2 planned batches"
        assert [len(points) for _, points in drawn.points] == [4, 3, 3, 1]
        assert [drawn.points[k][0] for k in (0, -1)] == ["in no plan", "best"]
        best = study.best_params
        np.testing.assert_allclose(drawn.points[-1][1][0], [best["x"], math.log10(best["rate"])])
        assert drawn.labels == ("x", "log10 rate")
        # A line from the centre to each of the six planned points.
        n_ends = sum(np.isfinite(x).sum() for _, x, _ in drawn.lines)
        assert n_ends == 12
        for _, points in drawn.points[1:3]:
            ends = np.concatenate([np.column_stack([x, y]) for _, x, y in drawn.lines])
            assert any(np.allclose(end, points.mean(axis=0)) for end in ends)
    figure = plots.plot_batches(study, ("x", "rate"))
    colours = {str(t.marker.color) for t in figure.data if t.name and t.name.startswith("batch")}
    assert len(colours) == 2


def test_categories_are_named_on_their_axis(study: optuna.Study):
    for drawn in both("plot_batches", study):  # the first two parameters
        assert drawn.y_ticks == ["a", "b"]


def test_studies_without_two_parameters_are_refused():
    study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=2, seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    for module in (plots, mpl):
        with pytest.raises(ValueError, match="two parameters"):
            module.plot_batches(study)


@pytest.mark.parametrize("params", [["x"], ["x", "rate", "kind"], ["x", "z"], "xy"])
def test_batches_name_the_parameters_to_choose_from(study: optuna.Study, params: list[str]):
    for module in (plots, mpl):
        with pytest.raises(ValueError, match="`params` must be two of rate, kind, x, got"):
            module.plot_batches(study, params)


def test_parameters_that_no_trial_has_together_are_refused():
    study = optuna.create_study()
    for name in "xy":
        study.tell(study.ask({name: FloatDistribution(0, 1)}), 1.0)
    with pytest.raises(ValueError, match="No finished trial has the parameters 'x' and 'y'"):
        plots.plot_batches(study)


# --- values that are equal, infinite or infeasible ---


def told(values: list[float], bounds: list[float] | None = None, **changes: object):
    """A study with these values, and constraints that are met up to 0."""
    study = optuna.create_study(**changes)
    space = {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)}
    for k, value in enumerate(values):
        study.enqueue_trial({"x": (k + 0.5) / len(values), "y": 0.3 * k % 1})
        trial = study.ask(space)
        if bounds is not None:
            set_constraint(trial, "c", bounds[k])
        study.tell(trial, value)
    return study


def test_the_measured_regret_is_that_of_feasible_trials():
    study = told([0.0, 3.0, 2.0, math.inf, 2.5], [1.0, -1.0, 1.0, -1.0, 0.0])
    for drawn in both("plot_regret_certificate", study, optimum=1.0):
        np.testing.assert_array_equal(drawn.line("measured")[1], [math.nan, 2, 2, 2, 1.5])
    with pytest.raises(ValueError, match="`optimum` must be a finite number, got nan"):
        plots.plot_regret_certificate(study, optimum=math.nan)


@pytest.mark.parametrize("name", ["plot_regret_certificate", "plot_regret_bound"])
def test_regret_of_equal_values_is_drawn_without_a_warning(name: str):
    for drawn in both(name, told([7.0] * 6), optimum=7.0):
        assert drawn.line("measured")[1].tolist() == [0.0] * 6


@pytest.mark.parametrize("module", [plots, mpl], ids=["plotly", "matplotlib"])
@pytest.mark.parametrize("value", [7.0, 0.0])
def test_slices_of_equal_values_have_a_range(module: ModuleType, value: float):
    for panel in panels(module, told([value] * 6)):
        low, high = panel["range"]
        assert low < value < high


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_slices_go_through_the_best_finite_trial(direction: str):
    sign = 1.0 if direction == "maximize" else -1.0
    values = [sign * v for v in (1.0, math.inf, 3.0, 2.0)]
    study = told(values, direction=direction)
    assert plots.plot_model_slices(study).layout.title.text == "Model through the best trial, 2"


# --- slices ---


def panels(module: ModuleType, study: optuna.Study, **options: object) -> list[dict]:
    """What each panel shows: label, mean, band, trials and best."""
    drawn = module.plot_model_slices(study, **options)
    if module is mpl:
        return [
            {
                "label": ax.get_xlabel(),
                "mean": np.column_stack(ax.get_lines()[0].get_data()),
                "band": ax.collections[0].get_paths()[0].vertices,
                "trials": np.asarray(ax.collections[1].get_offsets()),
                "best": np.asarray(ax.collections[2].get_offsets())[0],
                "ticks": [t.get_text() for t in ax.get_xticklabels()],
                "range": ax.get_ylim(),
            }
            for ax in drawn
        ]
    found = []
    for k in range(len(drawn.data) // 5):
        lower, upper, mean, trials, best = drawn.data[5 * k : 5 * k + 5]
        axis = drawn.layout[f"xaxis{k + 1}" if k else "xaxis"]
        assert {t.xaxis for t in drawn.data[5 * k : 5 * k + 5]} == {f"x{k + 1}" if k else "x"}
        assert upper.fill == "tonexty"
        found.append(
            {
                "label": axis.title.text,
                "mean": np.column_stack([mean.x, mean.y]),
                "band": np.vstack(
                    [np.column_stack([lower.x, lower.y]), np.column_stack([upper.x, upper.y])]
                ),
                "trials": np.column_stack([trials.x, trials.y]),
                "best": np.array([best.x[0], best.y[0]]),
                "ticks": list(axis.ticktext or ()),
                "range": drawn.layout.yaxis.range,
            }
        )
    return found


@pytest.mark.parametrize("module", [plots, mpl], ids=["plotly", "matplotlib"])
def test_slices_show_the_model_through_the_best_trial(module: ModuleType, study: optuna.Study):
    kernel = StationaryKernel("matern52", 1.0)
    given = regret_certificate(study, rkhs_norm=9.0, kernel=kernel, noise_var=1e-8, offset=0.0)
    shown = panels(module, study, certificate=given)
    assert [panel["label"] for panel in shown] == ["kind", "log10 rate", "x"]
    assert shown[0]["ticks"] == ["a", "b"]
    best, values = study.best_trial, [t.value for t in study.trials]
    for panel, name in zip(shown, ["kind", "rate", "x"], strict=True):
        assert len(panel["trials"]) == 10
        np.testing.assert_allclose(panel["trials"][:, 1], values)
        assert panel["best"][1] == best.value
        low, high = panel["range"]
        assert low < min(values)
        assert high > max(values)
        if name != "kind":
            assert len(panel["mean"]) == 101
    np.testing.assert_allclose(
        shown[1]["trials"][:, 0], [math.log10(t.params["rate"]) for t in study.trials]
    )
    assert shown[2]["mean"][[0, -1], 0].tolist() == [-1, 1]
    # Mean and band, by the formulas.
    queries = queries_of(study)
    model = Posterior.of(queries.X, queries.y, kernel, 1e-8)
    row = queries.X[queries.numbers.tolist().index(best.number)]
    Z = np.tile(row, (101, 1))
    Z[:, 3] = np.linspace(0, 1, 101)
    mean, std = model.mean_and_std(Z)
    width = math.sqrt(81 - model.data_norm**2) * std
    np.testing.assert_allclose(shown[2]["mean"][:, 1], mean)
    band = shown[2]["band"][:, 1]
    assert band.min() == pytest.approx((mean - width).min())
    assert band.max() == pytest.approx((mean + width).max())


@pytest.mark.parametrize("module", [plots, mpl], ids=["plotly", "matplotlib"])
def test_slices_have_the_direction_of_the_study_and_only_active_parameters(module: ModuleType):
    study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=5, seed=0))

    def objective(trial: optuna.Trial) -> float:
        if trial.suggest_categorical("kind", ["a", "b"]) == "a":
            return 1 + trial.suggest_float("x", 0, 1)
        return trial.suggest_int("n", 1, 4) / 4

    study.optimize(objective, n_trials=14)
    shown = panels(module, study)
    assert [panel["label"] for panel in shown] == ["kind", "n"]
    assert shown[1]["mean"][:, 0].tolist() == [1, 2, 3, 4]
    assert shown[1]["best"].tolist() == [1, 0.25]
    assert np.all(np.diff(shown[1]["mean"][:, 1]) > 0)
    assert len(panels(module, study, params=["n"])) == 1
    with pytest.raises(ValueError, match=r"must have the parameters \['x'\]"):
        module.plot_model_slices(study, ["x"])
    assert IntDistribution(1, 4) == study.best_trial.distributions["n"]


# --- files and missing packages ---


def test_pictures_can_be_written(study: optuna.Study, several: optuna.Study, tmp_path):
    for name in NAMES:
        shown = several if name in OF_SEVERAL else study
        drawn = getattr(mpl, name)(shown)
        axes = drawn[0] if isinstance(drawn, list) else drawn
        axes.figure.savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 8_000
        assert len(getattr(plots, name)(shown).to_json()) > 1_000


def test_without_a_backend_the_extra_is_named(
    study: optuna.Study, several: optuna.Study, monkeypatch
):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "optuna_dashboard", None)
    for name in NAMES:
        shown = several if name in OF_SEVERAL else study
        with pytest.raises(ImportError, match=r"matplotlib: .*optuna-bkop\[plot\]"):
            getattr(mpl, name)(shown)
        with pytest.raises(ImportError, match=r"plotly: .*optuna-bkop\[plot\]"):
            getattr(plots, name)(shown)
    with pytest.raises(ImportError, match=r"optuna-bkop\[dashboard\]"):
        plots.save_to_dashboard(study)


# --- several objectives ---


def test_the_hypervolume_grows_to_that_of_the_front(several: optuna.Study):
    for drawn in both("plot_hypervolume", several, (1.0, -2.0)):
        x, y = max(((x, y) for _, x, y in drawn.lines), key=lambda line: len(line[0]))
        np.testing.assert_array_equal(x, np.arange(1, 13))
        assert (np.diff(y) >= 0).all()
        # For these objectives the area is easily found by hand.
        corners = sorted(t.values for t in several.best_trials)
        widths = np.diff([*(a for a, _ in corners), 1.0])
        assert y[-1] == pytest.approx(sum(widths * [b + 2.0 for _, b in corners]))
        assert drawn.title == "Hypervolume of 12 trials, 2 planned batches"
        assert drawn.labels == ("trials", "hypervolume")


def test_the_front_is_drawn_with_the_batch_to_come(several: optuna.Study):
    on_front = sorted(t.values for t in several.best_trials)
    running = several.get_trials(states=(optuna.trial.TrialState.RUNNING,))
    for drawn in both("plot_front", several):
        assert drawn.labels == ("objective 0", "objective 1")
        assert drawn.title == f"{len(on_front)} of 12 trials are on the front, 3 run"
        points = dict(drawn.points)
        np.testing.assert_allclose(points["front"], on_front)
        assert len(points["trials"]) == 12 - len(on_front)
    figure = plots.plot_front(several)
    expected = next(trace for trace in figure.data if trace.name == "running, as expected")
    # Both objectives are linear, so that the model knows them.
    x = [trial.params["x"] for trial in running]
    np.testing.assert_allclose(expected.x, x, atol=0.1)
    assert (np.asarray(expected.error_x.array) > 0).all()
    (bars,) = mpl.plot_front(several).containers
    np.testing.assert_allclose(bars.lines[0].get_xdata(), expected.x)


def test_plots_of_several_objectives_refuse_what_they_cannot_draw(
    several: optuna.Study, study: optuna.Study
):
    with pytest.raises(ValueError, match=r"several objectives is needed, got one"):
        plots.plot_front(study)
    with pytest.raises(ValueError, match=r"two of 0 \.\. 1, got \(0, 2\)"):
        plots.plot_front(several, (0, 2))
    with pytest.raises(ValueError, match=r"two of 0 \.\. 1, got \(1, 1\)"):
        plots.plot_front(several, (1, 1))
    with pytest.raises(ValueError, match=r"each of the 2 objectives, got \(1\.0,\)"):
        plots.plot_hypervolume(several, (1.0,))
    empty = optuna.create_study(directions=["minimize", "minimize"])
    with pytest.raises(ValueError, match=r"at least one finished trial"):
        plots.plot_hypervolume(empty)
    # The batches of several objectives have no best trial.
    assert "best" not in [trace.name for trace in plots.plot_batches(several).data]
