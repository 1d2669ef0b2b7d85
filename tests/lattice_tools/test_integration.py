"""Lattices for integration: merit, constructions, the engine, error estimates."""

import math
import pickle

import numpy as np
import pytest
from scipy.stats import qmc

from lattice_tools import Rank1Lattice
from lattice_tools.integration import (
    LatticeSequence,
    cbc,
    embedded_cbc,
    integrate,
    p_alpha,
    p_alpha_of_points,
    tent,
)
from lattice_tools.integration.cbc import _candidate_sums
from lattice_tools.integration.merit import omega
from lattice_tools.integration.sequence import shipped_vector

#: Kuo's vector lattice-33002, as QMCPy ships it, and the worst-case errors sqrt(P2) at N = 1024.
KUO = (
    1, 182667, 213731, 255351, 96013, 116671, 479315, 424089, 271103, 464421,
    124483, 230887, 392877, 162965, 109125, 168491, 216103, 5613, 207895, 506745,
)  # fmt: skip
KUO_ERRORS = {3: 0.0195, 5: 0.0350, 10: 0.0598, 20: 0.0739}


@pytest.mark.parametrize("alpha", [2, 4, 6])
def test_omega_is_its_fourier_series(alpha):
    x = np.array([0.0, 0.1, 0.37, 0.5, 1.0])
    h = np.arange(1.0, 20_000.0)
    series = 2 * (np.cos(2 * np.pi * np.outer(x, h)) / h**alpha).sum(axis=1)
    np.testing.assert_allclose(omega(x, alpha), series, atol=2e-4)


def test_p2_is_the_sum_over_the_dual_lattice():
    lattice, weights = Rank1Lattice(7, (1, 3)), [1.0, 0.5]
    total = 0.0
    for h in range(-300, 301):
        for k in range(-300, 301):
            if (h, k) != (0, 0) and (h + 3 * k) % 7 == 0:
                total += (weights[0] / h**2 if h else 1) * (weights[1] / k**2 if k else 1)
    assert p_alpha(lattice, weights=weights) == pytest.approx(total, rel=1e-2)


def test_p2_of_points_is_that_of_their_lattice_whatever_the_shift():
    lattice = Rank1Lattice(64, (1, 19, 27))
    for shift in (None, [0.1, 0.2, 0.3]):
        value = p_alpha_of_points(lattice.points(shift), alpha=4)
        assert value == pytest.approx(p_alpha(lattice, alpha=4))


@pytest.mark.parametrize(("d", "error"), KUO_ERRORS.items())
def test_the_construction_beats_kuos_vector(d, error):
    kuo = Rank1Lattice(1024, KUO[:d])
    assert math.sqrt(p_alpha(kuo)) == pytest.approx(error, abs=5e-5)
    assert p_alpha(cbc(1024, d)) < p_alpha(kuo)


