"""LatticeEngine wherever SciPy takes a QMCEngine."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import qmc

from lattice_tools import LatticeEngine, Rank1Lattice

LATTICE = Rank1Lattice(55, (1, 34))


def engine(**options):
    return LatticeEngine(2, lattice=LATTICE, **options)


def test_without_scrambling_the_first_points_are_the_lattice():
    np.testing.assert_array_equal(engine(scramble=False).random(55), LATTICE.points())


def test_with_scrambling_they_are_the_lattice_moved():
    points = engine(rng=7).random(55)
    assert np.all((points >= 0) & (points < 1))
    np.testing.assert_allclose((points - points[0] - LATTICE.points() + 0.5) % 1, 0.5, atol=1e-12)


def test_the_same_seed_gives_the_same_points():
    first = engine(rng=3).random(20)
    np.testing.assert_array_equal(engine(rng=3).random(20), first)
    np.testing.assert_array_equal(engine(rng=np.random.default_rng(3)).random(20), first)
    assert not np.array_equal(engine(rng=4).random(20), first)


@pytest.mark.parametrize("scramble", [False, True])
def test_drawing_in_parts_is_drawing_at_once(scramble):
    whole = engine(scramble=scramble, rng=1).random(150)
    parts = engine(scramble=scramble, rng=1)
    drawn = np.concatenate([parts.random(n) for n in (1, 54, 60, 0, 35)])
    np.testing.assert_array_equal(drawn, whole)
    assert parts.num_generated == 150


@pytest.mark.parametrize("n", [0, 1, 54, 55, 56, 1000])
def test_fast_forward_skips_what_would_have_been_drawn(n):
    drawn, skipped = engine(rng=1), engine(rng=1)
    drawn.random(n)
    assert skipped.fast_forward(n) is skipped
    np.testing.assert_array_equal(skipped.random(5), drawn.random(5))


def test_reset_begins_again():
    e = engine(rng=1)
    first = e.random(70)
    assert e.reset() is e
    np.testing.assert_array_equal(e.random(70), first)


def test_more_points_than_the_lattice_has_are_distinct():
    points = engine(rng=1).random(5_500)
    assert len({tuple(x) for x in points.tolist()}) == 5_500


def test_points_are_more_uniform_than_random_ones():
    points = engine(rng=0).random(55)
    random = np.random.default_rng(0).random((55, 2))
    assert qmc.discrepancy(points, method="WD") < qmc.discrepancy(random, method="WD") / 4


def test_scaling_and_integers():
    scaled = qmc.scale(engine(rng=0).random(55), [-1, 10], [1, 20])
    assert scaled[:, 0].min() >= -1
    assert scaled[:, 1].max() < 20
    integers = engine(scramble=False).integers(0, u_bounds=5, n=55)
    assert np.bincount(integers[:, 0]).tolist() == [11] * 5


def test_normal_samples():
    e = LatticeEngine(2, n_points=256, rng=0)
    sampler = qmc.MultivariateNormalQMC(
        mean=[1, -1], cov=[[1, 0.5], [0.5, 2]], engine=e, inv_transform=True
    )
    sample = sampler.random(256)
    np.testing.assert_allclose(sample.mean(axis=0), [1, -1], atol=0.05)
    np.testing.assert_allclose(np.cov(sample.T), [[1, 0.5], [0.5, 2]], atol=0.15)


def test_multinomial_samples():
    draws = qmc.MultinomialQMC(
        [0.2, 0.3, 0.5], n_trials=100, engine=LatticeEngine(1, n_points=100, rng=0)
    ).random(3)
    np.testing.assert_allclose(draws, [[20, 30, 50]] * 3, atol=2)


def test_an_integral_over_the_cube():
    sample = LatticeEngine(4, n_points=1024, rng=0).random(1024)
    integrand = np.prod(1 + (sample - 0.5) * np.array([1, 0.5, 0.25, 0.125]), axis=1)
    assert integrand.mean() == pytest.approx(1, abs=2e-3)


def test_sampling_of_a_distribution():
    from scipy.stats.sampling import NumericalInversePolynomial

    inverse = NumericalInversePolynomial(stats.norm())
    values = inverse.qrvs(size=200, qmc_engine=LatticeEngine(1, n_points=200, rng=0))
    assert stats.kstest(values, "norm").statistic < 0.01


def test_scipys_own_optimization_applies():
    better = engine(rng=0, optimization="lloyd").random(55)
    assert better.shape == (55, 2)


def test_it_builds_its_lattice():
    e = LatticeEngine(3, n_points=64)
    assert (e.lattice.n_points, e.lattice.dim) == (64, 3)
    assert LatticeEngine(2, n_points=61, method="subgroup").lattice.n_points == 61
    assert LatticeEngine(2).lattice.n_points == 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d": 0}, "`d` must be an integer of at least 1, got 0"),
        ({"d": 3, "lattice": LATTICE}, "55 points in 2 dimensions, but n_points=None and d=3"),
        ({"d": 2, "lattice": LATTICE, "n_points": 56}, "but n_points=56 and d=2"),
        ({"d": 2, "method": "sobol"}, "`method` must be one of"),
        ({"d": 2, "n_points": 1}, "`n_points` must be an integer of at least 2, got 1"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LatticeEngine(**options)


def test_a_negative_skip_is_refused():
    with pytest.raises(ValueError, match="`n` must be an integer of at least 0, got -1"):
        engine().fast_forward(-1)
