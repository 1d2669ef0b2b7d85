"""Mutants that remove a mechanism of several objectives."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant

_BATCH, _MODEL = "optuna_bkop/_batch", "optuna_bkop/_model"
_FRONT = ("tests/optuna_bkop/batch/test_front.py",)
_STUDIES = ("tests/optuna_bkop/test_objectives.py",)
_MODELS = ("tests/optuna_bkop/model/test_objectives.py",)
_BEND = ("tests/optuna_bkop/model/test_bend.py",)


OBJECTIVES: tuple[Mutant, ...] = (
    Mutant(
        "no directed points",
        f"{_BATCH}/front.py",
        "return number % period == period - 1",
        "return False",
        _FRONT,
    ),
    Mutant(
        "as many directed points on every problem",
        f"{_BATCH}/front.py",
        "period = _DIRECTED if 2 * n_entered >= _RECENT else 2",
        "period = _DIRECTED",
        _FRONT,
    ),
    Mutant(
        "no direction of one objective",
        f"{_BATCH}/front.py",
        "if number % 2 and number // 2 % 2 == number // 4 % 2:",
        "if False:",
        _FRONT,
    ),
    Mutant(
        "optimistic vectors not on the front",
        f"{_BATCH}/front.py",
        "boxes=self.boxes.below(optimistic),",
        "",
        _FRONT,
    ),
    Mutant(
        "points of a batch on the front not held",
        f"{_BATCH}/front.py",
        "            problem = problem.hold(u)\n",
        "",
        _FRONT,
    ),
    Mutant(
        "no box around the front",
        f"{_BATCH}/front.py",
        "            lower=lower,\n            upper=upper,\n",
        "            lower=np.zeros(domain.dim),\n            upper=np.ones(domain.dim),\n",
        _FRONT,
    ),
    Mutant(
        "front box contains the best tenth only",
        f"{_BATCH}/front.py",
        "        data.n_front,\n        fitted.n_since_entrant,",
        "        1,\n        fitted.n_since_entrant,",
        _FRONT,
    ),
    Mutant(
        "feasibility not in the improvement",
        f"{_BATCH}/front.py",
        "return FrontImprovement(self.models, self.boxes, self.feasibility)",
        "return FrontImprovement(self.models, self.boxes)",
        _FRONT,
    ),
    Mutant(
        "boxes split in one objective only",
        f"{_BATCH}/boxes.py",
        "for k in reversed(range(len(point))):",
        "for k in [len(point) - 1]:",
        ("tests/optuna_bkop/batch/test_boxes.py",),
    ),
    Mutant(
        "large fronts not thinned",
        f"{_BATCH}/boxes.py",
        "while len(kept) > n_most:",
        "while False:",
        ("tests/optuna_bkop/batch/test_boxes.py",),
    ),
    Mutant(
        "deviation not in the gradient of the improvement",
        f"{_BATCH}/improvement.py",
        "weights = ensemble.alpha[0] * by_mean - W * by_std",
        "weights = ensemble.alpha[0] * by_mean",
        ("tests/optuna_bkop/batch/test_improvement.py",),
    ),
    Mutant(
        "poor values of an objective not bent",
        f"{_MODEL}/bend.py",
        "bent = np.where(t <= 1.0, -t, -1.0 - np.log(np.maximum(t, 1.0)))",
        "bent = -t",
        _BEND,
    ),
    Mutant(
        "knee of the bend not at the front",
        f"{_MODEL}/bend.py",
        "ends = [max(float(of_front.min(initial=best)), quantile), quantile, lowest]",
        "ends = [quantile, lowest]",
        _BEND,
    ),
    Mutant(
        "lucky values on the front",
        f"{_MODEL}/objectives.py",
        "return means[nondominated(means)]",
        "return self.data.Y[self.data.order[: self.data.n_front]]",
        _FRONT,
    ),
    Mutant(
        "main effects not in the gradient of the improvement",
        f"{_BATCH}/improvement.py",
        "if ensemble.effects is not None:",
        "if False:",
        ("tests/optuna_bkop/batch/test_improvement.py",),
    ),
    Mutant(
        "main effects not in the gradient of the joint acquisition",
        f"{_BATCH}/joint_value.py",
        "gradients += pull / len(values)",
        "pass",
        ("tests/optuna_bkop/batch/test_acquisition.py",),
    ),
    Mutant(
        "no main effects of objectives",
        f"{_MODEL}/objectives.py",
        "main_effects=True,",
        "main_effects=False,",
        _MODELS,
    ),
    Mutant(
        "no detail of objectives",
        f"{_MODEL}/objectives.py",
        "detailed=settings.detail,",
        "detailed=False,",
        _MODELS,
    ),
    Mutant(
        "infeasible trials on the front",
        f"{_MODEL}/objectives.py",
        "        feasible = is_feasible(constraints)\n",
        "        feasible = np.full(len(U), True)\n",
        _FRONT,
    ),
    Mutant(
        "reference point ignored",
        f"{_MODEL}/objectives.py",
        "if reference_point is not None:",
        "if False:",
        _STUDIES,
    ),
    Mutant(
        "reference point with the wrong sign",
        "optuna_bkop/_study/directions.py",
        "return np.where(maximize, given, np.negative(given))",
        "return np.array(given, dtype=float)",
        _STUDIES,
    ),
    Mutant(
        "directions ignored",
        "optuna_bkop/_study/directions.py",
        "return [direction == StudyDirection.MAXIMIZE for direction in study.directions]",
        "return [False for _ in study.directions]",
        _STUDIES,
    ),
    Mutant(
        "violation not looked at while nothing is feasible",
        "optuna_bkop/_suggest.py",
        "values.shape[1] > 1 and bool(is_feasible(constraints).any())",
        "values.shape[1] > 1",
        _STUDIES,
    ),
)
