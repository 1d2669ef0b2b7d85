"""A study stops when its certificate is small enough, and all of its workers do."""

import math
import warnings

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.study import StudyDirection
from optuna.terminator import StaticErrorEvaluator, Terminator, TerminatorCallback
from optuna.trial import TrialState, create_trial

from optuna_bkop import BKOPSampler, stopping
from optuna_bkop.regret import Queries, StationaryKernel, regret_certificate
from optuna_bkop.stopping import RegretCertificateEvaluator, stop_when_certified
from tests.support.workers import CONTEXT, STUDY, quadratic, suggest

#: The bowl on the unit square has values in [0, 0.85].
KNOWN = {"rkhs_norm": 5.0, "kernel": StationaryKernel("se", 1.0), "offset": 0.3}
N_MOST = 60


def objective(trial: optuna.Trial) -> float:
    return quadratic(suggest(trial, 2))


def study_of(n_trials: int = 0, direction: str = "minimize", **changes: object) -> optuna.Study:
    sampler = BKOPSampler(seed=0, n_startup_trials=6)
    study = optuna.create_study(sampler=sampler, direction=direction, **changes)
    sign = 1.0 if direction == "minimize" else -1.0
    study.optimize(lambda trial: sign * objective(trial), n_trials=n_trials)
    return study


# --- the evaluator ---


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_evaluator_returns_the_certificate_in_units_or_relative(direction: str):
    study = study_of(15, direction)
    given = KNOWN | {"offset": 0.3 if direction == "minimize" else -0.3}
    expected = regret_certificate(study, **given)
    assert expected.is_certificate
    found = RegretCertificateEvaluator(**given).evaluate(study.trials, study.direction)
    assert found == pytest.approx(expected.gap[-1], rel=0.03)
    values = [trial.value for trial in study.trials]
    relative = RegretCertificateEvaluator(relative=True, **given)
    share = relative.evaluate(study.trials, study.direction)
    assert share == pytest.approx(found / np.ptp(values))


def test_estimates_are_searched_and_a_refuted_norm_certifies_nothing():
    study = study_of(15)
    estimate = RegretCertificateEvaluator().evaluate(study.trials, study.direction)
    assert estimate == pytest.approx(regret_certificate(study, certify=False).gap[-1])
    refuted = RegretCertificateEvaluator(**(KNOWN | {"rkhs_norm": 1e-3}))
    assert refuted.evaluate(study.trials, study.direction) == math.inf


def test_terminators_take_the_evaluator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # terminators are deprecated and experimental
        terminator = Terminator(RegretCertificateEvaluator(**KNOWN), StaticErrorEvaluator(0.02), 5)
        study = study_of()
        study.optimize(objective, n_trials=N_MOST, callbacks=[TerminatorCallback(terminator)])
    assert 5 <= len(study.trials) < N_MOST
    assert regret_certificate(study, **KNOWN).gap[-1] < 0.03
    assert study.best_value < 0.02


