"""The acquisition against its printed formula, its gradients, and the reductions it promises."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from optuna_bkop._batch.acquisition import FORMS, BatchAcquisition, Exploration
from optuna_bkop._model.kernel_model import Hyperparameters, KernelModel
from optuna_bkop._model.kernels import KERNELS

D = 3
forms = pytest.mark.parametrize("form", FORMS)
kernels = pytest.mark.parametrize("kernel", KERNELS)


def make_model(
    kernel: str = "matern52",
    noise_var: float = 1e-3,
    factor: float = 1.0,
    seed: int = 0,
    main: float = 0.0,
) -> KernelModel:
    rng = np.random.default_rng(seed)
    F = rng.random((20, D))
    return KernelModel.condition(
        F,
        np.cos(5 * F).sum(axis=1) + rng.normal(size=20) * 0.1,
        kernel=KERNELS[kernel],
        hyperparameters=Hyperparameters(
            np.array([0.5, 1.0, 2.0]), 1.5, noise_var, main=main, main_ratio=0.6
        ),
        groups=np.arange(D),
        prior_mean=-0.3,
        factor=factor,
    )


def make_models(kernel: str = "matern52", main: float = 0.0) -> tuple[KernelModel, ...]:
    """Several models, with held points."""
    F_held = np.random.default_rng(9).random((3, D))
    return tuple(make_model(kernel, factor=f, main=main).hold(F_held) for f in (0.4, 1.0))


def make_batch(q: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).random((q, D))


def naive(models: Sequence[KernelModel], F: np.ndarray, B: float, form: str) -> float:
    """Algorithms 2 and 4 as printed, with the mean of the deviations if asked for."""
    values = []
    for model in models:
        q, C = len(F), model.cov(F)
        spread = np.sqrt(np.trace(C) / q) if form == "rms" else np.mean(np.sqrt(np.diagonal(C)))
        sum_of_all = np.ones(q) @ C @ np.ones(q)
        values.append(model.mean(F).mean() + B * (2 * spread - np.sqrt(sum_of_all / q**2)))
    return float(np.mean(values))


def naive_log_feasible(model: KernelModel, F: np.ndarray) -> float:
    mean, std = model.mean_and_std(F)
    return float(np.mean(norm.logcdf(mean / np.sqrt(std**2 + model.noise_var))))


def finite_differences(
    function: Callable[[np.ndarray], float], F: np.ndarray, h: float = 1e-6
) -> np.ndarray:
    gradient = np.zeros_like(F)
    for index in np.ndindex(*F.shape):
        step = np.zeros_like(F)
        step[index] = h
        gradient[index] = (function(F + step) - function(F - step)) / (2 * h)
    return gradient


@forms
@pytest.mark.parametrize("q", [1, 2, 5])
@pytest.mark.parametrize("B", [0.0, 1.0, 2.5, -1.0])
@pytest.mark.parametrize("main", [0.0, 0.7])
def test_value_equals_the_printed_formula(form: str, q: int, B: float, main: float) -> None:
    models, F = make_models(main=main), make_batch(q)
    expected = naive(models, F, B, form)
    assert BatchAcquisition(models, B, form).value(F) == pytest.approx(expected, rel=1e-9)


@forms
@pytest.mark.parametrize("q", [1, 4])
@pytest.mark.parametrize("constrained", [False, True])
def test_values_of_many_batches_are_those_of_each(form: str, q: int, constrained: bool) -> None:
    feasibility = (make_model(seed=3),) if constrained else ()
    acquisition = BatchAcquisition(make_models(), 1.3, form, feasibility)
    F = make_batch(7 * q).reshape(7, q, -1)
    each = [acquisition.values_and_gradients(batch[None]) for batch in F]
    expected, gradients = (np.concatenate(parts) for parts in zip(*each, strict=True))
    np.testing.assert_allclose(acquisition.values(F), expected, rtol=1e-10)
    together = acquisition.values_and_gradients(F)
    np.testing.assert_allclose(together[0], expected, rtol=1e-10)
    np.testing.assert_allclose(together[1], gradients, rtol=1e-9, atol=1e-12)


@forms
@kernels
@pytest.mark.parametrize("q", [1, 4])
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("main", [0.0, 0.7])
def test_gradient_equals_finite_differences(
    form: str, kernel: str, q: int, constrained: bool, main: float
) -> None:
    feasibility = (make_model(kernel, 0.1, seed=3), make_model(kernel, seed=4))
    acquisition = BatchAcquisition(
        make_models(kernel, main), 1.3, form, feasibility if constrained else ()
    )
    F = make_batch(q)
    gradient = acquisition.values_and_gradients(F[None])[1][0]
    np.testing.assert_allclose(
        gradient, finite_differences(acquisition.value, F), rtol=1e-4, atol=1e-6
    )


@forms
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), q=st.integers(1, 6))
def test_gradient_equals_finite_differences_anywhere(form: str, seed: int, q: int) -> None:
    acquisition = BatchAcquisition(make_models(), 1.0, form)
    F = make_batch(q, seed)
    np.testing.assert_allclose(
        acquisition.values_and_gradients(F[None])[1][0],
        finite_differences(acquisition.value, F),
        rtol=1e-3,
        atol=1e-5,
    )


@forms
def test_gradient_is_finite_where_points_coincide(form: str) -> None:
    models = (make_model(noise_var=0.0),)
    F = np.vstack([make_batch(1), make_batch(1), models[0].Z[:2] / models[0].inverse_scales])
    value, gradient = BatchAcquisition(models, 1.0, form).values_and_gradients(F[None])
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@forms
@pytest.mark.parametrize("constrained", [False, True])
def test_candidate_scores_equal_the_value_of_the_batch(form: str, constrained: bool) -> None:
    feasibility = (make_model(seed=3),) if constrained else ()
    acquisition = BatchAcquisition(make_models(), 1.2, form, feasibility)
    C = make_batch(12, seed=5)
    candidates = acquisition.candidates(C)
    chosen: list[int] = []
    for taken in (4, 0, 11, 7):
        expected = [acquisition.value(C[[*chosen, i]]) for i in range(len(C))]
        np.testing.assert_allclose(candidates.scores(), expected, rtol=1e-8, atol=1e-8)
        # What grows from a copy is apart.
        candidates.copy().take(2)
        candidates.take(taken)
        chosen.append(taken)


@pytest.mark.parametrize("noise_var", [1e-3, 0.2])
def test_successors_are_scored_given_all_points_before(noise_var: float) -> None:
    models = [make_model(noise_var=noise_var, factor=factor) for factor in (0.4, 1.0)]
    constraint = make_model(seed=3)
    C = make_batch(12, seed=5)
    successors = BatchAcquisition(models, 1.3, feasibility=(constraint,)).successors(C)
    chosen: list[int] = []
    for taken in (4, 0, 11, 7):
        held = BatchAcquisition(
            [model.hold(C[chosen]) for model in models], 1.3, feasibility=(constraint,)
        )
        expected = np.array([held.value(c[None]) for c in C])
        expected[chosen] = -np.inf
        np.testing.assert_allclose(successors.scores(), expected, rtol=1e-6)
        successors.take(taken)
        chosen.append(taken)


def test_copies_of_taken_and_of_given_points_are_closed() -> None:
    models = [make_model(factor=factor) for factor in (0.4, 1.0)]
    C = make_batch(6, seed=5)
    # In the rougher model the length scales are 0.2, 0.4 and 0.8.
    near, apart = C[1] + [0.01, 0.0, 0.0], C[1] + [0.05, 0.0, 0.0]
    successors = BatchAcquisition(models, 1.0).successors(np.vstack([C, near, apart]))
    successors.take(1)
    assert np.flatnonzero(np.isinf(successors.scores())).tolist() == [1, 6]
    successors.close(C[[4]] + 0.005)
    assert np.flatnonzero(np.isinf(successors.scores())).tolist() == [1, 4, 6]


@forms
@pytest.mark.parametrize("noise_var", [0.0, 0.05])
def test_a_batch_of_one_is_algorithm_1_or_3(form: str, noise_var: float) -> None:
    model = make_model(noise_var=noise_var)
    F = make_batch(1)
    mean, std = model.mean_and_std(F)
    value = BatchAcquisition((model,), 0.7, form).value(F)
    assert value == pytest.approx(mean[0] + 0.7 * std[0], rel=1e-9)


@forms
@pytest.mark.parametrize("q", [2, 5, 20])
def test_copies_of_one_point_are_worth_what_it_is(form: str, q: int) -> None:
    models, F = make_models(), make_batch(1)
    one = BatchAcquisition(models, 1.0, form).value(F)
    many = BatchAcquisition(models, 1.0, form).value(np.repeat(F, q, axis=0))
    assert many == pytest.approx(one, rel=1e-7)


@given(seed=st.integers(0, 10**6), q=st.integers(1, 8))
@settings(max_examples=30, deadline=None)
def test_mean_form_never_exceeds_the_paper_s(seed: int, q: int) -> None:
    models, F = make_models(), make_batch(q, seed)
    values = {form: BatchAcquisition(models, 1.0, form).value(F) for form in FORMS}
    assert values["mean"] <= values["rms"] + 1e-9


@forms
def test_little_noise_tends_to_the_noise_free_acquisition(form: str) -> None:
    F = make_batch(4)
    limit = BatchAcquisition((make_model(noise_var=0.0),), 1.0, form).value(F)
    gaps = [
        abs(BatchAcquisition((make_model(noise_var=noise),), 1.0, form).value(F) - limit)
        for noise in (1e-2, 1e-4, 1e-6, 1e-8)
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-5


@forms
def test_a_feasible_point_is_worth_more_than_an_infeasible_one(form: str) -> None:
    models = (make_model(seed=0),)
    constraint = make_model(seed=3)
    F = make_batch(40, seed=8)
    order = np.argsort(constraint.mean(F))
    without = BatchAcquisition(models, 1.0, form)
    with_constraint = BatchAcquisition(models, 1.0, form, (constraint,))
    loss = [without.value(F[[i]]) - with_constraint.value(F[[i]]) for i in order[[0, -1]]]
    assert loss[0] > loss[1] >= 0.0


def test_constraints_add_the_mean_log_probability() -> None:
    models, constraint, F = make_models(), make_model(noise_var=0.1, seed=3), make_batch(4)
    gain = BatchAcquisition(models, 1.0, "mean", (constraint,)).value(F) - BatchAcquisition(
        models, 1.0, "mean"
    ).value(F)
    assert gain == pytest.approx(naive_log_feasible(constraint, F), rel=1e-6)


def test_constraints_with_other_points_and_scales_add_up() -> None:
    models = make_models()
    constraints = (
        make_model(noise_var=0.1, seed=3),
        make_model(factor=0.5, seed=4).hold(make_batch(2, seed=11)),
        replace(make_model(seed=5), prior_mean=0.4),
    )
    without = BatchAcquisition(models, 1.0, "mean")
    acquisition = BatchAcquisition(models, 1.0, "mean", constraints)
    # More points than are evaluated at a time.
    C = make_batch(230, seed=6)
    expected = [sum(naive_log_feasible(model, c[None]) for model in constraints) for c in C]
    gains = acquisition.candidates(C).scores() - without.candidates(C).scores()
    np.testing.assert_allclose(gains, expected, rtol=1e-6, atol=1e-9)
    F = make_batch(4)
    np.testing.assert_allclose(
        acquisition.values_and_gradients(F[None])[1][0],
        finite_differences(acquisition.value, F),
        rtol=1e-3,
        atol=1e-5,
    )


def test_hopeless_constraints_have_a_finite_gradient() -> None:
    constraint = replace(make_model(seed=3), prior_mean=-1e4)
    acquisition = BatchAcquisition(make_models(), 1.0, "mean", (constraint,))
    value, gradient = acquisition.values_and_gradients(make_batch(3)[None])
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def make_exploration(quantile: float) -> Exploration:
    models = make_models()
    region = BatchAcquisition(models, 2.0)
    scores = region.candidates(make_batch(200, seed=6)).scores()
    return Exploration(models, region, float(np.quantile(scores, quantile)))


@pytest.mark.parametrize("quantile", [0.0, 0.5, 1.0])
def test_exploration_gradient_equals_finite_differences(quantile: float) -> None:
    exploration = make_exploration(quantile)
    for seed in range(5):
        F = make_batch(1, seed)
        np.testing.assert_allclose(
            exploration.values_and_gradients(F[None])[1][0],
            finite_differences(lambda F: float(exploration.values(F[None])[0]), F),
            rtol=1e-4,
            atol=1e-5,
        )


def test_exploration_is_the_deviation_inside_the_region_and_poor_outside() -> None:
    exploration = make_exploration(0.5)
    C = make_batch(100, seed=7)
    scores = exploration.candidates(C).scores()
    std = np.mean([model.mean_and_std(C)[1] for model in exploration.models], axis=0)
    inside = exploration.region.candidates(C).scores() >= exploration.threshold
    assert 0 < inside.sum() < len(C)
    np.testing.assert_allclose(scores[inside], std[inside], atol=1e-9)
    assert (scores[~inside] < std[~inside]).all()
    expected = exploration.values_and_gradients(C[:, None, :])[0]
    np.testing.assert_allclose(scores, expected, atol=1e-6)
