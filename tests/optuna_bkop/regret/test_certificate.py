"""The certificate: against naive formulas, measured regret, and what a study may hold."""

import math

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution

from optuna_bkop.regret import (
    Queries,
    Region,
    StationaryKernel,
    queries_of,
    regret_bound,
    regret_certificate,
)
from tests.support.constraints import set_constraint

KERNEL = StationaryKernel("matern52", (0.3, 0.5))


class KnownFunction:
    """f = Σ a_i k(z_i, .) on the unit square, of known norm."""

    def __init__(self, seed: int, norm: float = 2.0, kernel: StationaryKernel = KERNEL) -> None:
        rng = np.random.default_rng(seed)
        self.norm, self.kernel, self._Z = norm, kernel, rng.random((6, 2))
        a = rng.standard_normal(6)
        self._a = a * norm / math.sqrt(a @ kernel(self._Z, self._Z) @ a)
        axis = np.linspace(0, 1, 81)
        grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        self.maximum = float(self(np.vstack([grid, self._Z])).max())

    def __call__(self, X: np.ndarray) -> np.ndarray:
        return self.kernel(X, self._Z) @ self._a


def run(f: KnownFunction, seed: int, sizes=(4, 3, 5), g: np.ndarray | None = None) -> Queries:
    X = np.random.default_rng([seed, 1]).random((sum(sizes), 2))
    y = f(X) if g is None else f(X) + g
    return Queries(X, y, np.repeat(np.arange(len(sizes)), sizes))


# --- the formulas ---


@pytest.mark.parametrize("form", ["sharp", "paper"])
def test_the_certificate_is_the_maximum_of_the_optimistic_function_minus_the_best(form: str):
    Z = np.random.default_rng(7).random((200, 2))
    f, lam = KnownFunction(0), 1e-6
    q = run(f, 0)
    q = Queries(q.X, q.y, q.batch, region=Region.points(np.vstack([Z, q.X])))
    found = regret_certificate(q, rkhs_norm=2.0, kernel=KERNEL, noise_var=lam, form=form)
    for end, gap in zip((4, 7, 12), found.gap, strict=True):
        X, y = q.X[:end], q.y[:end]
        inverse = np.linalg.inv(KERNEL(X, X) + lam * np.eye(end))
        K_x = KERNEL(q.region.lower, X)
        std = np.sqrt(1 - np.einsum("ij,jk,ik->i", K_x, inverse, K_x))
        weight = math.sqrt(4 - y @ inverse @ y) if form == "sharp" else 2.0
        assert gap == pytest.approx((K_x @ inverse @ y + weight * std).max() - y.max(), abs=1e-6)
    assert found.n_queries.tolist() == [4, 7, 12]
    assert found.best_query == int(np.argmax(q.y))
    assert found.optimum[-1] - found.best[-1] == pytest.approx(found.gap[-1])


@pytest.mark.parametrize("form", ["sharp", "paper"])
def test_the_perturbed_form_has_the_norm_of_h_and_the_bias(form: str):
    f, lam, G = KnownFunction(1), 0.01, 0.8
    g = np.random.default_rng(3).standard_normal(12)
    g *= G * math.sqrt(lam) / np.linalg.norm(g)
    q = run(f, 1, sizes=(12,), g=g)
    q = Queries(q.X, q.y, q.batch, region=Region.points(q.X))
    found = regret_certificate(
        q, rkhs_norm=2.0, kernel=KERNEL, noise_var=lam, perturbation_norm=G, form=form
    )
    K, H = KERNEL(q.X, q.X), math.hypot(2.0, G)
    inverse = np.linalg.inv(K + lam * np.eye(12))
    mean, std = K @ inverse @ q.y, np.sqrt(np.diagonal(K - K @ inverse @ K))
    if form == "paper":
        upper = (mean + H * std).max() + (H + G) * math.sqrt(lam)
        best = q.y.max() - G * math.sqrt(lam)
    else:
        weight = math.sqrt(H**2 - q.y @ inverse @ q.y)
        upper = (mean + weight * std).max()
        best = max((mean - weight * std).max(), q.y.max() - G * math.sqrt(lam))
    assert found.gap[-1] == pytest.approx(upper - best)
    assert found.best[-1] <= f(q.X).max()


def test_the_sharp_form_is_the_tightest_and_all_shrink():
    q = run(KnownFunction(2), 2)
    given = {"rkhs_norm": 2.0, "kernel": KERNEL}
    sharp, paper = (regret_certificate(q, form=form, **given) for form in ("sharp", "paper"))
    assert (sharp.gap <= paper.gap + 1e-3).all()
    assert (np.diff(paper.optimum) <= 0).all()
    last = regret_certificate(q, each_batch=False, **given)
    assert last.gap.shape == (1,)
    assert last.gap[0] == pytest.approx(sharp.gap[-1], rel=0.05)


