"""What a study with BKOPSampler does, seen from outside."""

import logging
import math
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import create_autospec

import numpy as np
import optuna
import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState, create_trial

from optuna_bkop import PAPER_SETTINGS, BKOPSampler, _suggest
from optuna_bkop._batch.startup import StartupLattice
from optuna_bkop._batch.strategies import choose_batch
from optuna_bkop._coordination.records import batch_of
from optuna_bkop._domain import Domain
from optuna_bkop._study.unit_cube import UnitCube
from tests.support.plans import unpacked

MIXED: dict[str, BaseDistribution] = {
    "lr": FloatDistribution(1e-4, 1e-1, log=True),
    "x": FloatDistribution(-1.0, 2.0),
    "n": IntDistribution(2, 20, step=2),
    "c": CategoricalDistribution(["a", "b", "d"]),
}
XY: dict[str, BaseDistribution] = {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)}


def mixed(trial: optuna.Trial) -> float:
    lr = trial.suggest_float("lr", 1e-4, 1e-1, log=True)
    x = trial.suggest_float("x", -1.0, 2.0)
    n = trial.suggest_int("n", 2, 20, step=2)
    c = trial.suggest_categorical("c", ["a", "b", "d"])
    return (math.log10(lr) + 2) ** 2 + x**2 + (n - 6) ** 2 / 50 + {"a": 0, "b": 1, "d": 2}[c]


def bowl(trial: optuna.Trial) -> float:
    return (trial.suggest_float("x", 0, 1) - 0.3) ** 2 + (
        trial.suggest_float("y", 0, 1) - 0.8
    ) ** 2


def make_study(direction: str = "minimize", **arguments: Any) -> optuna.Study:
    arguments = {"seed": 0, "n_startup_trials": 6, **arguments}
    return optuna.create_study(sampler=BKOPSampler(**arguments), direction=direction)


def run(
    objective: Callable[[optuna.Trial], float], n_trials: int, **arguments: Any
) -> optuna.Study:
    study = make_study(**arguments)
    study.optimize(objective, n_trials=n_trials)
    return study


def points(study: optuna.Study) -> list[dict[str, Any]]:
    return [trial.params for trial in study.trials]


def distinct(study: optuna.Study) -> int:
    return len({tuple(sorted(params.items())) for params in points(study)})


@pytest.fixture
def messages() -> Iterator[list[str]]:
    """Warnings of the package's loggers."""
    found: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "bkop" in record.name:
                found.append(record.getMessage())

    handler = Handler(logging.WARNING)
    logging.getLogger("optuna").addHandler(handler)
    yield found
    logging.getLogger("optuna").removeHandler(handler)


def on_lattice(params: dict[str, Any], index: int, space: dict[str, BaseDistribution]) -> bool:
    cube = UnitCube(space)
    u = StartupLattice.build(6, cube.dim).point("seed 0", cube.names, index)
    expected = cube.decode(Domain(cube.parameters).snap(u[None])[0])
    return all(
        params[name] == pytest.approx(value, abs=1e-7)
        if type(value) is float
        else params[name] == value
        for name, value in expected.items()
    )


def test_a_sequential_study_is_on_the_lattice_from_trial_0() -> None:
    study = run(mixed, 6)
    assert all(on_lattice(params, i, MIXED) for i, params in enumerate(points(study)))


def test_with_a_search_space_parallel_trials_are_all_on_the_lattice() -> None:
    study = make_study(search_space=MIXED)
    for trial in [study.ask() for _ in range(9)]:
        mixed(trial)
    assert all(on_lattice(params, i, MIXED) for i, params in enumerate(points(study)))
    assert distinct(study) == 9


def test_a_search_space_asked_for_in_reverse_order_is_on_the_lattice_too() -> None:
    study = make_study(search_space=MIXED)
    for trial in reversed([study.ask() for _ in range(5)]):
        mixed(trial)
    assert all(on_lattice(params, i, MIXED) for i, params in enumerate(points(study)))


def test_parallel_trials_before_the_space_is_known_are_spread_and_distinct() -> None:
    study = make_study()
    for trial in [study.ask() for _ in range(12)]:
        bowl(trial)
    for name in XY:
        values = [params[name] for params in points(study)]
        assert len(set(values)) == 12
        assert {int(4 * value) for value in values} == {0, 1, 2, 3}


