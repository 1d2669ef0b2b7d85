"""Whatever stands in the attributes of trials, the sampler answers with a valid point."""

import copy
import datetime
import math
from typing import Any
from unittest.mock import create_autospec

import optuna
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from optuna.storages import InMemoryStorage
from optuna.trial import TrialState, create_trial

from optuna_bkop import BKOPSampler, _suggest
from optuna_bkop._arrays import FloatArray
from optuna_bkop._coordination import records
from optuna_bkop._coordination.liveness import Limits, Watch
from optuna_bkop._coordination.plan import read_plan
from optuna_bkop._domain import Domain
from optuna_bkop._model.fitted import Fitted
from optuna_bkop._settings import Settings
from optuna_bkop._study.unit_cube import UnitCube
from tests.support.plans import packed, unpacked

N_KNOWN = 4
DISTRIBUTIONS = {
    "x": optuna.distributions.FloatDistribution(0.0, 1.0),
    "n": optuna.distributions.IntDistribution(0, 9),
}
CUBE = UnitCube(DISTRIBUTIONS)
KEYS = st.sampled_from([records.KEY, records.KEY, *(f"{records.KEY}:{i}" for i in range(3))])
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 2**63, 10**9, 10**9 + 1, -1])
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)


class Fuzzed:
    """A study with a real plan of which points are taken, made once and copied for each case."""

    def __init__(self) -> None:
        storage = InMemoryStorage()
        study = optuna.create_study(storage=storage, study_name="fuzz", sampler=quick())
        for i in range(N_KNOWN):
            params = {"x": 0.1 + i / 5, "n": 2 * i}
            trial = create_trial(params=params, distributions=DISTRIBUTIONS, value=float(i))
            study.add_trial(trial)
        for trial in [study.ask() for _ in range(3)]:
            suggest(trial)
        self.trials = study.get_trials()
        self.running = range(N_KNOWN, N_KNOWN + 3)

    def study(self) -> optuna.Study:
        study = optuna.create_study(study_name="fuzz", sampler=quick())
        study.add_trials(self.trials)
        return study


def quick() -> BKOPSampler:
    return BKOPSampler(n_startup_trials=2, batch_size=4, seed=0)


def suggest(trial: optuna.Trial) -> tuple[float, int]:
    return trial.suggest_float("x", 0.0, 1.0), trial.suggest_int("n", 0, 9)


@pytest.fixture(scope="module")
def fuzzed() -> Fuzzed:
    return Fuzzed()