def test_the_worst_function_reaches_the_sharp_certificate():
    # m + R u, where u is the unit-norm function along the unseen part of k_x, attains the bound.
    q = run(KnownFunction(3), 3, sizes=(6,))
    found = regret_certificate(q, rkhs_norm=2.5, kernel=KERNEL, noise_var=1e-10)
    X, x = q.X, found.maximum.at[None]
    centres = np.vstack([X, x])
    inverse = np.linalg.inv(KERNEL(X, X))
    unseen = np.append(-inverse @ KERNEL(X, x)[:, 0], 1.0)
    unseen /= math.sqrt(unseen @ KERNEL(centres, centres) @ unseen)
    rest = math.sqrt(2.5**2 - q.y @ inverse @ q.y)
    a = np.append(inverse @ q.y, 0.0) + rest * unseen
    assert math.sqrt(a @ KERNEL(centres, centres) @ a) == pytest.approx(2.5, rel=1e-6)
    np.testing.assert_allclose(KERNEL(X, centres) @ a, q.y, atol=1e-6)
    assert (KERNEL(x, centres) @ a)[0] - q.y.max() == pytest.approx(found.gap[-1], rel=0.05)


# --- measured regret; `python -m benchmarks.theory certificates` has 500 functions ---


@pytest.mark.parametrize("form", ["sharp", "paper"])
@pytest.mark.parametrize("G", [0.0, 1.0])
def test_measured_regret_never_exceeds_the_certificate(form: str, G: float):
    violated_by_control = 0
    for seed in range(20):
        f, lam = KnownFunction(seed), 0.003
        g = np.random.default_rng([seed, 2]).standard_normal(12)
        g *= G * math.sqrt(lam) / np.linalg.norm(g)
        q = run(f, seed, g=g)
        given = {"kernel": KERNEL, "form": form, "max_boxes": 300}
        if G:
            given |= {"noise_var": lam, "perturbation_norm": G}
        regret = f.maximum - np.maximum.accumulate(f(q.X))[[3, 6, 11]]
        found = regret_certificate(q, rkhs_norm=2.0, **given)
        assert found.is_certificate
        assert (regret <= found.gap + 1e-9).all()
        assert (found.optimum >= f.maximum).all()
        control = regret_certificate(q, rkhs_norm=0.5, **(given | {"perturbation_norm": G / 4}))
        violated_by_control += bool((regret > control.gap + 1e-9).any())
        assert control.is_refuted or form == "paper" or control.data_norm <= 0.5 * math.hypot(1, G)
    assert violated_by_control > 0


def test_the_certificate_is_far_below_theorem_2():
    q = run(KnownFunction(4), 4, sizes=(4, 4, 4, 4))
    given = {"rkhs_norm": 2.0, "kernel": KERNEL, "noise_var": 1e-3}
    assert (
        regret_certificate(q, **given).gap[-1] < 0.2 * regret_bound(q, **given).theorem2.simple[-1]
    )


# --- what it is called ---


def test_only_given_premises_and_a_proved_maximum_make_a_certificate():
    q = run(KnownFunction(5), 5)
    given = {"rkhs_norm": 2.0, "kernel": KERNEL}
    assert str(regret_certificate(q, **given)).startswith("certificate: ")
    for fewer, name in (({"rkhs_norm": 2.0}, "kernel"), ({"kernel": KERNEL}, "rkhs_norm")):
        found = regret_certificate(q, **fewer)
        assert name in found.estimated
        assert not found.is_certificate
        assert str(found).startswith("estimate: ")
        assert name in str(found)
    searched = regret_certificate(q, certify=False, **given)
    assert not searched.is_certificate
    assert "searched" in str(searched)
    proved, loose = (regret_certificate(q, max_boxes=n, **given) for n in (20_000, 1))
    assert searched.gap[-1] <= proved.gap[-1] < loose.gap[-1]
    assert proved.optimum[-1] == proved.maximum.upper
    refuted = regret_certificate(q, kernel=KERNEL, rkhs_norm=0.01)
    assert refuted.is_refuted
    assert not refuted.is_certificate
    assert "REFUTED" in str(refuted)
    doubted = Queries(q.X, q.y, q.batch, region=Region(*_cube(), doubt="it rains"))
    assert not regret_certificate(doubted, **given).is_certificate
    assert "it rains" in str(regret_certificate(doubted, **given))


def test_an_estimated_norm_lets_the_norm_of_the_values_grow():
    q = run(KnownFunction(5), 5)
    found = regret_certificate(q, kernel=KERNEL)
    assert found.premises.rkhs_norm**2 == pytest.approx(found.data_norm**2 * (1 + 4 / 12))
    assert not found.is_refuted


def _cube() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((1, 2)), np.ones((1, 2))


# --- studies ---