def test_more_startup_trials_than_lattice_points_are_distinct() -> None:
    study = make_study(n_startup_trials=4, search_space=XY)
    for trial in [study.ask() for _ in range(40)]:
        bowl(trial)
    assert distinct(study) == 40


@pytest.mark.parametrize("n_startup_trials", [0, 1, 3])
def test_any_length_of_startup_works(n_startup_trials: int) -> None:
    assert distinct(run(bowl, 8, n_startup_trials=n_startup_trials)) == 8


def test_the_model_finds_the_optimum() -> None:
    assert run(bowl, 20).best_value < 1e-2


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    """Replace a function of an ask by one that does the same and remembers its calls."""
    function = getattr(_suggest, name)
    spy = create_autospec(function, side_effect=function)
    monkeypatch.setattr(_suggest, name, spy)
    return spy


@pytest.mark.parametrize("batch_size", [5, None])
def test_a_round_of_asks_is_one_fit_and_one_joint_maximisation(
    batch_size: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits, choices = counted(monkeypatch, "fit_models"), counted(monkeypatch, "choose_batch")
    study = make_study(batch_size=batch_size, n_startup_trials=10)
    for i in range(5):
        before = fits.call_count, choices.call_count
        trials = [study.ask(XY) for _ in range(5)]
        if i >= 2:
            assert (fits.call_count, choices.call_count) == (before[0] + 1, before[1] + 1)
        for trial in trials:
            study.tell(trial, trial.params["x"] + trial.params["y"])
    assert distinct(study) == 25


def test_the_points_of_a_round_are_those_of_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[np.ndarray] = []

    def remember(*args: Any, **kwargs: Any) -> np.ndarray:
        batches.append(choose_batch(*args, **kwargs))
        return batches[-1]

    spy = create_autospec(choose_batch, side_effect=remember)
    monkeypatch.setattr(_suggest, "choose_batch", spy)
    study = run(bowl, 6, batch_size=4)
    trials = [study.ask(XY) for _ in range(4)]
    assert len(batches) == 1
    found = np.array([[trial.params["x"], trial.params["y"]] for trial in trials])
    np.testing.assert_allclose(found, batches[0], atol=1e-8)


def test_the_startup_lasts_until_half_of_its_trials_have_values() -> None:
    study = make_study(n_startup_trials=8)
    running = [study.ask(XY) for _ in range(8)]
    for n_known, trial in enumerate(running[:5]):
        later = study.ask(XY)
        is_planned = batch_of(study.trials[later.number]) is not None
        assert is_planned is (n_known >= 4)
        study.tell(trial, trial.params["x"])


def test_turns_of_branches_follow_the_count_of_all_trials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choices = counted(monkeypatch, "choose_batch")
    study = make_study(batch_size=1)
    for number in range(6):
        study.tell(study.ask(XY), float(number))
    study.tell(study.ask(XY), state=TrialState.FAIL)
    study.ask(XY)  # runs on
    study.tell(study.ask(XY), 1.0)
    study.ask(XY)
    # Six with a value, a failed one, a running one, and those of the calls before.
    assert [call.kwargs["n_before"] for call in choices.call_args_list] == [6, 7, 8, 9]


@pytest.mark.parametrize("n_jobs", [4, -1])
def test_threads_get_distinct_points(n_jobs: int) -> None:
    study = make_study()

    def slow(trial: optuna.Trial) -> float:
        value = bowl(trial)
        time.sleep(0.005)
        return value

    study.optimize(slow, n_trials=24, n_jobs=n_jobs)
    assert distinct(study) == 24
    assert len(study.get_trials(states=[TrialState.COMPLETE])) == 24


def test_enqueued_trials_are_run_as_they_are_and_become_data() -> None:
    study = run(bowl, 7)
    study.enqueue_trial({"x": 0.123, "y": 0.456})
    study.enqueue_trial({"x": 0.5})
    study.optimize(bowl, n_trials=4)
    assert study.trials[7].params == {"x": 0.123, "y": 0.456}
    assert study.trials[8].params["x"] == 0.5
    assert distinct(study) == 11


def test_added_trials_are_data_and_count_for_the_startup(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = counted(monkeypatch, "fit_models")
    study = make_study()
    rng = np.random.default_rng(0)
    for x, y in rng.random((30, 2)).tolist():
        study.add_trial(
            create_trial(params={"x": x, "y": y}, distributions=XY, value=abs(x - 0.7) + y)
        )
    trial = study.ask(XY)
    assert fits.call_count == 1
    assert trial.params["y"] < 0.3


def test_trials_of_other_samplers_are_data() -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(bowl, n_trials=20)
    study.sampler = BKOPSampler(seed=0)
    study.optimize(bowl, n_trials=6)
    assert min(t.value for t in study.trials[20:]) < min(t.value for t in study.trials[:20])


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_partially_fixed_parameters_stay() -> None:
    study = run(bowl, 8)
    study.sampler = optuna.samplers.PartialFixedSampler({"y": 0.25}, study.sampler)
    study.optimize(bowl, n_trials=5)
    assert {params["y"] for params in points(study)[8:]} == {0.25}
    assert len({params["x"] for params in points(study)[8:]}) == 5


def test_minimising_is_maximising_the_opposite() -> None:
    down = run(bowl, 10)
    up = run(lambda trial: -bowl(trial), 10, direction="maximize")
    assert points(down) == points(up)


@pytest.mark.parametrize(
    "change", [lambda v: v + 1000, lambda v: v - 3.7, lambda v: 100 * v, lambda v: v / 7 + 2]
)
def test_shifted_or_scaled_values_do_not_change_suggestions(
    change: Callable[[float], float],
) -> None:
    plain, changed = run(bowl, 10), run(lambda trial: change(bowl(trial)), 10)
    assert points(plain) == points(changed)


def test_a_finite_space_is_not_repeated_until_exhausted(messages: list[str]) -> None:
    def objective(trial: optuna.Trial) -> float:
        c = trial.suggest_categorical("c", ["a", "b", "d"])
        return trial.suggest_int("n", 0, 3) + len(c)

    study = run(objective, 12, n_startup_trials=5)
    assert distinct(study) == 12
    assert messages == []
    study.optimize(objective, n_trials=3)
    assert len(messages) == 1
    assert "All 12 points" in messages[0]


def test_each_exhausted_study_of_a_sampler_is_named_once(messages: list[str]) -> None:
    sampler = BKOPSampler(seed=0, n_startup_trials=2)
    for _ in range(2):
        study = optuna.create_study(sampler=sampler)
        study.optimize(lambda trial: trial.suggest_int("n", 0, 2), n_trials=6)
    assert [message.split(" of ")[0] for message in messages] == ["All 3 points"] * 2


@pytest.mark.parametrize(
    "suggest",
    [
        lambda trial: trial.suggest_int("n", 0, 30),
        lambda trial: trial.suggest_int("n", 0, 5000),
        lambda trial: trial.suggest_int("n", 1, 10_000, log=True),
        lambda trial: trial.suggest_float("n", 0.0, 3.0, step=0.1),
    ],
)
def test_an_evaluated_discrete_value_is_not_suggested_again(
    suggest: Callable[[optuna.Trial], float],
) -> None:
    study = run(lambda trial: (math.log1p(suggest(trial)) - 1) ** 2, 18)
    values = [round(params["n"], 6) for params in points(study)]
    assert len(set(values)) == 18


def test_choices_alone_are_enough() -> None:
    def objective(trial: optuna.Trial) -> float:
        return sum(trial.suggest_categorical(name, [3, 1, 2]) for name in "abc")

    study = run(objective, 18)
    assert distinct(study) == 18
    assert study.best_value == 3


@pytest.mark.filterwarnings("ignore:Choices for a categorical distribution")
def test_choices_may_be_anything() -> None:
    def objective(trial: optuna.Trial) -> float:
        trial.suggest_categorical("odd", [None, True, 2.5, "x", math.nan, [1, 2], (3,)])
        return trial.suggest_float("x", 0, 1)

    assert len(run(objective, 9, n_startup_trials=4).trials) == 9


def test_single_values_are_no_problem() -> None:
    def objective(trial: optuna.Trial) -> float:
        trial.suggest_int("one", 4, 4)
        trial.suggest_categorical("only", ["a"])
        trial.suggest_float("same", 2.0, 2.0)
        return trial.suggest_float("x", 0, 1)

    study = run(objective, 8)
    assert distinct(study) == 8
    nothing_else = run(lambda trial: trial.suggest_int("one", 4, 4), 8)
    assert {params["one"] for params in points(nothing_else)} == {4}


def test_an_objective_without_parameters_is_no_problem() -> None:
    assert len(run(lambda trial: 1.0, 8).trials) == 8


def dynamic(trial: optuna.Trial) -> float:
    return trial.suggest_float("x", 0, 1 + trial.number) + trial.suggest_float("y", 0, 1)


class Recorder(optuna.samplers.RandomSampler):
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__(seed=0)
        self.asked: list[str] = []

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, name: str, distribution: BaseDistribution
    ) -> Any:
        self.asked.append(name)
        return super().sample_independent(study, trial, name, distribution)


def test_a_changing_range_goes_to_the_independent_sampler_with_a_warning(
    messages: list[str],
) -> None:
    recorder = Recorder()
    study = run(dynamic, 9, independent_sampler=recorder)
    assert recorder.asked[-3:] == ["x"] * 3
    assert len(messages) == 3
    assert "`x`" in messages[0]
    assert "Recorder" in messages[0]
    assert "warn_independent_sampling=False" in messages[0]
    assert len(study.trials) == 9


def test_the_warning_can_be_switched_off(messages: list[str]) -> None:
    run(dynamic, 9, warn_independent_sampling=False)
    assert messages == []


def conditional(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("kind", ["line", "bowl"]) == "line":
        return 0.5 + trial.suggest_float("slope", 0, 1)
    return trial.suggest_float("x", 0, 1) ** 2 + trial.suggest_int("n", 0, 9) / 9


def test_both_branches_of_a_conditional_space_are_served_by_the_model(
    messages: list[str],
) -> None:
    recorder = Recorder()
    study = make_study(n_startup_trials=10, independent_sampler=recorder)
    study.optimize(conditional, n_trials=10)
    assert set(recorder.asked) == {"kind", "slope", "x", "n"}
    recorder.asked.clear()
    study.optimize(conditional, n_trials=14)
    assert recorder.asked == []
    assert messages == []
    assert study.best_params["kind"] == "bowl"
    assert study.best_value < 0.2


def test_a_branch_that_comes_late_is_survived() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        return x + (trial.suggest_float("late", 0, 1) if trial.number > 7 else 0.5)

    assert distinct(run(objective, 13)) == 13


@pytest.mark.parametrize(
    "value",
    [
        lambda x: math.inf if x > 0.5 else x,
        lambda x: -math.inf if x > 0.5 else x,
        lambda x: math.inf,
        lambda x: 1e300 * (x - 0.5),
        lambda x: 1e-300 * x,
        lambda x: 3.0,
        lambda x: 1e300 if x > 0.9 else x,
    ],
)
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_strange_objectives_are_survived(
    value: Callable[[float], float], direction: str, messages: list[str]
) -> None:
    def objective(trial: optuna.Trial) -> float:
        return value(trial.suggest_float("x", 0, 1))

    assert distinct(run(objective, 9, n_startup_trials=4, direction=direction)) == 9
    assert messages == []


def test_failing_trials_do_not_make_the_model_choose_the_same_again(messages: list[str]) -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        return math.nan if x < 0.4 else x

    study = run(objective, 16)
    failed = study.get_trials(states=[TrialState.FAIL])
    assert len(failed) > 3
    assert len({round(t.params["x"], 6) for t in study.trials}) == 16
    assert messages == []


def test_points_of_running_trials_are_on_the_grid_as_those_of_finished_ones_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choices = counted(monkeypatch, "choose_batch")
    # Sixths have no exact decimals, in which points are published.
    space = {"k": CategoricalDistribution(["a", "b", "c"]), "x": FloatDistribution(0, 1)}
    study = make_study(batch_size=2)
    for trial in [study.ask(space) for _ in range(6)]:
        study.tell(trial, trial.params["x"] + (trial.params["k"] == "a"))
    for _ in range(5):
        study.ask().suggest_float("x", 0, 1)
    held = np.vstack([call.args[1] for call in choices.call_args_list])
    assert len(held) > 2
    assert {u[0] for u in held} <= {1 / 6, 3 / 6, 5 / 6}


def test_a_grid_point_that_failed_is_not_suggested_again_while_others_remain() -> None:
    def objective(trial: optuna.Trial) -> float:
        n = trial.suggest_int("n", 0, 14)
        return math.nan if n < 5 else n

    assert distinct(run(objective, 15)) == 15


def test_startup_trials_do_not_repeat_points_of_a_small_grid() -> None:
    """Twelve lattice points fall on six values, two on each."""
    study = make_study(n_startup_trials=12)
    grid = {"n": IntDistribution(0, 5)}
    for _ in range(6):
        trial = study.ask(grid)
        study.tell(trial, float(trial.params["n"]))
    assert distinct(study) == 6


def test_two_values_at_one_point_are_survived(messages: list[str]) -> None:
    for noise_var in (None, 0.0):
        study = make_study(noise_var=noise_var)
        for value in (1.0, 2.0, 5.0):
            for x in (0.2, 0.2, 0.6, 0.9):
                study.add_trial(
                    create_trial(params={"x": x}, distributions={"x": XY["x"]}, value=value)
                )
        trial = study.ask({"x": XY["x"]})
        assert 0 <= trial.params["x"] <= 1
    assert messages == []


failing = create_autospec(_suggest.fit_models, side_effect=np.linalg.LinAlgError("no factor"))


@pytest.mark.fallback
def test_a_failing_model_falls_back_to_the_lattice_with_one_line(
    monkeypatch: pytest.MonkeyPatch, messages: list[str]
) -> None:
    study = run(bowl, 6)
    monkeypatch.setattr(_suggest, "fit_models", failing)
    study.optimize(bowl, n_trials=1)
    assert messages == [
        "Trial#6 is sampled from the lattice, because the model failed: LinAlgError: no factor"
    ]
    assert on_lattice(study.trials[6].params, 6, XY)
    study.optimize(bowl, n_trials=3)
    assert distinct(study) == 10


@pytest.mark.fallback
def test_after_three_failures_in_a_row_it_is_said_once_that_the_model_is_not_in_use(
    monkeypatch: pytest.MonkeyPatch, messages: list[str]
) -> None:
    study = run(bowl, 6)
    with monkeypatch.context() as patch:
        patch.setattr(_suggest, "fit_models", failing)
        study.optimize(bowl, n_trials=6)
    assert len(messages) == 3
    assert "failed 3 times in a row and is not in use" in messages[2]
    assert "LinAlgError: no factor" in messages[2]
    # When it works again the count begins anew.
    study.optimize(bowl, n_trials=1)
    assert len(messages) == 3
    monkeypatch.setattr(_suggest, "fit_models", failing)
    study.optimize(bowl, n_trials=1)
    assert "Trial#13 is sampled from the lattice" in messages[3]


@pytest.mark.fallback
def test_the_traceback_of_a_failure_is_logged_at_debug_level(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_suggest, "fit_models", failing)
    monkeypatch.setattr(logging.getLogger("optuna"), "propagate", True)
    optuna.logging.set_verbosity(optuna.logging.DEBUG)
    with caplog.at_level(logging.DEBUG):
        run(bowl, 7)
    debug = [record for record in caplog.records if record.exc_info and "bkop" in record.name]
    assert {record.levelno for record in debug} == {logging.DEBUG}
    assert "Traceback" in caplog.text
    assert "LinAlgError: no factor" in caplog.text


@pytest.mark.fallback
def test_a_batch_of_nan_does_not_break_the_study(
    monkeypatch: pytest.MonkeyPatch, messages: list[str]
) -> None:
    nan = create_autospec(_suggest.choose_batch, return_value=np.full((1, 2), np.nan))
    monkeypatch.setattr(_suggest, "choose_batch", nan)
    assert distinct(run(bowl, 8)) == 8
    assert len(messages) == 2
    assert "not finite" in messages[0]


@pytest.mark.fallback
def test_messages_obey_the_verbosity_of_optuna(
    monkeypatch: pytest.MonkeyPatch, messages: list[str]
) -> None:
    monkeypatch.setattr(_suggest, "fit_models", failing)
    verbosity = optuna.logging.get_verbosity()
    try:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        run(bowl, 8)
        assert messages == []
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        run(bowl, 8)
        assert len(messages) == 2
    finally:
        optuna.logging.set_verbosity(verbosity)


@pytest.mark.parametrize(
    "pruner", [optuna.pruners.HyperbandPruner(1, 9), optuna.pruners.MedianPruner(2)]
)
def test_pruned_studies_run(pruner: optuna.pruners.BasePruner, messages: list[str]) -> None:
    def objective(trial: optuna.Trial) -> float:
        value = bowl(trial)
        for step in range(1, 10):
            trial.report(value + 1 / step, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value + 1 / 9

    sampler = BKOPSampler(seed=0, n_startup_trials=6)
    study = optuna.create_study(sampler=sampler, pruner=pruner)
    study.optimize(objective, n_trials=24)
    assert len(study.get_trials(states=[TrialState.PRUNED])) > 0
    assert distinct(study) == 24
    assert messages == []


def test_pruned_trials_whose_reports_are_no_values_do_not_stop_the_search() -> None:
    def objective(trial: optuna.Trial) -> float:
        value = bowl(trial)
        trial.report(1000 + value, 0)
        if trial.number % 2:
            raise optuna.TrialPruned
        return value

    assert distinct(run(objective, 16)) == 16


def test_one_sampler_may_serve_several_studies_at_once() -> None:
    sampler = BKOPSampler(seed=0, n_startup_trials=6)
    together = [optuna.create_study(sampler=sampler) for _ in range(2)]
    objectives = (bowl, lambda trial: -bowl(trial))
    for _ in range(10):
        for study, objective in zip(together, objectives, strict=True):
            study.optimize(objective, n_trials=1)
    for study, objective in zip(together, objectives, strict=True):
        assert points(study) == points(run(objective, 10))


@pytest.mark.parametrize("strategy", ["gp_bucb", "gp_ucb_pe", "bull"])
def test_every_strategy_runs_a_study(strategy: str, messages: list[str]) -> None:
    study = make_study(strategy=strategy, batch_size=3, search_space=MIXED)
    for _ in range(4):
        for trial in [study.ask() for _ in range(3)]:
            study.tell(trial, mixed(trial))
    assert distinct(study) == 12
    assert messages == []


def test_the_paper_s_settings_run_a_study(messages: list[str]) -> None:
    paper = {**PAPER_SETTINGS, "cma_evaluations": 100}
    assert distinct(run(mixed, 9, **paper)) == 9
    noisy = {**paper, "noise_var": 0.1}
    assert distinct(run(lambda t: t.suggest_float("x", 0, 1), 9, **noisy)) == 9
    assert messages == []


def test_the_independent_sampler_is_told_of_every_trial() -> None:
    class Told(Recorder):
        def __init__(self) -> None:
            super().__init__()
            self.begun, self.ended = 0, 0

        def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
            self.begun += 1

        def after_trial(self, *args: Any) -> None:
            self.ended += 1

    told = Told()
    run(bowl, 3, independent_sampler=told)
    assert (told.begun, told.ended) == (3, 3)


def test_a_high_dimension_works() -> None:
    def objective(trial: optuna.Trial) -> float:
        return sum(trial.suggest_float(f"x{i}", 0, 1) ** 2 for i in range(40))

    assert distinct(run(objective, 9)) == 9


def test_the_model_starts_though_most_trials_fail() -> None:
    study = make_study(n_startup_trials=8)

    def mostly_failing(trial: optuna.Trial) -> float:
        value = bowl(trial)
        if trial.number != 2:
            raise RuntimeError
        return value

    study.optimize(mostly_failing, n_trials=12, catch=RuntimeError)
    planned = [batch_of(trial) is not None for trial in study.trials]
    assert planned == [False] * 8 + [True] * 4


def test_the_model_does_not_start_without_any_value() -> None:
    study = make_study(n_startup_trials=4)
    for _ in range(8):
        study.tell(study.ask(XY), state=TrialState.FAIL)
    assert all(batch_of(trial) is None for trial in study.trials)


def test_with_hyperband_the_startup_is_counted_once() -> None:
    pruner = optuna.pruners.HyperbandPruner(1, 27)
    study = optuna.create_study(
        sampler=BKOPSampler(seed=0, n_startup_trials=6), pruner=pruner, study_name="brackets"
    )

    def objective(trial: optuna.Trial) -> float:
        value = bowl(trial)
        for step in range(1, 28):
            trial.report(value + 1.0 / step, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study.optimize(objective, n_trials=14)
    planned = [trial.number for trial in study.trials if batch_of(trial) is not None]
    assert planned[0] <= 8


@pytest.mark.parametrize("returned", ["the last report", "another metric"])
def test_the_model_starts_with_a_pruner_whatever_metric_is_returned(returned: str) -> None:
    pruner = optuna.pruners.SuccessiveHalvingPruner()
    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=8), pruner=pruner)

    def objective(trial: optuna.Trial) -> float:
        value = bowl(trial)
        for step in range(8):
            trial.report(value + 1.0 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value + 1.0 / 8 if returned == "the last report" else value - 100.0

    study.optimize(objective, n_trials=12)
    assert [batch_of(trial) is not None for trial in study.trials] == [False] * 8 + [True] * 4


def test_an_enqueued_trial_takes_no_point_of_the_plan() -> None:
    study = run(bowl, 6, batch_size=3)
    first = study.ask(XY)
    study.enqueue_trial({"x": 0.9, "y": 0.1})
    enqueued = study.ask(XY)
    others = [study.ask(XY) for _ in range(2)]
    assert enqueued.params == {"x": 0.9, "y": 0.1}
    # All three points of the plan are used, and none was planned beside it.
    assert len({batch_of(study.trials[t.number]) for t in (first, *others)}) == 1
    plan = unpacked(study.trials[first.number])["numbers"][2:]
    points = {(t.params["x"], t.params["y"]) for t in (first, *others)}
    assert points == {(x / 1e9, y / 1e9) for x, y in zip(plan[::2], plan[1::2], strict=True)}
    assert len(plan) == 6
    assert batch_of(study.trials[enqueued.number]) is None


def test_an_enqueued_trial_that_asks_gets_what_the_user_has_chosen() -> None:
    """Optuna 4 asks the sampler for enqueued trials, too; Optuna 5 does not."""
    study = run(bowl, 6, batch_size=3)
    study.enqueue_trial({"x": 0.9, "y": 0.1})
    trial = study.ask()
    asking = study.get_trials()[trial.number]
    assert study.sampler.sample_relative(study, asking, XY) == {"x": 0.9, "y": 0.1}
    assert batch_of(study.get_trials()[trial.number]) is None


def test_no_place_is_kept_for_an_enqueued_trial() -> None:
    study = run(bowl, 6, batch_size=2)
    study.enqueue_trial({"x": 0.9, "y": 0.1})
    study.ask()  # it is running, and nothing has been suggested yet
    trial = study.ask(XY)
    plan = unpacked(study.trials[trial.number])["numbers"][2:]
    assert (trial.params["x"], trial.params["y"]) == (plan[0] / 1e9, plan[1] / 1e9)


def test_the_point_of_an_enqueued_trial_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    study = run(bowl, 6)
    study.enqueue_trial({"x": 0.9, "y": 0.1})
    study.ask().suggest_float("x", 0, 1)  # and y later
    held: list[np.ndarray] = []

    def spy(fitted: Any, U_held: np.ndarray, q: int, **kwargs: Any) -> np.ndarray:
        held.append(U_held)
        return choose_batch(fitted, U_held, q, **kwargs)

    monkeypatch.setattr(_suggest, "choose_batch", create_autospec(choose_batch, side_effect=spy))
    study.ask(XY)
    np.testing.assert_allclose(held[0], [[0.9, 0.1]])


def test_the_widest_ranges_do_not_overflow() -> None:
    study = make_study(n_startup_trials=4)
    wide = {"x": FloatDistribution(-1e308, 1.7e308)}
    for _ in range(7):
        trial = study.ask(wide)
        study.tell(trial, abs(trial.params["x"] / 1e308 - 0.5))
    values = [trial.params["x"] for trial in study.trials]
    assert all(math.isfinite(value) for value in values)
    assert len(set(values)) == 7
    assert max(values) - 1e308 > min(values)


def test_trials_can_be_compared_in_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = run(bowl, 8).trials_dataframe(attrs=("params", "system_attrs"))
    assert len(frame.drop_duplicates()) == 8
    assert isinstance(frame, pandas.DataFrame)
