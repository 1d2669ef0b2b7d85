"""Mutants of how plans are shared when planning does not keep pace with results."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant

_TESTS = ("tests/optuna_bkop/coordination/test_pace.py",)


def _mutant(name: str, file: str, text: str, replacement: str) -> Mutant:
    return Mutant(name, f"optuna_bkop/_coordination/{file}", text, replacement, _TESTS)


PACE: tuple[Mutant, ...] = (
    _mutant(
        "a process uses its own older plans",
        "pace.py",
        "return text != self.text and self.is_of_same_study(text)",
        "return self.is_of_same_study(text)",
    ),
    _mutant(
        "older plans of a copied study used",
        "pace.py",
        'return text.partition(":")[0] == self.study',
        "return True",
    ),
    _mutant(
        "older plans used although planning is fast",
        "pace.py",
        "if cost <= _SHARE * evaluation:",
        "if False:",
    ),
    _mutant(
        "plans of any age used",
        "pace.py",
        "1 <= n_finished - newest.known <= _MAX_AGE * n_running",
        "1 <= n_finished - newest.known",
    ),
    _mutant(
        "older plans used after a round is over",
        "pace.py",
        "if is_usable and not is_round_over else",
        "if is_usable else",
    ),
    _mutant(
        "the next plan made only when none is left",
        "pace.py",
        "n_reserve=n_meanwhile",
        "n_reserve=0",
    ),
    _mutant(
        "no waiting for the plan of another trial",
        "pace.py",
        "wait=cost / _LOOKS if waited < patience else 0.0",
        "wait=0.0",
    ),
    _mutant(
        "waiting for a dead trial",
        "pace.py",
        "wait=cost / _LOOKS if waited < patience else 0.0",
        "wait=cost / _LOOKS if place else 0.0",
    ),
    _mutant(
        "points that others still use not held",
        "view.py",
        "np.vstack([U_running, U_free, U_spare, U_lost])",
        "np.vstack([U_running, U_free, U_lost])",
    ),
    _mutant(
        "older plans never used",
        "view.py",
        "if pace.older and len(plan.free) <= plan.place:",
        "if False:",
    ),
    _mutant(
        "evaluated points of older plans offered again",
        "view.py",
        "older = _without_evaluated(plan_of(trials, fingerprint=pace.older), snapshot)",
        "older = plan_of(trials, fingerprint=pace.older)",
    ),
    Mutant(
        "no points in advance",
        "optuna_bkop/_suggest.py",
        "q = n_needed + view.n_ahead - len(view.U_free)",
        "q = n_needed - len(view.U_free)",
        _TESTS,
    ),
    _mutant(
        "only the first trial makes the next plan",
        "pace.py",
        "else n_left == self.n_reserve > 0",
        "else False",
    ),
    _mutant(
        "the trial that makes the next plan waits for it",
        "view.py",
        "wait = 0.0 if is_planner else pace.wait",
        "wait = pace.wait",
    ),
    Mutant(
        "plans are made with all care under pressure",
        "optuna_bkop/_suggest.py",
        "            if view.n_ahead:\n                fitted = _hasty(fitted)\n",
        "",
        _TESTS,
    ),
    Mutant(
        "all plans are made in haste",
        "optuna_bkop/_suggest.py",
        "if view.n_ahead:",
        "if True:",
        _TESTS,
    ),
)
