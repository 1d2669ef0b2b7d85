"""Every argument of the sampler changes what is suggested, in the direction that it promises."""

import inspect
import logging
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import create_autospec

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.trial import FrozenTrial, create_trial

from optuna_bkop import BKOPSampler
from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch import search
from optuna_bkop._batch.acquisition import BatchAcquisition
from optuna_bkop._coordination.records import batch_of
from optuna_bkop._domain import Domain, Parameter
from optuna_bkop._model.fitted import fit_models
from optuna_bkop._settings import Settings
from tests.support.plans import unpacked

SPACE: dict[str, BaseDistribution] = {
    "x": FloatDistribution(0.0, 1.0),
    "y": FloatDistribution(0.0, 1.0),
}
#: The points that every study of this file knows, unless it says otherwise.
POINTS: FloatArray = np.random.default_rng(3).random((16, 2))
#: Without a box and with one reading of the data, a batch is the maximum of its acquisition.
NO_BOX: dict[str, Any] = {"trust_margin": None, "detail": False}


def waves(U: FloatArray) -> FloatArray:
    """Values (n,) of points U (n, 2), to be minimised."""
    values: FloatArray = -np.sin(5 * U[:, 0]) - np.cos(4 * U[:, 1]) + U[:, 0] * U[:, 1]
    return values


def space_of(dim: int) -> dict[str, BaseDistribution]:
    return dict(list(SPACE.items())[:dim])


def study_of(
    U: FloatArray = POINTS, values: FloatArray | None = None, **arguments: Any
) -> optuna.Study:
    """A study that knows the values at U (n, d), with four startup trials and seed 0."""
    sampler = BKOPSampler(**{"n_startup_trials": 4, "seed": 0, **arguments})
    study = optuna.create_study(sampler=sampler)
    space = space_of(U.shape[1])
    for u, value in zip(U.tolist(), waves(U) if values is None else values, strict=True):
        params = dict(zip(space, u, strict=True))
        study.add_trial(create_trial(params=params, distributions=space, value=float(value)))
    return study


def batch_from(study: optuna.Study, q: int, dim: int = 2) -> FloatArray:
    """The points (q, d) of a round of q trials."""
    trials = [study.ask(space_of(dim)) for _ in range(q)]
    return np.array([list(trial.params.values()) for trial in trials])


def batch_of_4(**arguments: Any) -> FloatArray:
    return batch_from(study_of(**{"batch_size": 4, **arguments}), 4)


def next_point(U: FloatArray, values: FloatArray, **arguments: Any) -> FloatArray:
    """The next point (d,) after values at U (n, d)."""
    point: FloatArray = batch_from(study_of(U, values, **arguments), 1, U.shape[1])[0]
    return point


def worth(batch: FloatArray, **arguments: Any) -> float:
    """The acquisition of a batch, by the models that these arguments ask for."""
    settings = Settings(**arguments)
    fitted = fit_models(
        POINTS,
        -waves(POINTS),
        np.empty((len(POINTS), 0)),
        domain=Domain((Parameter(), Parameter())),
        settings=settings,
    )
    acquisition = BatchAcquisition(fitted.models, settings.rkhs_norm, settings.acquisition_form)
    return acquisition.value(batch)


def spread(batch: FloatArray) -> float:
    """The mean distance between the points of a batch."""
    return float(np.linalg.norm(batch[:, None] - batch, axis=2).mean())


def distance_to_known(batch: FloatArray) -> float:
    """The mean distance of the points of a batch to the nearest known one."""
    return float(np.linalg.norm(batch[:, None] - POINTS, axis=2).min(axis=1).mean())


# What each argument promises


