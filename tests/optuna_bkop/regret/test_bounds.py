"""The bounds: against naive formulas and against each other."""

import math

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution

from lattice_tools import covering_radius
from optuna_bkop import BKOPSampler
from optuna_bkop._coordination.records import KEY
from optuna_bkop._model.kernel_model import Hyperparameters, KernelModel
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop.regret import (
    Queries,
    StationaryKernel,
    adversarial_bound,
    batch_covariances,
    information_gain,
    queries_of,
    regret_bound,
    theorem_constant,
)

KERNEL = StationaryKernel("matern52", (0.3, 0.5))
SIZES = [4, 3, 1, 5]


def points(n: int = sum(SIZES)) -> np.ndarray:
    return np.random.default_rng(3).random((n, 2))


def queries(sizes: list[int] = SIZES) -> Queries:
    X = points(sum(sizes))
    return Queries(X, np.sin(5 * X).sum(axis=1), np.repeat(np.arange(len(sizes)), sizes))


def bounds(sizes: list[int] = SIZES, **changes: object):
    given = {"rkhs_norm": 2.0, "noise_var": 0.01, "kernel": KERNEL} | changes
    return regret_bound(queries(sizes), **given)


def study_of(n_rounds: int, q: int, direction: str = "minimize") -> optuna.Study:
    sampler = BKOPSampler(batch_size=q, n_startup_trials=6, seed=0)
    study = optuna.create_study(direction=direction, sampler=sampler)
    space = {
        "x": FloatDistribution(0, 1),
        "y": FloatDistribution(0, 1),
        "c": CategoricalDistribution(["a", "b"]),
    }
    sign = 1.0 if direction == "minimize" else -1.0
    for n_asked in [6] + [q] * n_rounds:
        for trial in [study.ask(space) for _ in range(n_asked)]:
            p = trial.params
            value = (p["x"] - 0.3) ** 2 + (p["y"] - 0.6) ** 2 + (p["c"] == "b")
            study.tell(trial, sign * value)
    return study


# --- the parts, by naive formulas ---


def test_information_gain_is_half_the_log_determinant():
    X = points()
    naive = 0.5 * np.linalg.slogdet(np.eye(len(X)) + KERNEL(X, X) / 0.2)[1]
    assert information_gain(X, KERNEL, 0.2) == pytest.approx(naive)


def test_batch_covariances_are_those_given_all_earlier_batches():
    X, start = points(), 0
    for q, A in zip(SIZES, batch_covariances(X, SIZES, KERNEL, 0.05), strict=True):
        old, new = X[:start], X[start : start + q]
        inverse = np.linalg.inv(KERNEL(old, old) + 0.05 * np.eye(start))
        naive = KERNEL(new, new) - KERNEL(new, old) @ inverse @ KERNEL(old, new)
        np.testing.assert_allclose(A, naive, atol=1e-12)
        start += q


def test_information_gain_is_the_sum_over_batches():
    A = batch_covariances(points(), SIZES, KERNEL, 0.05)
    total = sum(0.5 * np.linalg.slogdet(np.eye(len(a)) + a / 0.05)[1] for a in A)
    assert total == pytest.approx(information_gain(points(), KERNEL, 0.05))


def test_the_kernel_model_has_the_same_covariances():
    X = points()
    model = KernelModel.condition(
        X[:4],
        np.zeros(4),
        kernel=KERNELS["matern52"],
        hyperparameters=Hyperparameters(np.array([0.3, 0.5]), 1.0, 0.05),
        groups=np.arange(2),
        prior_mean=0.0,
    )
    A = batch_covariances(X, SIZES, KERNEL, 0.05)[1]
    np.testing.assert_allclose(model.cov(X[4:7]), A, atol=1e-12)


def test_constants_are_the_papers_for_a_kernel_of_variance_one():
    assert theorem_constant(1.0, 0.1) == pytest.approx(8 / math.log(1 + 10))
    assert theorem_constant(3.0, 0.1) == pytest.approx(24 / math.log(1 + 30))


def test_the_bounds_are_the_theorems_formulas():
    T, sigma = sum(SIZES), 0.1
    result = bounds(rkhs_norm=2.0, perturbation_norm=0.5)
    beta = max(np.linalg.norm(A, 2) for A in batch_covariances(points(), SIZES, KERNEL, sigma**2))
    C4 = 8 * beta / math.log(1 + beta / sigma**2)
    norm_h = math.hypot(2.0, 0.5)
    gain = information_gain(points(), KERNEL, sigma**2)
    bias = 2 * (norm_h + 0.5) * sigma
    assert result.theorem4.constant == pytest.approx(C4)
    assert result.theorem4.cumulative[-1] == pytest.approx(
        norm_h * math.sqrt(T * C4 * gain) + T * bias
    )
    # The factor T of the printed proof's last line is gone.
    assert result.theorem4.simple[-1] == pytest.approx(norm_h * math.sqrt(C4 * gain / T) + bias)


