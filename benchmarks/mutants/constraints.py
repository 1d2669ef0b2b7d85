"""Mutants that remove a mechanism of constraints and of failed trials."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant, mutant_of

_MODEL = "optuna_bkop/_model"
_FITTED = (f"{_MODEL}/fitted.py", ("tests/optuna_bkop/model/test_fitted.py",))
_FEASIBILITY = (
    f"{_MODEL}/feasibility_models.py",
    ("tests/optuna_bkop/model/test_fitted.py",),
)
_TRAINING_SET = (
    f"{_MODEL}/training_set.py",
    ("tests/optuna_bkop/model/test_training_set.py",),
)
_STUDIES = ("tests/optuna_bkop/test_constraints.py",)


CONSTRAINTS: tuple[Mutant, ...] = (
    mutant_of(
        "infeasible values set the scale",
        _TRAINING_SET,
        "warp(limited(values, feasible), warping)",
        "warp(values, warping)",
    ),
    Mutant(
        "infeasible values set the scale of an objective",
        f"{_MODEL}/objectives.py",
        "np.column_stack([limited(column, feasible) for column in values.T])",
        "values",
        ("tests/optuna_bkop/model/test_objectives.py",),
    ),
    mutant_of(
        "infeasible values set the limit of infeasible values",
        _TRAINING_SET,
        "if len(usable) >= _ENOUGH else 0.0",
        "if False else 0.0",
    ),
    mutant_of(
        "infeasible trials decide",
        _FITTED,
        "n == len(U) or is_feasible(constraints[:n]).any() != data.feasible.any()",
        "n == len(U)",
    ),
    mutant_of(
        "every trial decides while nothing is feasible",
        _FITTED,
        "is_feasible(constraints[:n]).any() != data.feasible.any()",
        "not is_feasible(constraints[:n]).any()",
    ),
    mutant_of(
        "constraints fitted as often as values",
        _FITTED,
        "decisive_of(CONSTRAINT_SHARE)",
        "decisive",
    ),
    mutant_of(
        "constraints fitted rarely while nothing is feasible",
        _FITTED,
        "decisive_of(CONSTRAINT_SHARE) if data.feasible.any() else decisive",
        "decisive_of(CONSTRAINT_SHARE)",
    ),
    mutant_of(
        "constraints fitted to trials that meet them",
        _FEASIBILITY,
        "source = decisive if (decisive.constraints[:, j] > 0).any() else data",
        "source = decisive",
    ),
    mutant_of("feasible trials do not come first", _TRAINING_SET, "(-y, ~feasible)", "(-y,)"),
    Mutant(
        "smaller violations not sought while nothing is feasible",
        f"{_MODEL}/training_set.py",
        "        if feasible.any():\n",
        "        if True:\n",
        _STUDIES,
    ),
    Mutant(
        "no models of constraints",
        f"{_MODEL}/feasibility_models.py",
        "enumerate(data.constraints.T)",
        "enumerate(())",
        _STUDIES,
    ),
    Mutant(
        "no models of constraints while nothing is feasible",
        f"{_MODEL}/feasibility_models.py",
        "enumerate(data.constraints.T)",
        "enumerate(data.constraints.T if data.feasible.any() else ())",
        _STUDIES,
    ),
    Mutant(
        "no model of failures",
        f"{_MODEL}/feasibility_models.py",
        "    if not len(F_failed):\n",
        "    if True:\n",
        _STUDIES,
    ),
    Mutant(
        "accidents count as failures",
        f"{_MODEL}/feasibility_models.py",
        "prior_mean=_SUCCESS, prior=_FAILURE_PRIOR)",
        "prior_mean=_SUCCESS, prior=Prior(noise_ratio=1e-6, noise_width=0.1))",
        _STUDIES,
    ),
    Mutant(
        "a model of failures whatever they depend on",
        f"{_MODEL}/feasibility_models.py",
        "if _predicts(success, y) else []",
        "if True else []",
        _STUDIES,
    ),
    Mutant(
        "a failure counts though the point succeeded later",
        f"{_MODEL}/feasibility_models.py",
        "_never_succeeded(U_failed, U, domain)\n    return",
        "U_failed\n    return",
        _STUDIES,
    ),
)