def test_long_studies_are_thinned_to_the_best_and_some_others():
    rng = np.random.default_rng(0)
    n = 2 * stopping._MAX_QUERIES
    q = Queries(rng.random((n, 2)), rng.random(n), np.arange(n), numbers=np.arange(n))
    thin = stopping._thinned(q)
    assert len(thin.y) == stopping._MAX_QUERIES
    assert set(np.sort(q.y)[-stopping._MAX_QUERIES // 2 :]) <= set(thin.y)
    assert thin.y.min() == q.y.min()
    np.testing.assert_array_equal(thin.X, q.X[thin.numbers])
    few = Queries(q.X[:9], q.y[:9], np.arange(9))
    np.testing.assert_array_equal(stopping._thinned(few).X, few.X)


def test_thinning_keeps_the_best_feasible_trial():
    rng = np.random.default_rng(0)
    n = 2 * stopping._MAX_QUERIES
    for feasible_rank in (3, 150, n - 2):
        y = rng.random(n)
        feasible = y <= np.sort(y)[-feasible_rank]
        q = Queries(rng.random((n, 2)), y, np.arange(n), feasible=feasible)
        thin = stopping._thinned(q)
        assert len(thin.y) == stopping._MAX_QUERIES
        assert thin.y[thin.feasible].max() == y[feasible].max()


def test_relative_to_equal_values_no_gap_is_small():
    study = study_of()
    study.optimize(lambda trial: objective(trial) * 0 + 0.3, n_trials=4)
    absolute = RegretCertificateEvaluator(**KNOWN).evaluate(study.trials, study.direction)
    assert 0 < absolute < math.inf
    relative = RegretCertificateEvaluator(relative=True, **KNOWN)
    assert relative.evaluate(study.trials, study.direction) == math.inf


# --- the callback ---


def test_a_study_stops_at_the_gap_and_not_before():
    study = study_of()
    callback = stop_when_certified(0.02, n_warmup_trials=3, **KNOWN)
    study.optimize(objective, n_trials=N_MOST, callbacks=[callback])
    n = len(study.trials)
    assert 3 <= n < N_MOST
    assert study.best_value <= 0.02
    assert callback.is_met(study)
    evaluator = RegretCertificateEvaluator(**KNOWN)
    assert evaluator.evaluate(study.trials, StudyDirection.MINIMIZE) <= 0.02
    assert evaluator.evaluate(study.trials[: n - 1], StudyDirection.MINIMIZE) > 0.02


@pytest.mark.parametrize("criterion", [{"relative": 0.01}, {"gap": 0.01}])
def test_estimates_stop_a_study_after_the_warmup(criterion: dict):
    study = study_of()
    study.optimize(objective, n_trials=N_MOST, callbacks=[stop_when_certified(**criterion)])
    assert 20 <= len(study.trials) < N_MOST
    assert study.best_value <= 0.01


def test_an_unreachable_gap_never_stops():
    study = study_of()
    study.optimize(objective, n_trials=25, callbacks=[stop_when_certified(1e-9)])
    assert len(study.trials) == 25
    refuted = stop_when_certified(1e9, n_warmup_trials=1, **(KNOWN | {"rkhs_norm": 1e-3}))
    study.optimize(objective, n_trials=3, callbacks=[refuted])
    assert len(study.trials) == 28


def test_equal_values_say_nothing():
    study = optuna.create_study(sampler=BKOPSampler(seed=0, n_startup_trials=3))
    callback = stop_when_certified(1.0, relative=0.5, n_warmup_trials=2)
    study.optimize(lambda trial: objective(trial) * 0 + 7, n_trials=6, callbacks=[callback])
    assert len(study.trials) == 6
    evaluator = RegretCertificateEvaluator(relative=True)
    assert evaluator.evaluate(study.trials, study.direction) == math.inf


def test_a_plateau_of_best_values_says_nothing():
    # An estimate uses the best third, and at least 20.
    X = np.random.default_rng(0).random((30, 2))
    space = {name: FloatDistribution(0, 1) for name in "xy"}
    study = optuna.create_study()
    for k, x in enumerate(X):
        params = dict(zip("xy", x.tolist(), strict=True))
        study.add_trial(create_trial(params=params, distributions=space, value=float(k > 21)))
    assert np.isinf(regret_certificate(study).gap).all()
    assert not stop_when_certified(relative=0.01).is_met(study)
    assert np.isfinite(regret_certificate(study, **KNOWN).gap[-1])


def test_threads_finish_what_they_run():
    study = study_of()
    callback = stop_when_certified(0.02, n_warmup_trials=3, **KNOWN)
    study.optimize(objective, n_trials=N_MOST, n_jobs=3, callbacks=[callback])
    assert len(study.trials) < N_MOST
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE}


def test_a_worker_stops_when_another_one_has_certified(monkeypatch: pytest.MonkeyPatch):
    study = study_of()
    callback = stop_when_certified(0.02, n_warmup_trials=3, **KNOWN)
    study.optimize(objective, n_trials=N_MOST, callbacks=[callback])
    n = len(study.trials)
    monkeypatch.setattr(stopping.StopWhenCertified, "is_met", lambda self, study: False)
    study.optimize(objective, n_trials=5, callbacks=[callback])
    assert len(study.trials) == n + 1
    # Another criterion is not met by what was certified.
    other = stop_when_certified(0.01, n_warmup_trials=3, **KNOWN)
    study.optimize(objective, n_trials=2, callbacks=[other])
    assert len(study.trials) == n + 3


def work(storage: str) -> None:
    study = optuna.load_study(study_name=STUDY, storage=storage, sampler=BKOPSampler(seed=0))
    callback = stop_when_certified(0.02, n_warmup_trials=3, **KNOWN)
    study.optimize(objective, n_trials=N_MOST, callbacks=[callback])


def test_every_process_stops_and_none_loses_a_trial(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    study = optuna.create_study(study_name=STUDY, storage=storage)
    workers = [CONTEXT.Process(target=work, args=(storage,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    trials = study.get_trials()
    assert {trial.state for trial in trials} == {TrialState.COMPLETE}
    # No process needed all of its trials, and all stopped soon after the first one.
    assert len(trials) < N_MOST
    assert study.user_attrs[stopping._KEY] == "gap=0.02 relative=None"


# --- arguments ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "One of `gap` and `relative` must be given"),
        ({"gap": 0.0}, "`gap` must be a positive"),
        ({"relative": -1.0}, "`relative` must be a positive"),
        ({"gap": 1.0, "n_warmup_trials": 0}, "`n_warmup_trials` must be a positive integer"),
    ],
)
def test_bad_arguments_are_named(arguments: dict, message: str):
    with pytest.raises(ValueError, match=message):
        stop_when_certified(**arguments)


def test_unknown_premises_are_refused():
    with pytest.raises(TypeError, match="`colour` must be one of rkhs_norm, kernel, noise_var"):
        stop_when_certified(1.0, colour="red")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rkhs_norm": -1.0}, "`rkhs_norm` must be a non-negative finite number, got -1.0"),
        ({"noise_var": math.nan}, "`noise_var` must be a non-negative finite number, got nan"),
        ({"perturbation_norm": None}, "`perturbation_norm` must be a non-negative"),
        ({"offset": math.inf}, "`offset` must be a finite number, got inf"),
        ({"form": "loose"}, "`form` must be one of sharp, paper, got 'loose'"),
        ({"kernel": "se"}, "`kernel` must be a function of two arrays, got 'se'"),
        ({"kernel": KNOWN["kernel"], "perturbation_norm": 1.0}, "`noise_var` must be given"),
    ],
)
def test_bad_premises_are_named_before_the_study_begins(given: dict, message: str):
    with pytest.raises(ValueError, match=message):
        stop_when_certified(1.0, **given)
    with pytest.raises(ValueError, match=message):
        RegretCertificateEvaluator(**given)


def test_the_evaluators_relative_is_no_threshold():
    with pytest.raises(ValueError, match=r"`relative` must be True or False, got 0\.01"):
        RegretCertificateEvaluator(relative=0.01)


def test_several_objectives_are_refused_after_the_first_trial():
    study = optuna.create_study(directions=["minimize", "minimize"])
    with pytest.raises(ValueError, match="one objective is needed, got 2"):
        study.optimize(
            lambda trial: (objective(trial), 1.0),
            n_trials=3,
            callbacks=[stop_when_certified(relative=0.01)],
        )
    assert len(study.trials) == 1


def test_a_study_without_values_goes_on():
    study = optuna.create_study()
    study.optimize(lambda trial: math.inf, n_trials=3)
    assert not stop_when_certified(1.0, n_warmup_trials=1).is_met(study)
