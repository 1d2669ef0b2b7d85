"""Mutants that remove a mechanism of how batches are chosen."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant

_BATCH = "optuna_bkop/_batch"
_TESTS = "tests/optuna_bkop/batch"


def _mutant(name: str, file: str, text: str, replacement: str, tests: str) -> Mutant:
    return Mutant(name, f"{_BATCH}/{file}", text, replacement, (f"{_TESTS}/{tests}",))


CHOICES: tuple[Mutant, ...] = (
    _mutant(
        "no trust box",
        "problem.py",
        "if settings.trust_margin is None:",
        "if True:",
        "test_problem.py",
    ),
    _mutant(
        "trust box does not widen",
        "problem.py",
        " * 2.0 ** min(n_since_best / _PATIENCE, 30.0)",
        "",
        "test_problem.py",
    ),
    _mutant(
        "no larger norm at ties",
        "problem.py",
        "return fitted.settings.rkhs_norm * math.pow(2.0, doublings)",
        "return fitted.settings.rkhs_norm",
        "test_strategies.py",
    ),
    _mutant(
        "held points ignored",
        "problem.py",
        "models=tuple(model.hold(F_held) for model in fitted.models),",
        "models=fitted.models,",
        "test_problem.py",
    ),
    _mutant(
        "points of the same batch not held",
        "problem.py",
        "models=tuple(model.hold(F) for model in self.models),",
        "models=self.models,",
        "test_problem.py",
    ),
    Mutant(
        "feasibility not in the acquisition",
        f"{_BATCH}/problem.py",
        "form, self.feasibility)",
        "form)",
        ("tests/optuna_bkop/test_constraints.py",),
    ),
    _mutant(
        "batch chosen point by point",
        "strategies.py",
        "more = maximize(rest, rest.acquisition(), q - len(batch), rng=rng)",
        "more = maximize(rest, rest.acquisition(), 1, rng=rng)",
        "test_strategies.py",
    ),
    _mutant(
        "copies within a batch",
        "filling.py",
        "if not (correlation[i, rows] > COPY).any():",
        "if True:",
        "test_strategies.py",
    ),
    _mutant(
        "maximised jointly until a batch is complete",
        "strategies.py",
        "n_joint + q - len(batch) <= max_joint",
        "True",
        "test_filling.py",
    ),
    _mutant(
        "filled with copies of the batch",
        "filling.py",
        "    successors.close(domain.features(batch))\n",
        "",
        "test_filling.py",
    ),
    _mutant(
        "points that became copies stay",
        "filling.py",
        "np.where(is_apart[:, None], climbed, start)",
        "climbed",
        "test_filling.py",
    ),
    _mutant(
        "successors not given the points before",
        "successor_scores.py",
        "self._variance - row[:, 0] ** 2",
        "self._variance",
        "test_acquisition.py",
    ),
    _mutant(
        "the detailed reading chooses no points",
        "strategies.py",
        "np.full(q, bool(problem.detailed))",
        "np.full(q, False)",
        "test_strategies.py",
    ),
    _mutant(
        "the readings do not know of each other's points",
        "strategies.py",
        "_jointly(reading.hold(batch[is_chosen])",
        "_jointly(reading",
        "test_strategies.py",
    ),
    _mutant(
        "no turns of other branches",
        "strategies.py",
        "np.flatnonzero((numbers + 1) % BRANCHING == 0)",
        "()",
        "test_strategies.py",
    ),
    _mutant(
        "other branches stay in the trust box",
        "branches.py",
        "        lower=np.zeros(domain.dim),\n        upper=np.ones(domain.dim),\n",
        "",
        "test_strategies.py",
    ),
    _mutant(
        "taken points chosen again",
        "strategies.py",
        "return distinct(batch, problem.taken, fitted.domain, rng)",
        "return batch",
        "test_strategies.py",
    ),
    _mutant(
        "exploration leaves the relevant region",
        "strategies.py",
        "exploration = Exploration(rest.models, region, threshold)",
        "exploration = Exploration(rest.models, region, -1e9)",
        "test_strategies.py",
    ),
    _mutant(
        "no discrete moves",
        "search.py",
        "        batch = climb_from(batch, _MORE_STEPS)\n"
        "        batch = improve_discrete(acquisition, domain.snap(batch), domain)\n",
        "        batch = domain.snap(batch)\n",
        "test_search.py",
    ),
    _mutant(
        "no final climb",
        "search.py",
        "return climb_from(batch, _LAST_STEPS, _EXACTLY, fixed=domain.is_discrete)",
        "return batch",
        "test_search.py",
    ),
    _mutant(
        "deviation of the sum not subtracted",
        "joint_value.py",
        "rkhs_norm * (spread - root_total / q)",
        "rkhs_norm * spread",
        "test_acquisition.py",
    ),
    _mutant(
        "startup without Algorithm 7",
        "startup.py",
        'lattice = build("alg7", n_points, dim, n_primes=_N_PRIMES)',
        'lattice = build("alg6", n_points, dim, n_primes=1)',
        "test_startup.py",
    ),
    _mutant(
        "lattice walked in its own order",
        "startup.py",
        "return cls(lattice, _farthest_first(lattice))",
        "return cls(lattice, np.arange(n_points))",
        "test_startup.py",
    ),
    _mutant(
        "strides near simple fractions",
        "startup.py",
        "    stride = _GOLDEN\n    for k in range(_N_QUOTIENTS):\n",
        '    stride = 0.25 + 0.5 * derived_uniform(root, "a", name)\n    for k in range(0):\n',
        "test_startup.py",
    ),
)
