"""Search space <-> unit cube: round trips, and never off the grid."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from optuna_bkop._coordination.records import from_integers, to_integers
from optuna_bkop._domain import Domain
from optuna_bkop._study.unit_cube import UnitCube, from_unit, to_unit

units = st.floats(0.0, 1.0)


@st.composite
def float_distributions(draw: st.DrawFn) -> FloatDistribution:
    kind = draw(st.sampled_from(["plain", "log", "step"]))
    if kind == "log":
        low, high = sorted(draw(st.tuples(*[st.floats(1e-12, 1e12)] * 2)))
        return FloatDistribution(low, high, log=True)
    low, high = sorted(draw(st.tuples(*[st.floats(-1e6, 1e6)] * 2)))
    if kind == "plain":
        return FloatDistribution(low, high)
    # The range need not be a multiple of the step; Optuna then lowers its end, and says so.
    low = draw(st.decimals(-100, 100, places=2))
    step = draw(st.decimals("0.01", 10, places=2))
    high = low + step * draw(st.integers(0, 300)) + draw(st.decimals(0, 1, places=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FloatDistribution(float(low), float(high), step=float(step))


@st.composite
def int_distributions(draw: st.DrawFn) -> IntDistribution:
    if draw(st.booleans()):
        low, high = sorted(draw(st.tuples(*[st.integers(1, 10**6)] * 2)))
        return IntDistribution(low, high, log=True)
    low = draw(st.integers(-(10**6), 10**6))
    step = draw(st.integers(1, 50))
    high = low + draw(st.integers(0, 3000))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return IntDistribution(low, high, step=step)


categoricals = st.integers(1, 40).map(
    lambda n: CategoricalDistribution([f"c{i}" for i in range(n)])
)
distributions = st.one_of(float_distributions(), int_distributions(), categoricals)


def is_contained(distribution: BaseDistribution, value: Any) -> bool:
    return distribution._contains(distribution.to_internal_repr(value))


@settings(deadline=None)
@given(distribution=distributions, u=units)
def test_every_number_stands_for_a_value_of_the_distribution(
    distribution: BaseDistribution, u: float
) -> None:
    value = from_unit(distribution, u)
    assert is_contained(distribution, value)
    expected = {FloatDistribution: float, IntDistribution: int, CategoricalDistribution: str}
    assert type(value) is expected[type(distribution)]


@settings(deadline=None)
@given(distribution=distributions, u=units)
def test_a_value_comes_back_from_its_number(distribution: BaseDistribution, u: float) -> None:
    value = from_unit(distribution, u)
    number = to_unit(distribution, value)
    assert 0.0 <= number <= 1.0
    again = from_unit(distribution, number)
    if isinstance(distribution, FloatDistribution):
        assert again == pytest.approx(value, rel=1e-9, abs=1e-9 * abs(distribution.low))
    else:
        assert again == value


@settings(deadline=None)
@given(distribution=distributions, u=units)
def test_a_discrete_value_survives_being_published(
    distribution: BaseDistribution, u: float
) -> None:
    assume(not isinstance(distribution, FloatDistribution) or distribution.step is not None)
    value = from_unit(distribution, u)
    published = from_integers(to_integers(np.array([to_unit(distribution, value)])))
    assert from_unit(distribution, float(published[0])) == value


@settings(deadline=None)
@given(distribution=distributions, u=st.lists(units, min_size=1, max_size=5))
def test_snapped_numbers_are_those_of_values(
    distribution: BaseDistribution, u: list[float]
) -> None:
    assume(not isinstance(distribution, FloatDistribution) or distribution.step is not None)
    domain = Domain(UnitCube({"x": distribution}).parameters)
    for number in domain.snap(np.array(u)[:, None])[:, 0]:
        value = from_unit(distribution, float(number))
        assert number == pytest.approx(to_unit(distribution, value), abs=1e-9)


@settings(deadline=None)
@given(distribution=distributions)
def test_a_grid_lists_every_value_once(distribution: BaseDistribution) -> None:
    grid = UnitCube({"x": distribution}).parameters[0].grid
    assume(grid is not None)
    assert (np.diff(grid) > 0).all()
    values = [from_unit(distribution, float(u)) for u in grid]
    assert len(set(values)) == len(values)
    if isinstance(distribution, IntDistribution):
        assert values == list(range(distribution.low, distribution.high + 1, distribution.step))
    elif isinstance(distribution, CategoricalDistribution):
        assert values == list(distribution.choices)
    elif isinstance(distribution, FloatDistribution):
        assert values[0] == distribution.low
        assert values[-1] == pytest.approx(distribution.high)


@pytest.mark.parametrize(
    "distribution",
    [IntDistribution(-3, 6), IntDistribution(0, 27, step=3), FloatDistribution(0, 0.9, step=0.1)],
)
def test_uniform_numbers_give_uniform_values(distribution: BaseDistribution) -> None:
    numbers = (np.arange(1000) + 0.5) / 1000
    values = [from_unit(distribution, float(u)) for u in numbers]
    counts = [values.count(value) for value in dict.fromkeys(values)]
    assert counts == [100] * 10


@pytest.mark.parametrize(
    "distribution",
    [
        IntDistribution(0, 2**60),
        IntDistribution(-(10**18), 10**18, step=8),
        IntDistribution(1, 10**15, log=True),
        FloatDistribution(1e-300, 1e300, log=True),
        FloatDistribution(-1e300, 1e300),
    ],
)
def test_huge_ranges_stay_inside(distribution: IntDistribution | FloatDistribution) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = [from_unit(distribution, float(u)) for u in np.linspace(0, 1, 101)]
    assert all(is_contained(distribution, value) for value in values)
    assert len(set(values)) > 90
    assert values == sorted(values)


@pytest.mark.parametrize(
    "distribution",
    [
        FloatDistribution(3.0, 3.0),
        FloatDistribution(2.0, 2.0, log=True),
        FloatDistribution(1.0, 1.0, step=0.5),
        IntDistribution(4, 4),
        IntDistribution(4, 4, log=True),
        CategoricalDistribution(["only"]),
    ],
)
def test_a_single_value_is_always_itself(distribution: BaseDistribution) -> None:
    expected = from_unit(distribution, 0.5)
    for u in (0.0, 0.2, 1.0, to_unit(distribution, expected)):
        assert from_unit(distribution, u) == expected


def test_the_values_of_a_log_int_cover_the_logarithmic_scale() -> None:
    distribution = IntDistribution(1, 1000, log=True)
    values = [from_unit(distribution, float(u)) for u in np.linspace(0, 1, 4)]
    assert values[0] == 1
    assert values[-1] == 1000
    ratios = np.diff(np.log(values))
    assert ratios.min() > 0.5 * math.log(10)


def test_many_values_are_rounded_without_being_listed() -> None:
    for distribution in (IntDistribution(0, 10**6), IntDistribution(1, 10**6, log=True)):
        parameter = UnitCube({"x": distribution}).parameters[0]
        assert parameter.grid is None
        assert parameter.steps is not None


def test_equal_spaces_have_equal_signatures_in_any_order() -> None:
    x, y = FloatDistribution(0, 1), IntDistribution(0, 9)
    first, second = UnitCube({"x": x, "y": y}), UnitCube({"y": y, "x": x})
    assert first.signature == second.signature
    assert first.names == second.names == ("x", "y")
    assert first.signature != UnitCube({"x": x, "y": IntDistribution(0, 8)}).signature


def test_encode_has_no_number_for_what_is_missing_or_different() -> None:
    x, y, z = FloatDistribution(0, 1), IntDistribution(0, 9), CategoricalDistribution("ab")
    cube = UnitCube({"x": x, "y": y, "z": z})
    u = cube.encode({"x": 0.25, "y": 3}, {"x": x, "y": IntDistribution(0, 5)})
    assert u[0] == 0.25
    assert np.isnan(u[1:]).all()


def test_decode_reverses_encode_for_a_whole_trial() -> None:
    space: dict[str, BaseDistribution] = {
        "lr": FloatDistribution(1e-5, 1e-1, log=True),
        "units": IntDistribution(16, 256, step=16),
        "act": CategoricalDistribution(["relu", None, 3, 2.5, True]),
        "drop": FloatDistribution(0.0, 0.5, step=0.1),
    }
    params = {"lr": 1e-3, "units": 48, "act": None, "drop": 0.30000000000000004}
    cube = UnitCube(space)
    decoded = cube.decode(cube.encode(params, space))
    assert decoded.pop("lr") == pytest.approx(params.pop("lr"))
    assert decoded == params


def test_an_unknown_distribution_is_refused_by_name() -> None:
    class Strange(FloatDistribution):
        pass

    assert UnitCube({"x": Strange(0, 1)}).dim == 1
    with pytest.raises(ValueError, match=r"must be a FloatDistribution.* got None"):
        UnitCube({"x": None})  # type: ignore[dict-item]
