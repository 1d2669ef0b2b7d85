"""BKOPSampler among the things that people use with Optuna."""

import io
import warnings
from pathlib import Path
from typing import Any

import optuna
import pytest

from optuna_bkop import BKOPSampler
from optuna_bkop._coordination.records import batch_of

#: Optuna warns that some of these are experimental or will go.
pytestmark = [
    pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -1.0, 1.0)
    c = trial.suggest_categorical("c", ["a", "b"])
    for step in range(3):
        trial.report(x**2 + 1.0 / (step + 1), step)
    return x**2 + (c == "b")


def sampler() -> BKOPSampler:
    return BKOPSampler(seed=0, n_startup_trials=5)


@pytest.fixture(scope="module")
def study() -> optuna.Study:
    study = optuna.create_study(sampler=sampler())
    study.optimize(objective, n_trials=12)
    return study


@pytest.fixture(scope="module")
def study_of_two() -> optuna.Study:
    study = optuna.create_study(directions=["minimize"] * 2, sampler=sampler())
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), -trial.params["x"]), n_trials=8)
    return study


#: Plots of studies with several objectives.
OF_SEVERAL = {"plot_hypervolume_history", "plot_pareto_front"}
PLOTS = sorted(n for n in optuna.visualization.matplotlib.__all__ if n.startswith("plot_"))


def arguments_of(plot: str) -> dict[str, Any]:
    """What some plots need beside a study."""
    if plot == "plot_hypervolume_history":
        return {"reference_point": [2.0, 2.0]}
    if plot == "plot_terminator_improvement":
        return {
            "improvement_evaluator": optuna.terminator.BestValueStagnationEvaluator(3),
            "error_evaluator": optuna.terminator.StaticErrorEvaluator(0.0),
        }
    return {}


def test_both_backends_have_the_same_plots() -> None:
    assert set(PLOTS) <= set(optuna.visualization.__all__)


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("backend", ["plotly", "matplotlib"])
def test_every_plot_of_optuna_draws_a_study(
    study: optuna.Study, study_of_two: optuna.Study, name: str, backend: str
) -> None:
    pytest.importorskip(backend)
    if name == "plot_param_importances":
        pytest.importorskip("sklearn")
    module = optuna.visualization
    if backend == "matplotlib":
        import matplotlib

        matplotlib.use("Agg")
        module = optuna.visualization.matplotlib
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = study_of_two if name in OF_SEVERAL else study
        assert getattr(module, name)(drawn, **arguments_of(name)) is not None
        if backend == "matplotlib":
            matplotlib.pyplot.close("all")


def test_importance_finds_the_parameters(study: optuna.Study) -> None:
    pytest.importorskip("sklearn")
    assert set(optuna.importance.get_param_importances(study)) == {"x", "c"}


def test_a_partially_fixed_sampler_plans_the_rest() -> None:
    fixed = optuna.samplers.PartialFixedSampler({"c": "a"}, sampler())
    study = optuna.create_study(sampler=fixed)
    study.optimize(objective, n_trials=10)
    assert {trial.params["c"] for trial in study.trials} == {"a"}
    assert batch_of(study.trials[-1]) is not None


def test_a_terminator_ends_a_study() -> None:
    evaluator = optuna.terminator.BestValueStagnationEvaluator(3)
    terminator = optuna.terminator.Terminator(
        evaluator, optuna.terminator.StaticErrorEvaluator(0.0), min_n_trials=4
    )
    study = optuna.create_study(sampler=sampler())
    study.optimize(
        lambda trial: trial.suggest_float("x", 0, 1) * 0.0,
        n_trials=30,
        callbacks=[optuna.terminator.TerminatorCallback(terminator)],
    )
    assert len(study.trials) < 15


def test_a_study_that_was_dumped_goes_on(tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    study = optuna.create_study(sampler=sampler())
    study.optimize(objective, n_trials=7)
    joblib.dump(study, tmp_path / "study.pkl")
    again = joblib.load(tmp_path / "study.pkl")
    study.optimize(objective, n_trials=3)
    again.optimize(objective, n_trials=3)
    assert [t.params for t in again.trials] == [t.params for t in study.trials]


def test_a_search_over_an_estimator_of_scikit_learn() -> None:
    pytest.importorskip("optuna_integration")
    pytest.importorskip("sklearn")
    from optuna_integration import OptunaSearchCV
    from sklearn.datasets import load_iris
    from sklearn.svm import SVC

    X, y = load_iris(return_X_y=True)
    search = OptunaSearchCV(
        SVC(),
        {"C": optuna.distributions.FloatDistribution(1e-3, 1e3, log=True)},
        study=optuna.create_study(sampler=sampler(), direction="maximize"),
        n_trials=8,
        cv=3,
    )
    search.fit(X, y)
    assert search.best_score_ > 0.9
    assert batch_of(search.study_.trials[-1]) is not None


def test_a_storage_in_the_memory_of_a_dask_cluster() -> None:
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("optuna_integration")
    from optuna_integration import DaskStorage

    with distributed.Client(processes=False, dashboard_address=None) as client:
        study = optuna.create_study(storage=DaskStorage(client=client), sampler=sampler())
        futures = [client.submit(study.optimize, objective, n_trials=5, pure=False) for _ in "ab"]
        distributed.wait(futures, timeout=120)
        trials = study.get_trials()
    assert len(trials) == 10
    assert len({trial.params["x"] for trial in trials}) == 10
    assert batch_of(trials[-1]) is not None


def test_a_copied_study_goes_on(study: optuna.Study, tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/copy.db"
    optuna.copy_study(
        from_study_name=study.study_name,
        from_storage=study._storage,
        to_storage=storage,
        to_study_name="copy",
    )
    copy = optuna.load_study(study_name="copy", storage=storage, sampler=sampler())
    copy.optimize(objective, n_trials=2)
    assert len(copy.trials) == len(study.trials) + 2
    assert len({t.params["x"] for t in copy.trials}) == len(copy.trials)


def test_the_command_line_asks_with_two_lines(tmp_path: Path) -> None:
    """`optuna ask --sampler` knows Optuna's own samplers only; these two lines do the same."""
    study = optuna.create_study(storage=f"sqlite:///{tmp_path}/study.db", sampler=sampler())
    out = io.StringIO()
    print(study.ask({"x": optuna.distributions.FloatDistribution(0, 1)}).params, file=out)
    assert out.getvalue().startswith("{'x': 0.")