@pytest.mark.parametrize("N", [2, 3, 4, 5, 8, 12, 31, 32, 45, 64, 101])
def test_fast_sums_choose_what_measuring_every_value_chooses(N):
    weights = [1.0, 0.7, 0.4, 0.2]
    lattice = cbc(N, 4, weights=weights)
    b = [1]
    for j in range(1, 4):
        values = [z for z in range(1, N // 2 + 1) if math.gcd(z, N) == 1]
        merits = [p_alpha(Rank1Lattice(N, (*b, z)), weights=weights) for z in values]
        chosen = p_alpha(Rank1Lattice(N, lattice.base_vector[: j + 1]), weights=weights)
        assert chosen == pytest.approx(min(merits))
        b.append(lattice.base_vector[j])


@pytest.mark.parametrize("N", [8, 16, 64, 3, 31, 12])
def test_sums_over_all_points_are_exact_for_every_value(N):
    k = np.arange(N)
    p = np.random.default_rng(0).random(N)
    p += p[-k % N]  # Products of symmetric functions are symmetric.
    w = omega(k / N, 2)
    z, sums = _candidate_sums(p, w)
    np.testing.assert_allclose(sums, [p @ w[k * value % N] for value in z])
    folded = sorted(np.minimum(z, N - z).tolist())
    assert folded == [v for v in range(1, N // 2 + 1) if math.gcd(v, N) == 1]


def test_weights_and_alpha_matter():
    assert cbc(1021, 8, weights=[1.0] * 8) != cbc(1021, 8)
    assert cbc(1021, 8, alpha=4) != cbc(1021, 8)


def test_an_embedded_vector_is_good_at_every_power_of_two():
    v = embedded_cbc(10, 8)
    for m in range(6, 11):
        best = p_alpha(cbc(2**m, 8))
        assert best * 0.99 < p_alpha(Rank1Lattice(2**m, v)) < 1.8 * best


def test_the_shipped_vector_beats_kuos_on_the_whole():
    # Both are meant for all powers of two at once.
    v = shipped_vector()
    assert len(v) == 100
    ratios = [
        p_alpha(Rank1Lattice(2**m, v[:d])) / p_alpha(Rank1Lattice(2**m, KUO[:d]))
        for m in (8, 10, 12)
        for d in (3, 5, 10, 20)
    ]
    assert np.mean(np.log(ratios)) < 0


def test_every_power_of_two_points_are_a_lattice():
    X = LatticeSequence(3, scramble=False).random(256)
    for m in (2, 5, 8):
        points = {tuple(x) for x in X[: 2**m]}
        assert points == {tuple(x) for x in Rank1Lattice(2**m, shipped_vector()[:3]).points()}


def test_the_sequence_is_an_engine_of_scipy():
    engine = LatticeSequence(4, rng=0)
    assert isinstance(engine, qmc.QMCEngine)
    X = engine.random(100)
    assert X.shape == (100, 4)
    assert np.all((X >= 0) & (X < 1))
    np.testing.assert_array_equal(engine.reset().random(100), X)
    np.testing.assert_array_equal(engine.reset().fast_forward(40).random(60), X[40:])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(engine.reset())).random(100), X)
    parts = [engine.reset().random(1), *(engine.random(33) for _ in range(3))]
    np.testing.assert_array_equal(np.concatenate(parts), X)
    assert not np.array_equal(LatticeSequence(4, rng=1).random(100), X)


def test_the_sequence_goes_on_after_its_last_point():
    engine = LatticeSequence(2, vector=[1, 3], log2_points=3, scramble=False)
    X = engine.random(30)
    assert len(np.unique(X, axis=0)) == 30


def test_tent_points_are_folded():
    plain = LatticeSequence(3, rng=0).random(50)
    folded = LatticeSequence(3, rng=0, tent=True).random(50)
    np.testing.assert_array_equal(folded, tent(plain))
    assert not np.array_equal(folded, plain)


def smooth(X):
    return np.exp(X @ np.array([1.0, 0.5, 0.25]))


TRUTH = (math.e - 1) * (math.exp(0.5) - 1) / 0.5 * (math.exp(0.25) - 1) / 0.25


def test_the_standard_error_tells_the_error():
    result = integrate(smooth, cbc(509, 3), rng=0)
    assert result.n_evaluations == 16 * 509
    assert 0 < abs(result.value - TRUTH) < 4 * result.standard_error
    many = [integrate(smooth, cbc(509, 3), n_shifts=8, rng=seed) for seed in range(30)]
    scatter = np.std([r.value for r in many])
    assert 0.5 < scatter / np.median([r.standard_error for r in many]) < 2


def test_the_tent_transform_makes_errors_decrease_with_the_square():
    errors = {
        (tent, n): integrate(smooth, cbc(n, 3), tent=tent, rng=0).standard_error
        for tent in (False, True)
        for n in (251, 4001)
    }
    rates = {t: math.log(errors[t, 251] / errors[t, 4001]) / math.log(4001 / 251) for t in (0, 1)}
    assert rates[1] > 1.6 > rates[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cbc(20_001, 2), "nearest prime is 19997"),
        (lambda: cbc(11, 2, alpha=3), "`alpha` must be one of 2, 4, 6, got 3"),
        (lambda: cbc(11, 3, weights=[1, 2]), "`weights` must hold at least 3 numbers, got 2"),
        (lambda: cbc(11, 2, weights=[1, -2]), "non-negative"),
        (lambda: embedded_cbc(25, 2), "`log2_points` must be at most 24, got 25"),
        (lambda: LatticeSequence(101), "at least d=101 integers, got 100"),
        (lambda: LatticeSequence(2, vector=[1, 4]), "odd integers"),
        (lambda: LatticeSequence(2, log2_points=21), "above 20 needs a `vector`, got 21"),
        (lambda: integrate(smooth, cbc(11, 3), n_shifts=1), "`n_shifts` .* at least 2, got 1"),
        (lambda: integrate(lambda X: X, cbc(11, 3)), r"values \(11,\), got shape \(11, 3\)"),
    ],
)
def test_bad_input_is_refused_with_the_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()