@pytest.mark.parametrize("batch_size", [1, 3, 5])
def test_as_many_points_are_planned_together_as_the_batch_size_says(batch_size: int) -> None:
    study = study_of(batch_size=batch_size)
    batch_from(study, 6)
    plans = [batch_of(trial) for trial in study.trials[len(POINTS) :]]
    # One joint plan serves a batch. A running trial is not planned for again, so that the plan is
    # continued point by point when it is used up, under the same name.
    heads = [unpacked(trial) for trial in study.trials[len(POINTS) :]]
    sizes = [len(head["numbers"]) // 2 - head["taken"] for head in heads]
    assert sizes[0] == batch_size
    assert sizes[1:batch_size] == [0] * (batch_size - 1)
    assert len(set(plans)) == 1


@pytest.mark.parametrize("n_startup_trials", [2, 5])
def test_the_model_takes_over_after_the_startup_trials(n_startup_trials: int) -> None:
    sampler = BKOPSampler(n_startup_trials=n_startup_trials, seed=0)
    study = optuna.create_study(sampler=sampler)
    for _ in range(7):
        trial = study.ask(SPACE)
        study.tell(trial, trial.params["x"])
    is_planned = [batch_of(trial) is not None for trial in study.trials]
    assert is_planned == [number >= n_startup_trials for number in range(7)]


def test_a_declared_search_space_is_on_the_lattice_before_any_trial_has_finished() -> None:
    declared, undeclared = (
        optuna.create_study(sampler=BKOPSampler(seed=0, search_space=space))
        for space in (SPACE, None)
    )
    for _ in range(3):
        assert set(declared.ask().relative_params) == {"x", "y"}
        assert undeclared.ask().relative_params == {}


def test_bull_fixes_all_points_but_one_in_advance() -> None:
    one, other = (
        batch_from(study_of(values=values, strategy="bull", batch_size=4), 4)
        for values in (waves(POINTS), -waves(POINTS))
    )
    np.testing.assert_array_equal(one[:3], other[:3])
    assert not np.array_equal(one[3], other[3])


def test_only_bkop_chooses_the_first_point_with_the_others_in_view() -> None:
    for strategy, is_joint in (("bkop", True), ("gp_bucb", False), ("gp_ucb_pe", False)):
        alone = batch_of_4(strategy=strategy, batch_size=1)[0]
        together = batch_of_4(strategy=strategy)[0]
        assert np.array_equal(alone, together) is not is_joint


def test_pure_exploration_spreads_a_batch_more_than_confidence_bounds() -> None:
    explored, greedy = (batch_of_4(strategy=name) for name in ("gp_ucb_pe", "gp_bucb"))
    assert spread(explored) > 1.5 * spread(greedy)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("acquisition_form", "rms"),
        ("kernel", "se"),
        ("rkhs_norm", 3.0),
        ("noise_var", 0.3),
        ("length_scale_factors", (1.0,)),
        ("prior_mean", 1.0),
    ],
)
def test_each_batch_is_the_better_one_by_its_own_acquisition(name: str, value: Any) -> None:
    changed = {name: value}
    default, other = batch_of_4(**NO_BOX), batch_of_4(**NO_BOX, **changed)
    assert worth(default) > worth(other)
    assert worth(other, **changed) > worth(default, **changed)


def test_cma_is_used_if_it_is_asked_for_and_keeps_to_its_evaluations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_cma = create_autospec(search.by_cma, side_effect=search.by_cma)
    monkeypatch.setattr(search, "by_cma", by_cma)
    batch_of_4(maximizer="gradient")
    by_cma.assert_not_called()
    batch_of_4(maximizer="cma", cma_evaluations=123)
    assert {call.kwargs["max_evaluations"] for call in by_cma.call_args_list} == {123}


def test_more_evaluations_of_cma_find_better_batches() -> None:
    few, many = (
        worth(batch_of_4(**NO_BOX, maximizer="cma", cma_evaluations=n)) for n in (10, 2000)
    )
    assert many > few


def test_a_larger_norm_spreads_the_batch_and_a_small_one_gathers_it() -> None:
    spreads = [spread(batch_of_4(**NO_BOX, rkhs_norm=norm)) for norm in (0.1, 1.0, 5.0)]
    assert spreads[1] > 2 * spreads[0]
    assert spreads[2] > 2 * spreads[1]


def test_noise_smooths_an_outlier_away_and_without_noise_it_is_believed() -> None:
    U = np.linspace(0.0, 1.0, 21)[:, None]
    values = (U[:, 0] - 0.3) ** 2
    values[16] = -0.1
    plain = {**NO_BOX, "rkhs_norm": 0.01, "warping": "none"}
    assert abs(next_point(U, values, noise_var=0.0, **plain)[0] - 0.8) < 0.05
    assert abs(next_point(U, values, noise_var=1.0, **plain)[0] - 0.3) < 0.15