# --- the bounds among each other ---


def test_each_line_of_a_proof_is_at_most_the_next():
    for sizes in (SIZES, [1] * 12):
        for bound in bounds(sizes).bounds:
            assert (bound.by_mean_deviations <= bound.by_deviations * (1 + 1e-12)).all()
            assert (bound.by_deviations <= bound.cumulative * (1 + 1e-12)).all()


def test_batches_of_one_are_sequential():
    result = bounds([1] * 12)
    np.testing.assert_allclose(result.theorem1.by_deviations, result.theorem2.by_deviations)
    # The first deviation is that of the prior, so that the constants agree, too.
    np.testing.assert_allclose(result.theorem1.cumulative, result.theorem2.cumulative)
    np.testing.assert_allclose(result.theorem3.cumulative, result.theorem4.cumulative)


def test_without_perturbation_the_perturbed_bound_is_the_corollary():
    result = bounds()
    np.testing.assert_allclose(result.theorem4.cumulative, result.corollary.cumulative)
    extra = 2 * 2.0 * 0.1 * result.n_queries
    np.testing.assert_allclose(result.corollary.cumulative, result.theorem2.cumulative + extra)


def test_only_theorems_that_apply_are_given():
    assert bounds(SIZES).theorem1 is None
    assert bounds(SIZES).theorem3 is None
    perturbed = bounds([1] * 5, perturbation_norm=1.0)
    assert [bound.theorem for bound in perturbed.bounds] == ["theorem 3", "theorem 4"]


def test_a_scaled_kernel_with_a_scaled_norm_gives_the_same_bounds():
    scaled = StationaryKernel("matern52", (0.3, 0.5), signal_var=9.0)
    plain, other = bounds(), bounds(kernel=scaled, rkhs_norm=2.0 / 3.0, noise_var=0.09)
    for a, b in zip(plain.bounds, other.bounds, strict=True):
        np.testing.assert_allclose(a.cumulative, b.cumulative)
        np.testing.assert_allclose(a.by_deviations, b.by_deviations)


def test_repeated_points_are_allowed():
    X = np.repeat(points(2), 3, axis=0)
    run = Queries(X, np.zeros(6), np.arange(6))
    result = regret_bound(run, rkhs_norm=1.0, noise_var=0.1, kernel=KERNEL)
    assert np.isfinite(result.theorem1.cumulative).all()
    # A point that is known has no deviation: it adds no regret to the noise-free sum.
    assert result.theorem1.by_deviations[2] == pytest.approx(2.0, abs=1e-3)


# --- the norm ---


def test_without_a_norm_the_interpolants_is_used_and_called_no_certificate():
    X = points(8)
    a = np.random.default_rng(0).standard_normal(3)
    f = KERNEL(X, X[:3]) @ a
    norm = math.sqrt(a @ KERNEL(X[:3], X[:3]) @ a)
    run = Queries(X, f, np.arange(8))
    result = regret_bound(run, noise_var=0.01, kernel=KERNEL)
    assert result.norm_is_lower_bound
    assert "no certificate" in str(result)
    # This f is its own interpolant at its centres.
    assert result.rkhs_norm == pytest.approx(norm, rel=1e-3)
    few = regret_bound(Queries(X[3:], f[3:], np.arange(5)), noise_var=0.01, kernel=KERNEL)
    assert few.rkhs_norm < norm


def test_a_norm_that_the_values_contradict_is_called_refuted():
    assert "REFUTED" in str(bounds(rkhs_norm=1e-3))
    assert "REFUTED" not in str(bounds(rkhs_norm=1e3))
    assert not bounds().norm_is_lower_bound


# --- studies ---


def test_a_study_has_its_startup_and_its_plans_as_batches():
    study = study_of(n_rounds=3, q=4)
    found = queries_of(study)
    assert found.sizes == [6, 4, 4, 4]
    assert found.numbers.tolist() == list(range(18))
    assert found.X.shape == (18, 4)  # two indicators


def test_a_trial_without_a_plan_is_a_batch_of_one():
    study = study_of(n_rounds=1, q=4)
    study.add_trial(
        optuna.trial.create_trial(
            params={"x": 0.1, "y": 0.2, "c": "a"},
            distributions=study.trials[0].distributions,
            value=0.3,
        )
    )
    assert queries_of(study).sizes == [6, 4, 1]