def study_of(f: KnownFunction, direction: str, *, shift: float = 0.0) -> optuna.Study:
    study = optuna.create_study(direction=direction)
    sign = 1.0 if direction == "maximize" else -1.0
    space = {"x": FloatDistribution(-3, 5), "y": FloatDistribution(1e-2, 1e2, log=True)}
    for u in np.random.default_rng(0).random((9, 2)):
        params = {"x": -3 + 8 * u[0], "y": 10 ** (-2 + 4 * u[1])}
        study.add_trial(
            optuna.trial.create_trial(
                params=params, distributions=space, value=sign * f(u[None])[0] + shift
            )
        )
    return study


def test_the_direction_of_a_study_changes_signs_only():
    f = KnownFunction(6)
    given = {"rkhs_norm": 2.0, "kernel": KERNEL, "offset": 0.0}
    high = regret_certificate(study_of(f, "maximize"), **given)
    low = regret_certificate(study_of(f, "minimize"), **given)
    assert high.is_certificate
    assert low.is_certificate
    np.testing.assert_allclose(high.gap, low.gap)
    np.testing.assert_allclose(high.optimum, -low.optimum)
    np.testing.assert_allclose(high.best, -low.best)
    assert high.optimum[-1] >= f.maximum
    study = study_of(f, "minimize")
    assert low.best[-1] == study.best_value
    assert low.best_query == study.best_trial.number
    at = np.array([(low.at["x"] + 3) / 8, (math.log10(low.at["y"]) + 2) / 4])
    np.testing.assert_allclose(at, low.maximum.at, atol=1e-9)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_constant_is_subtracted_and_named_if_it_was_not_given(direction: str):
    f = KnownFunction(6)
    given = {"rkhs_norm": 2.0, "kernel": KERNEL}
    plain = regret_certificate(study_of(f, direction), offset=0.0, **given)
    moved = regret_certificate(study_of(f, direction, shift=100.0), offset=100.0, **given)
    np.testing.assert_allclose(moved.gap, plain.gap, rtol=1e-6)
    np.testing.assert_allclose(moved.optimum, plain.optimum + 100)
    unknown = regret_certificate(study_of(f, direction, shift=100.0), **given)
    assert unknown.estimated == ("offset",)
    assert not unknown.is_certificate


def test_only_feasible_trials_can_be_the_best():
    q = run(KnownFunction(7), 7)
    feasible = q.y < np.sort(q.y)[-3]
    given = {"rkhs_norm": 2.0, "kernel": KERNEL}
    some = regret_certificate(Queries(q.X, q.y, q.batch, feasible=feasible), **given)
    assert some.best[-1] == q.y[feasible].max()
    assert some.optimum[-1] == pytest.approx(regret_certificate(q, **given).optimum[-1], rel=0.05)
    none = regret_certificate(Queries(q.X, q.y, q.batch, feasible=np.zeros(12, bool)), **given)
    assert np.isinf(none.gap).all()
    assert none.best_query == -1


def test_constraints_of_a_study_are_read():
    study = optuna.create_study()
    for x in (0.1, 0.5, 0.9):
        study.enqueue_trial({"x": x})
        trial = study.ask({"x": FloatDistribution(0, 1)})
        set_constraint(trial, "c", 0.3 - x)
        study.tell(trial, x)
    assert queries_of(study).feasible.tolist() == [False, True, True]
    assert regret_certificate(study, rkhs_norm=3.0).best[-1] == 0.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"form": "loose"}, "`form` must be one of sharp, paper"),
        ({"rkhs_norm": -1.0}, "`rkhs_norm` must be a non-negative"),
        ({"noise_var": -1.0}, "`noise_var` must be"),
        ({"perturbation_norm": 1.0}, "`noise_var` must be given"),
        ({"max_boxes": 0}, "`max_boxes` must be a positive integer"),
        ({"certify": 1}, "`certify` must be True or False"),
        ({"kernel": StationaryKernel("se", (0.1, 0.2, 0.3))}, "each of the 2 features, got 3"),
    ],
)
def test_bad_arguments_are_named(changes: dict, message: str):
    with pytest.raises(ValueError, match=message):
        regret_certificate(run(KnownFunction(0), 0), **({"kernel": KERNEL} | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": np.array([0.0, np.nan])}, "`y` must have finite entries, got nan"),
        ({"X": np.array([[0.0], [np.inf]])}, "`X` must have finite entries, got inf"),
        ({"feasible": np.ones(3, bool)}, r"`feasible` must have shape \(2,\), got \(3,\)"),
        ({"numbers": np.arange(1)}, r"`numbers` must have shape \(2,\), got \(1,\)"),
    ],
)
def test_queries_that_do_not_fit_together_are_refused(changes: dict, message: str):
    plain = {"X": np.array([[0.0], [1.0]]), "y": np.zeros(2), "batch": np.zeros(2, int)}
    with pytest.raises(ValueError, match=message):
        Queries(**(plain | changes))


def test_queries_outside_of_the_region_are_refused():
    q = Queries(np.array([[2.0]]), np.zeros(1), np.zeros(1, dtype=np.int64))
    with pytest.raises(ValueError, match="must lie in the region"):
        regret_certificate(q, rkhs_norm=1.0, kernel=StationaryKernel())