@pytest.fixture(autouse=True)
def _a_quick_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is not what is tested here, and many cases are."""

    def fit(
        U: FloatArray, *data: Any, domain: Domain, settings: Settings, **kwargs: Any
    ) -> Fitted:
        return Fitted((), (), U, n_since_best=0, n_ties=0, domain=domain, settings=settings)

    def choose(fitted: Fitted, U_held: Any, q: int, *, rng: Any, **kwargs: Any) -> Any:
        return fitted.domain.snap(rng.random((q, fitted.domain.dim)))

    for name, stub in (("fit_models", fit), ("choose_batch", choose)):
        original = getattr(_suggest, name)
        monkeypatch.setattr(_suggest, name, create_autospec(original, side_effect=stub))
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def check(study: optuna.Study) -> None:
    """Two asks, a tell and another ask give valid points and sound attributes."""
    for _ in range(2):
        trials = [study.ask(), study.ask()]
        for trial in trials:
            x, n = suggest(trial)
            assert 0.0 <= x <= 1.0
            assert n in range(10)
            kept = study._storage.get_trial(trial._trial_id)
            assert set(kept.params) == {"x", "n"}
            assert records.batch_of(kept) is not None
        study.tell(trials[0], 1.0)


cases = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def overwrite(study: optuna.Study, number: int, key: str, value: Any) -> None:
    study._storage.set_trial_system_attr(study.get_trials()[number]._trial_id, key, value)


@cases
@given(number=st.integers(N_KNOWN, N_KNOWN + 2), key=KEYS, value=JSON)
def test_arbitrary_values(fuzzed: Fuzzed, number: int, key: str, value: Any) -> None:
    study = fuzzed.study()
    overwrite(study, number, key, value)
    check(study)


@cases
@given(
    number=st.integers(0, N_KNOWN - 1),
    key=KEYS | st.sampled_from(["constraints", "constraints:c"]),
    value=JSON,
)
@example(0, "constraints", 5)
@example(0, "constraints", [10**400])
@example(0, "constraints:c", 10**400)
@example(0, "constraints:c", math.nan)
def test_arbitrary_values_of_finished_trials(
    fuzzed: Fuzzed, number: int, key: str, value: Any
) -> None:
    damaged = copy.deepcopy(fuzzed.trials)
    damaged[number].system_attrs[key] = value
    study = optuna.create_study(study_name="fuzz", sampler=quick())
    study.add_trials(damaged)
    check(study)


@pytest.mark.parametrize("field", ["version", "number"])
def test_of_another_version_or_trial_nothing_is_believed(field: str) -> None:
    head = {"version": 3, "number": 3, "of": "a plan", "running": 7, "time": 5}
    trial = create_trial(state=TrialState.RUNNING, system_attrs={records.KEY: packed(head)})
    trial.number = 3
    assert (records.batch_of(trial), records.seen_running(trial)) == ("a plan", 7)
    trial.system_attrs = {records.KEY: packed({**head, field: 99})}
    assert (records.batch_of(trial), records.seen_running(trial)) == (None, None)
    assert records.written_at(trial) is None


FIELDS = (
    "version number space of fingerprint after time running taken parts digest numbers".split()
)


@cases
@given(number=st.integers(N_KNOWN, N_KNOWN + 2), field=st.sampled_from(FIELDS), value=JSON)
@example(N_KNOWN, "parts", 10**400)
@example(N_KNOWN, "after", [[[]]])
@example(N_KNOWN, "time", 10**5000)
@example(N_KNOWN, "time", -1)
@example(N_KNOWN, "time", math.nan)
@example(N_KNOWN, "number", math.nan)
@example(N_KNOWN, "version", 2)
@example(N_KNOWN, "taken", 10**9)
def test_a_value_with_one_field_replaced(
    fuzzed: Fuzzed, number: int, field: str, value: Any
) -> None:
    study = fuzzed.study()
    record = {**unpacked(study.get_trials()[number]), field: value}
    try:
        text = packed(record)
    except (ValueError, OverflowError):  # an integer with too many digits for a text
        return
    overwrite(study, number, records.KEY, text)
    check(study)


@cases
@given(
    number=st.integers(N_KNOWN, N_KNOWN + 2),
    numbers=st.lists(JSON, max_size=8) | st.lists(st.integers(-2, 10**9 + 2), max_size=8),
    parts=st.integers(0, 3),
    taken=st.integers(0, 9),
)
def test_a_right_digest_over_wrong_numbers(
    fuzzed: Fuzzed, number: int, numbers: list[Any], parts: int, taken: int
) -> None:
    study = fuzzed.study()
    head = unpacked(fuzzed.trials[fuzzed.running[0]])
    head = {**head, "number": number, "parts": parts, "taken": taken, "numbers": numbers}
    about = [head[name] for name in (*records._TEXTS, *records._COUNTS)]
    try:
        head["digest"] = records._digest(*about, numbers)
    except ValueError:  # an integer with too many digits for a text
        head["digest"] = "0" * 16
    try:
        text = packed(head)
    except ValueError:
        return
    overwrite(study, number, records.KEY, text)
    check(study)


@cases
@given(number=st.integers(N_KNOWN, N_KNOWN + 2), data=st.data())
def test_truncated_values(fuzzed: Fuzzed, number: int, data: st.DataObject) -> None:
    study = fuzzed.study()
    for key, value in study.get_trials()[number].system_attrs.items():
        overwrite(study, number, key, value[: data.draw(st.integers(0, len(value)))])
    check(study)


@cases
@given(
    source=st.integers(N_KNOWN, N_KNOWN + 2),
    target=st.integers(N_KNOWN, N_KNOWN + 2),
    keep_number=st.booleans(),
)
def test_values_of_another_trial(
    fuzzed: Fuzzed, source: int, target: int, keep_number: bool
) -> None:
    study = fuzzed.study()
    for key in study.get_trials()[source].system_attrs:
        record = unpacked(study.get_trials()[source], key)
        record["number"] = source if keep_number else target
        overwrite(study, target, key, packed(record))
    check(study)


@cases
@given(
    dim=st.integers(1, 5),
    state=st.sampled_from([TrialState.RUNNING, TrialState.WAITING, TrialState.FAIL]),
    hours=st.floats(-1e6, 1e6),
    is_aware=st.booleans(),
)
def test_trials_of_another_study(
    fuzzed: Fuzzed, dim: int, state: TrialState, hours: float, is_aware: bool
) -> None:
    """Of another space, of whatever state, begun at whatever time."""
    foreign = optuna.create_study(
        sampler=BKOPSampler(
            n_startup_trials=0,
            search_space={
                f"z{j}": optuna.distributions.FloatDistribution(0.0, 1.0) for j in range(dim)
            },
        )
    )
    trial = foreign.ask()
    trial.suggest_float("z0", 0.0, 1.0)
    copied = copy.deepcopy(foreign.get_trials()[0])
    copied.state = state
    zone = datetime.timezone.utc if is_aware else None
    moment = datetime.datetime.now(zone) + datetime.timedelta(hours=hours)
    copied.datetime_start = None if state == TrialState.WAITING else moment
    copied.datetime_complete = moment if state.is_finished() else None
    study = fuzzed.study()
    study._storage.create_new_trial(study._study_id, template_trial=copied)
    if state == TrialState.WAITING:
        study._storage.set_trial_state_values(
            study.get_trials()[-1]._trial_id, state=TrialState.RUNNING
        )
    check(study)


@cases
@given(attrs=st.dictionaries(KEYS, JSON, max_size=4), number=st.integers(0, 3))
def test_nothing_of_it_is_read_as_a_point_or_a_plan(attrs: dict[str, Any], number: int) -> None:
    trial = create_trial(state=TrialState.RUNNING, system_attrs=attrs)
    trial.number = number
    assert records.read_entry(trial, CUBE) is None
    assert records.batch_of(trial) is None
    seen = read_plan([trial], -1, "f" * 16, CUBE, watch=Watch(), limits=Limits(60.0, 60.0, 9))
    assert seen.free == ()


@pytest.mark.parametrize("text", ["[" * 1900 + "]" * 100, "[" * 1000 + "]" * 1000, "9" * 2000])
def test_values_may_be_nested_deeply_or_be_long_numbers(text: str) -> None:
    fuzzed = Fuzzed()
    for value in (text, f"{text}\n{text}"[:2044], '{"version": 3, "number": 4}\n' + text):
        study = fuzzed.study()
        overwrite(study, N_KNOWN, records.KEY, value)
        check(study)


def test_values_of_any_type_do_no_harm() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    fuzzed = Fuzzed()
    for value in (deep, cyclic, {"version": 3}, 7, None, True, "x" * 10**6):
        study = fuzzed.study()
        trial = study.get_trials(deepcopy=False)[N_KNOWN]
        study._storage.set_trial_system_attr(trial._trial_id, records.KEY, value)
        check(study)


def test_what_is_valid_is_read() -> None:
    """The other tests would be content with a sampler that reads nothing at all."""
    fuzzed = Fuzzed()
    study = fuzzed.study()
    seen = read_plan(
        study.get_trials()[N_KNOWN:],
        -1,
        unpacked(fuzzed.trials[N_KNOWN])["fingerprint"],
        CUBE,
        watch=Watch(),
        limits=Limits(60.0, 60.0, 9),
    )
    assert len(seen.running) == 3
    assert len(seen.free) == 1
