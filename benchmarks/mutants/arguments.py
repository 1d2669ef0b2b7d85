"""Mutants that ignore one argument of `BKOPSampler` each: the default is used in its place."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant

_TESTS = ("tests/optuna_bkop/test_arguments.py",)


def _ignored(argument: str, text: str, replacement: str) -> Mutant:
    name = f"argument {argument} ignored"
    return Mutant(name, "optuna_bkop/sampler.py", text, replacement, _TESTS)


def _option(argument: str, given: str | None = None) -> Mutant:
    text = f"{argument}={given or argument},"
    return _ignored(argument, text, f"{argument}=DEFAULTS.{argument},")


def _setting(argument: str, given: str | None = None) -> Mutant:
    text = f"{argument}={given or argument},"
    return _ignored(argument, text, f"{argument}=_DEFAULT.{argument},")


ARGUMENTS: tuple[Mutant, ...] = (
    _option("batch_size"),
    _option("n_startup_trials"),
    Mutant(
        "argument reference_point ignored",
        "optuna_bkop/sampler.py",
        "            reference_point=reference_point,\n",
        "",
        ("tests/optuna_bkop/test_objectives.py",),
    ),
    _ignored(
        "search_space",
        "self._search_space = None if search_space is None else checked_space(search_space)",
        "self._search_space = None",
    ),
    _setting("strategy"),
    _setting("acquisition_form"),
    _setting("maximizer"),
    _setting("cma_evaluations"),
    _setting("kernel"),
    _setting("rkhs_norm", "float(rkhs_norm)"),
    _setting("noise_var"),
    _setting("warping"),
    _setting("length_scale_factors", "factors"),
    _setting("prior_mean", "float(prior_mean)"),
    _setting("trust_margin"),
    _option("stale_after", "float(stale_after)"),
    _ignored(
        "independent_sampler",
        "self._independent_sampler = independent_sampler",
        "self._independent_sampler = None",
    ),
    _ignored(
        "warn_independent_sampling",
        "self._warn_independent_sampling = warn_independent_sampling",
        "self._warn_independent_sampling = True",
    ),
    _ignored("seed", "self._seed = seed", "self._seed = None"),
)