def test_a_terrible_value_matters_only_without_warping() -> None:
    values = waves(POINTS)
    terrible = np.where(values == values.max(), 1e6, values)
    for warping, matters in (("none", True), ("half-rank", False), ("log", False)):
        usual, outlying = (
            batch_from(study_of(values=v, batch_size=4, warping=warping), 4)
            for v in (values, terrible)
        )
        assert bool(np.abs(usual - outlying).max() > 1e-3) is matters


def test_a_logarithm_finds_the_floor_of_a_steep_valley() -> None:
    U, floor = np.random.default_rng(2).random((40, 2)), np.array([0.37, 0.62])
    values = np.exp(24.0 * ((U - floor) ** 2).sum(axis=1))
    plain = {**NO_BOX, "rkhs_norm": 0.01, "length_scale_factors": (1.0,)}
    log, ranks, none = (
        np.linalg.norm(next_point(U, values, warping=warping, **plain) - floor)
        for warping in ("log", "half-rank", "none")
    )
    assert 5 * log < ranks < none


def test_shorter_length_scales_keep_points_closer_to_what_is_known() -> None:
    distances = [
        distance_to_known(batch_of_4(**NO_BOX, length_scale_factors=factors))
        for factors in ((0.1,), (1.0,))
    ]
    assert distances[0] < 0.7 * distances[1]


def test_a_higher_prior_mean_leads_away_from_what_is_known() -> None:
    plain = {**NO_BOX, "length_scale_factors": (0.3,)}
    low, high = (distance_to_known(batch_of_4(**plain, prior_mean=mean)) for mean in (-1.5, 2.0))
    assert high > 1.3 * low


def test_a_margin_of_zero_keeps_points_in_the_box_of_the_best_and_none_does_not() -> None:
    # The best point is the last, so that the box does not widen.
    order = np.argsort(-waves(POINTS))
    U = POINTS[order]
    best = U[-3:]
    explore = {"batch_size": 3, "rkhs_norm": 5.0}

    def is_within(margin: float, batch: FloatArray) -> bool:
        low, high = best.min(axis=0) - margin - 1e-8, best.max(axis=0) + margin + 1e-8
        return bool(((batch >= low) & (batch <= high)).all())

    for margin in (0.0, 0.05):
        batch = batch_from(study_of(U, trust_margin=margin, **explore), 3)
        assert is_within(margin, batch)
        assert is_within(0.0, batch) is (margin == 0.0)
    assert not is_within(0.3, batch_from(study_of(U, **NO_BOX, **explore), 3))


def test_with_detail_every_second_point_is_chosen_by_the_detailed_reading() -> None:
    ripples = -waves(POINTS) + 0.5 * np.random.default_rng(0).normal(size=len(POINTS))
    study = {
        detail: study_of(values=-ripples, batch_size=4, detail=detail, trust_margin=None)
        for detail in (True, False)
    }
    batches = {detail: batch_from(study[detail], 4) for detail in study}

    def worth_in_detail(batch: FloatArray) -> float:
        fitted = fit_models(
            POINTS,
            ripples,
            np.empty((len(POINTS), 0)),
            domain=Domain((Parameter(), Parameter())),
            settings=Settings(),
            detailed=True,
        )
        return BatchAcquisition(fitted.models, 1.0).value(batch)

    # There are 16 points, so that the first and the third of the batch have even numbers.
    chosen = worth_in_detail(batches[True][::2])
    for i in range(4):
        for j in range(i):
            assert chosen > worth_in_detail(batches[False][[i, j]])
    assert chosen > worth_in_detail(batches[True][1::2])


def test_a_trial_is_dead_and_its_point_free_when_it_is_stale(clock: Any) -> None:
    study = study_of(batch_size=2)
    held = batch_from(study, 1)
    clock.forward(100.0)
    for stale_after, is_free in ((200.0, False), (90.0, True)):
        study.sampler = BKOPSampler(
            n_startup_trials=4, seed=0, batch_size=2, stale_after=stale_after
        )
        assert np.array_equal(batch_from(study, 1), held) is is_free


