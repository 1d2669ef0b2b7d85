"""A region contains the features of every point of its domain."""

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from optuna_bkop._domain import Condition, Domain
from optuna_bkop._study.unit_cube import UnitCube
from optuna_bkop._study_queries import read_queries
from optuna_bkop._theory.region import Region

SPACE = {
    "c": CategoricalDistribution(["a", "b", "c"]),
    "n": IntDistribution(1, 4),
    "x": FloatDistribution(-1, 1),
}


def domain(space: dict = SPACE, conditions: dict | None = None) -> Domain:
    return Domain(UnitCube(space).parameters, conditions or {})


def random_points(of: Domain, n: int = 300) -> np.ndarray:
    return of.features(of.snap(np.random.default_rng(0).random((n, of.dim))))


def test_each_combination_of_choices_has_a_box():
    region = Region.of_domain(domain())
    assert region.lower.shape == (3, 5)
    assert region.contains(random_points(domain()))
    # Indicators are fixed, the integer reaches from the first to the last value.
    assert (region.lower[:, :3] == region.upper[:, :3]).all()
    np.testing.assert_allclose(region.lower[0, 3:], [0.125, 0.0])
    np.testing.assert_allclose(region.upper[0, 3:], [0.875, 1.0])
    assert not region.contains(np.full((1, 5), 0.5))


def test_a_finite_domain_is_the_set_of_its_points():
    finite = domain({name: SPACE[name] for name in "cn"})
    region = Region.of_domain(finite)
    assert region.lower.shape == (12, 4)
    assert (region.lower == region.upper).all()
    assert region.contains(random_points(finite))


@pytest.mark.parametrize("child", [1, 2])
def test_inactive_parameters_lie_in_the_region(child: int):
    space = SPACE | {"d": CategoricalDistribution(["u", "v"])}
    names = sorted(space)
    condition = Condition(parent=names.index("c"), values=frozenset([0.5]))
    of = domain(space, {child: condition})
    region = Region.of_domain(of)
    assert region.contains(random_points(of))
    assert len(region.lower) == (9 if names[child] == "d" else 6)


def test_many_combinations_share_one_box():
    many = domain({f"c{i}": CategoricalDistribution(list("abcd")) for i in range(6)})
    region = Region.of_domain(many)
    assert region.lower.shape == (1, 24)
    assert region.contains(random_points(many))


def test_a_study_whose_distributions_change_is_doubted():
    study = optuna.create_study()
    study.optimize(
        lambda trial: trial.suggest_float("x", 0, 1 + trial.number) + trial.suggest_int("n", 0, 3),
        n_trials=3,
    )
    assert read_queries(study).queries.region.doubt == "the distributions of x change"


def test_features_are_read_as_parameters():
    study = optuna.create_study()
    kinds = ["a", "b", "a", "b", "b", "a"]

    def objective(trial):
        kind = trial.suggest_categorical("kind", kinds[:2])
        x = trial.suggest_float("x", 1e-3, 1e3, log=True)
        return x + (trial.suggest_int("depth", 1, 9) if kind == "b" else 0)

    study.sampler = optuna.samplers.RandomSampler(seed=1)
    study.optimize(objective, n_trials=12)
    read = read_queries(study)
    for number, features in zip(read.queries.numbers, read.queries.X, strict=True):
        params = read.params_at(features)
        assert params.pop("x") == pytest.approx(study.trials[number].params["x"])
        assert params == {k: v for k, v in study.trials[number].params.items() if k != "x"}
