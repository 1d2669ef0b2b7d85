"""Mutants that read a study wrongly, or skip a step of one ask."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant

_HISTORY = ("tests/optuna_bkop/study/test_history.py",)
_ROUNDS = ("tests/optuna_bkop/coordination/test_rounds.py",)
_CURVES = ("tests/optuna_bkop/study/test_learning_curves.py",)
_SNAPSHOT = ("tests/optuna_bkop/study/test_snapshot.py",)
_SAMPLER = ("tests/optuna_bkop/test_sampler.py",)


STUDIES: tuple[Mutant, ...] = (
    Mutant(
        "pruned trials tell nothing",
        "optuna_bkop/_study/history.py",
        "    if not is_complete.any():\n",
        "    if True:\n",
        _HISTORY,
    ),
    Mutant(
        "pruned trials may be better than the median",
        "optuna_bkop/_study/learning_curves.py",
        "return sign * np.minimum(estimates, median)",
        "return sign * estimates",
        _CURVES,
    ),
    Mutant(
        "only the last report tells",
        "optuna_bkop/_study/learning_curves.py",
        "columns = columns if known.sum() >= _MIN_COMPLETE else [LAST]",
        "columns = [LAST]",
        _CURVES,
    ),
    Mutant(
        "reports on their own scale",
        "optuna_bkop/_study/learning_curves.py",
        "slope = spread_v / spread_r if spread_r > 0 else 0.0",
        "slope = 1.0",
        _CURVES,
    ),
    Mutant(
        "brackets of Hyperband apart",
        "optuna_bkop/_study/trial_cache.py",
        "return Study.get_trials(study, deepcopy=False)",
        "return study.get_trials(deepcopy=False)",
        _SNAPSHOT,
    ),
    Mutant(
        "failed trials do not count for the startup",
        "optuna_bkop/_suggest.py",
        "n_finished = n_known + len(snapshot.ended)\n    return",
        "n_finished = n_known\n    return",
        _SAMPLER,
    ),
    Mutant(
        "studies of one name are copies",
        "optuna_bkop/_study/trial_cache.py",
        "return trial.datetime_start.isoformat()",
        'return ""',
        ("tests/optuna_bkop/test_reproducibility.py",),
    ),
    Mutant(
        "a place is kept for an enqueued trial",
        "optuna_bkop/_coordination/plan.py",
        "return bool(fixed_params(trial)) and not",
        "return False and not",
        _SAMPLER,
    ),
    Mutant(
        "points of enqueued trials not held",
        "optuna_bkop/_study/enqueued.py",
        "    if fixed:\n",
        "    if False:\n",
        _SAMPLER,
    ),
    Mutant(
        "an enqueued trial takes a point of the plan",
        "optuna_bkop/_suggest.py",
        "if snapshot.u_enqueued is not None:",
        "if False:",
        _SAMPLER,
    ),
    Mutant(
        "studies of one name in two storages confused",
        "optuna_bkop/_study/trial_cache.py",
        "return weakref.ref(study._storage), study._study_id",
        "return study.study_name",
        _HISTORY,
    ),
    Mutant(
        "only one exhausted study of a sampler named",
        "optuna_bkop/_suggest.py",
        "study_key(study) in memory.exhausted",
        "memory.exhausted",
        _SAMPLER,
    ),
    Mutant(
        "the widest ranges overflow",
        "optuna_bkop/_study/unit_cube.py",
        "x = low + u * (high - low) if math.isfinite(high - low) else (1.0 - u) * low + u * high",
        "x = low + u * (high - low)",
        _SAMPLER,
    ),
    Mutant(
        "constraints of a function ignored",
        "optuna_bkop/sampler.py",
        "if self._constraints_func is not None and state in _WITH_CONSTRAINTS:",
        "if False:",
        ("tests/optuna_bkop/test_constraints.py",),
    ),
    Mutant(
        "conditions of branches not found",
        "optuna_bkop/_study/snapshot.py",
        "domain = Domain(cube.parameters, find_conditions(history.U, cube.parameters))",
        "domain = Domain(cube.parameters)",
        _SNAPSHOT,
    ),
    Mutant(
        "plans do not depend on the values",
        "optuna_bkop/_study/snapshot.py",
        "cube.signature, study.study_name, history.values.tobytes()",
        "cube.signature, study.study_name",
        _SNAPSHOT,
    ),
    Mutant(
        "startup ends without half of its values",
        "optuna_bkop/_suggest.py",
        "n_known == 0 or n_finished < n_startup // 2 or",
        "n_known == 0 or",
        _SAMPLER,
    ),
    Mutant(
        "points of running trials not held",
        "optuna_bkop/_coordination/view.py",
        "U_held=np.vstack([U_running, U_free, U_spare, U_lost])",
        "U_held=np.vstack([U_free, U_spare, U_lost])",
        _ROUNDS,
    ),
    Mutant(
        "free points not held for others",
        "optuna_bkop/_coordination/view.py",
        "U_held=np.vstack([U_running, U_free, U_spare, U_lost])",
        "U_held=np.vstack([U_running, U_spare, U_lost])",
        _ROUNDS,
    ),
    Mutant(
        "lost points not held",
        "optuna_bkop/_coordination/view.py",
        "U_held=np.vstack([U_running, U_free, U_spare, U_lost])",
        "U_held=np.vstack([U_running, U_free, U_spare])",
        _ROUNDS,
    ),
    Mutant(
        "failed points not modelled",
        "optuna_bkop/_suggest.py",
        "history.constraints, view.U_failed\n",
        "history.constraints, view.U_failed[:0]\n",
        ("tests/optuna_bkop/test_constraints.py",),
    ),
    Mutant(
        "turns of branches follow the trials with values alone",
        "optuna_bkop/_suggest.py",
        "n_before = n_finished + len(view.U_running) + len(view.U_free)",
        "n_before = len(snapshot.history)",
        _SAMPLER,
    ),
    Mutant(
        "taken lattice points suggested again",
        "optuna_bkop/_suggest.py",
        "return distinct(domain.snap(np.array(U)), taken, domain, rng)",
        "return domain.snap(np.array(U))",
        _SAMPLER,
    ),
    Mutant(
        "models of another study used",
        "optuna_bkop/_suggest.py",
        "key = (snapshot.fingerprint, *(array.tobytes() for array in data))",
        "key = (len(snapshot.history),)",
        _SAMPLER,
    ),
    Mutant(
        "a batch of NaN suggested",
        "optuna_bkop/_suggest.py",
        "if not np.isfinite(U).all():",
        "if False:",
        _SAMPLER,
    ),
    Mutant(
        "failures of the model not counted",
        "optuna_bkop/_suggest.py",
        "    memory.n_fallbacks += 1\n",
        "",
        _SAMPLER,
    ),
    Mutant(
        "trials of another study remembered",
        "optuna_bkop/_study/trial_cache.py",
        "if row < len(self._trials) and _is_same(self._trials[row], trial):",
        "if row < len(self._trials):",
        _HISTORY,
    ),
    Mutant(
        "inactive parameters have an effect",
        "optuna_bkop/_domain.py",
        "F = np.where(active, U, 0.5)[:, self.groups]",
        "F = np.nan_to_num(U, nan=0.5)[:, self.groups]",
        ("tests/optuna_bkop/test_domain.py",),
    ),
    Mutant(
        "choices not as far apart as the ends of a range",
        "optuna_bkop/_domain.py",
        "_INDICATOR = math.sqrt(0.5)",
        "_INDICATOR = 1.0",
        ("tests/optuna_bkop/test_domain.py",),
    ),
)