def test_trials_that_did_not_finish_are_left_out():
    study = study_of(n_rounds=1, q=4)
    study.tell(study.ask(), state=optuna.trial.TrialState.FAIL)
    study.ask()
    assert len(queries_of(study).y) == 10


def test_damaged_plans_do_no_harm():
    study = study_of(n_rounds=1, q=4)
    storage = study._storage
    assert queries_of(study).sizes == [6, 4]
    space = study.trials[0].distributions
    for value in (
        [1, "x"],
        '{"number": "7", "of": 3}\n',
        '{"version": 3, "number": 12, "of": [3]}',
    ):
        running = study.ask(space)
        storage.set_trial_system_attr(running._trial_id, KEY, value)
        study.tell(running, 1.0)
    # A trial whose record is damaged is a batch of its own.
    assert queries_of(study).sizes == [6, 4, 1, 1, 1]


def test_maximising_the_negative_gives_the_same_bounds():
    low = regret_bound(study_of(2, 3))
    high = regret_bound(study_of(2, 3, "maximize"))
    np.testing.assert_allclose(low.theorem2.cumulative, high.theorem2.cumulative)


def test_bounds_of_a_study_scale_with_its_values_and_ignore_an_offset():
    run = queries_of(study_of(2, 3))
    moved = Queries(run.X, 10 * run.y + 7, run.batch, run.numbers, run.groups)
    a, b = regret_bound(run), regret_bound(moved)
    np.testing.assert_allclose(10 * a.theorem2.cumulative, b.theorem2.cumulative, rtol=1e-4)


def test_studies_without_what_is_needed_are_refused():
    with pytest.raises(ValueError, match="at least one finished trial"):
        regret_bound(optuna.create_study())
    with pytest.raises(ValueError, match="one objective"):
        regret_bound(optuna.create_study(directions=["minimize", "minimize"]))


# --- arguments ---


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"noise_var": 0.0}, "`noise_var` must be a positive"),
        ({"noise_var": None}, "`noise_var` must be given"),
        ({"rkhs_norm": -1.0}, "`rkhs_norm` must be a non-negative"),
        ({"perturbation_norm": math.nan}, "`perturbation_norm` must be"),
    ],
)
def test_bad_arguments_are_named(changes: dict[str, float], message: str):
    with pytest.raises(ValueError, match=message):
        bounds(**changes)


def test_queries_must_fit_together():
    with pytest.raises(ValueError, match=r"got \(3, 2\), \(2,\)"):
        Queries(points(3), np.zeros(2), np.arange(3))
    with pytest.raises(ValueError, match="ascending"):
        Queries(points(2), np.zeros(2), np.array([1, 0]))
    with pytest.raises(ValueError, match="matern52, se"):
        StationaryKernel("rbf")


# --- the adversarial bound ---


@pytest.mark.parametrize("name", KERNELS)
def test_adversarial_bound_is_reached_by_the_worst_function(name: str):
    kernel = StationaryKernel(name, 0.7)
    best, known = np.array([[0.4]]), np.array([[0.1]])
    # f = B (k(x*, .) - k(x, .)) / |...| has the largest f(x*) - f(x).
    both = np.vstack([best, known])
    a = np.array([1.0, -1.0])
    norm = math.sqrt(a @ kernel(both, both) @ a)
    f = kernel(both, both) @ a * 3.0 / norm
    bound = adversarial_bound(0.3, kernel, 3.0)
    assert f[0] - f[1] == pytest.approx(bound.value)
    assert bound.value <= bound.linear
    assert adversarial_bound(1e-4, kernel, 3.0).value == pytest.approx(bound.linear * 1e-4 / 0.3)


def test_adversarial_bound_takes_the_shortest_length_scale():
    ard = StationaryKernel("se", (0.2, 5.0))
    assert adversarial_bound(0.1, ard, 1.0) == adversarial_bound(
        0.1, StationaryKernel("se", 0.2), 1.0
    )


def test_adversarial_bound_tells_when_the_radius_is_not_exact():
    kernel = StationaryKernel("se", 0.5)
    plane, space = np.random.default_rng(0).random((9, 2)), np.random.default_rng(0).random((9, 4))
    exact = covering_radius(plane, periodic=False)
    assert adversarial_bound(exact, kernel, 1.0).is_certificate
    assert not adversarial_bound(
        covering_radius(space, periodic=False, n_starts=2), kernel, 1.0
    ).is_certificate
