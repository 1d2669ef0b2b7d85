"""Mutants of the regret certificate, of stopping by it, and of the plots."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant

_THEORY = "optuna_bkop/_theory"
_TESTS = (
    "tests/optuna_bkop/theory/test_posterior.py",
    "tests/optuna_bkop/theory/test_region.py",
    "tests/optuna_bkop/theory/test_compression.py",
    "tests/optuna_bkop/regret/test_certificate.py",
)
_STOPPING = ("tests/optuna_bkop/test_stopping.py",)
_PLOTS = ("tests/optuna_bkop/plots/test_plots.py",)


def _stopping(name: str, text: str, replacement: str) -> Mutant:
    return Mutant(name, "optuna_bkop/stopping.py", text, replacement, _STOPPING)


CERTIFICATES: tuple[Mutant, ...] = (
    Mutant(
        "box bounds without remainder",
        f"{_THEORY}/posterior.py",
        "np.minimum(apart, tangent) + remainder",
        "np.minimum(apart, tangent)",
        _TESTS,
    ),
    Mutant(
        "fourth derivative too small",
        f"{_THEORY}/posterior.py",
        '"matern52": 25.0',
        '"matern52": 5.0',
        _TESTS,
    ),
    Mutant(
        "settled boxes forgotten",
        f"{_THEORY}/branch_and_bound.py",
        "settled = max(settled, float",
        "settled = max(-math.inf, float",
        _TESTS,
    ),
    Mutant(
        "certificate by the value found",
        f"{_THEORY}/certificate.py",
        "[found.upper + p.bias, best]",
        "[found.lower + p.bias, best]",
        _TESTS,
    ),
    Mutant(
        "infeasible trials as the best",
        f"{_THEORY}/certificate.py",
        "np.where(feasible[part], lowest, -math.inf)",
        "lowest",
        _TESTS,
    ),
    Mutant(
        "inactive choices outside of the region",
        f"{_THEORY}/region.py",
        "features if j in domain.conditions else features[:-1]",
        "features[:-1]",
        _TESTS,
    ),
    Mutant(
        "offset with the wrong sign",
        "optuna_bkop/regret/certificate.py",
        "offset=-offset",
        "offset=+offset",
        _TESTS,
    ),
    Mutant(
        "estimates without compression",
        "optuna_bkop/regret/estimates.py",
        "compression = Compression.of(queries.y)",
        "pass",
        _TESTS,
    ),
    Mutant(
        "estimates from all queries",
        f"{_THEORY}/certificate.py",
        "best_part(y, feasible) if self.best_only else np.arange(len(y))",
        "np.arange(len(y))",
        _TESTS,
    ),
    Mutant(
        "best feasible query left out",
        f"{_THEORY}/queries.py",
        "if feasible is not None and feasible.any():",
        "if False:",
        _TESTS,
    ),
    _stopping(
        "stop of another worker ignored",
        "if study.user_attrs.get(_KEY) == self._criterion:",
        "if False:",
    ),
    _stopping("stop by a refuted norm", "if certificate.is_refuted else", "if False else"),
    Mutant(
        "equal values certify",
        "optuna_bkop/regret/certificate.py",
        "np.ptp(used) == 0",
        "False",
        _STOPPING,
    ),
    _stopping("thinning without the best feasible", "chosen[n_best] = first", "pass"),
    _stopping(
        "relative to equal values in units", "range > 0 else math.inf", "range > 0 else gap"
    ),
    _stopping("premises ignored", "n_warmup_trials, Given.of(given)", "n_warmup_trials, Given()"),
    Mutant(
        "measured regret of infeasible trials",
        "optuna_bkop/plots/_contents.py",
        "if is_feasible(trial) else math.inf",
        "",
        _PLOTS,
    ),
    _stopping("stop before the warm-up", "if n_finished < self.n_warmup_trials:", "if False:"),
    _stopping("relative gap in units", "gap / value_range if", "gap if"),
    Mutant(
        "slices without trials",
        "optuna_bkop/plots/_plotly.py",
        '_add_points(figure, panel.trials, "trials", dot, **place)',
        "pass",
        _PLOTS,
    ),
    Mutant(
        "slices in the wrong direction",
        "optuna_bkop/plots/_slices.py",
        "else (-ends[0], -ends[2], -ends[1])",
        "else (ends[0], ends[1], ends[2])",
        _PLOTS,
    ),
    Mutant(
        "an estimate called a certificate",
        "optuna_bkop/plots/_contents.py",
        '"certificate" if found.is_certificate else "estimate"',
        '"certificate"',
        _PLOTS,
    ),
)