class Constant(optuna.samplers.RandomSampler):
    """Samples one value only."""

    def sample_independent(self, *args: Any, **kwargs: Any) -> float:
        return 0.125


def widening(trial: optuna.Trial) -> float:
    """A parameter whose range changes is not covered by the model."""
    return trial.suggest_float("x", 0.0, 1.0 + trial.number)


def test_the_independent_sampler_samples_what_the_model_does_not_cover() -> None:
    for sampler, is_constant in ((Constant(), True), (None, False)):
        study = optuna.create_study(
            sampler=BKOPSampler(
                n_startup_trials=2,
                seed=0,
                independent_sampler=sampler,
                warn_independent_sampling=False,
            )
        )
        study.optimize(widening, n_trials=4)
        assert (study.trials[-1].params["x"] == 0.125) is is_constant


@pytest.fixture
def warned() -> Iterator[list[str]]:
    """Warnings of the sampler."""
    found: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record.getMessage())

    handler = Handler(logging.WARNING)
    logger = logging.getLogger("optuna.optuna_bkop.sampler")
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)


@pytest.mark.parametrize("is_wanted", [True, False])
def test_independent_sampling_is_warned_of_if_wanted(is_wanted: bool, warned: list[str]) -> None:
    sampler = BKOPSampler(n_startup_trials=2, seed=0, warn_independent_sampling=is_wanted)
    optuna.create_study(sampler=sampler).optimize(widening, n_trials=4)
    assert bool(warned) is is_wanted


def test_the_seed_decides_on_lattice_and_batches() -> None:
    def points(seed: int | None, name: str) -> Sequence[FrozenTrial]:
        sampler = BKOPSampler(n_startup_trials=3, seed=seed)
        study = optuna.create_study(study_name=name, sampler=sampler)
        for _ in range(5):
            trial = study.ask(SPACE)
            study.tell(trial, trial.params["x"])
        return [trial.params for trial in study.trials]

    assert points(7, "one") == points(7, "other")
    # Without a seed studies differ, even those of the same name.
    assert all(a != b for a, b in zip(points(None, "one"), points(None, "one"), strict=True))
    assert all(a != b for a, b in zip(points(7, "one"), points(8, "one"), strict=True))


# A net below these: whatever an argument promises, it must not be ignored

#: For each argument that decides which points are suggested: other values than the default, and
#: further arguments with which they have an effect.
CHANGES: list[tuple[str, Any, dict[str, Any]]] = [
    ("batch_size", 8, {}),
    ("n_startup_trials", 40, {}),
    ("strategy", "gp_bucb", {}),
    ("strategy", "gp_ucb_pe", {}),
    ("strategy", "bull", {}),
    ("acquisition_form", "rms", {}),
    ("maximizer", "cma", {"cma_evaluations": 200}),
    ("cma_evaluations", 60, {"maximizer": "cma"}),
    ("kernel", "se", {}),
    ("rkhs_norm", 3.0, {}),
    ("noise_var", 0.0, {}),
    ("noise_var", 0.3, {}),
    ("warping", "half-rank", {}),
    ("warping", "none", {}),
    ("length_scale_factors", (1.0,), {}),
    ("prior_mean", 0.0, {}),
    ("trust_margin", 0.0, {}),
    ("trust_margin", None, {}),
    ("detail", False, {}),
    ("seed", 1, {}),
]
#: What is tested above only.
OTHERS = {
    "constraints_func",  # test_constraints.py
    "independent_sampler",
    "reference_point",  # test_objectives.py
    "search_space",
    "stale_after",
    "warn_independent_sampling",
}


def test_no_argument_is_left_out() -> None:
    arguments = set(inspect.signature(BKOPSampler).parameters)
    assert {name for name, _, _ in CHANGES} | OTHERS == arguments


@pytest.mark.parametrize(("name", "value", "beside"), CHANGES)
def test_another_value_gives_other_points(name: str, value: Any, beside: dict[str, Any]) -> None:
    default, other = batch_of_4(**beside), batch_of_4(**beside, **{name: value})
    np.testing.assert_array_equal(batch_of_4(**beside), default)
    assert np.abs(other - default).max() > 1e-6
