"""Mutants that remove a mechanism of the kernel models."""

from __future__ import annotations

from benchmarks.mutants.mutant import Mutant, mutant_of

_MODEL = "optuna_bkop/_model"
_FIT = (f"{_MODEL}/fit.py", ("tests/optuna_bkop/model/test_fit.py",))
_LIKELIHOOD = (f"{_MODEL}/likelihood.py", ("tests/optuna_bkop/model/test_fit.py",))
_PRIOR = (f"{_MODEL}/prior.py", ("tests/optuna_bkop/model/test_fit.py",))
_EFFECTS = (f"{_MODEL}/main_effects.py", ("tests/optuna_bkop/model/test_main_effects.py",))
_FITTED = (f"{_MODEL}/fitted.py", ("tests/optuna_bkop/model/test_fitted.py",))
_CONDITIONED = (f"{_MODEL}/conditioned.py", ("tests/optuna_bkop/model/test_fitted.py",))
_KERNELS = (f"{_MODEL}/kernels.py", ("tests/optuna_bkop/model/test_kernels.py",))
_CHART = (f"{_MODEL}/chart.py", ("tests/optuna_bkop/model/test_chart.py",))
_NEIGHBOURHOOD = (
    f"{_MODEL}/neighbourhood.py",
    ("tests/optuna_bkop/model/test_neighbourhood.py",),
)
_KERNEL_MODEL = (
    f"{_MODEL}/kernel_model.py",
    ("tests/optuna_bkop/model/test_kernel_model.py",),
)
_TRAINING_SET = (
    f"{_MODEL}/training_set.py",
    ("tests/optuna_bkop/model/test_training_set.py",),
)
_WARPING = (f"{_MODEL}/warping.py", ("tests/optuna_bkop/model/test_warping.py",))


MODELS: tuple[Mutant, ...] = (
    Mutant(
        "model raises on every call",
        f"{_MODEL}/fitted.py",
        "    cache = FitCache() if cache is None else cache\n",
        '    raise RuntimeError("broken on purpose")\n',
        ("tests/optuna_bkop/test_conformance.py",),
    ),
    mutant_of(
        "one length scale instead of an ensemble",
        _FITTED,
        "for factor in settings.length_scale_factors\n",
        "for factor in (1.0,)\n",
    ),
    mutant_of(
        "no prior mean",
        _FITTED,
        'settings.warping == "log", settings.prior_mean',
        'settings.warping == "log", 0.0',
    ),
    mutant_of(
        "no logarithmic stretch",
        _FITTED,
        'settings.warping == "log", settings.prior_mean',
        "False, settings.prior_mean",
    ),
    mutant_of(
        "stretch fitted and not applied",
        _FITTED,
        "y = stretch(data.y, found.offset).values if stretched else data.y",
        "y = data.y",
    ),
    mutant_of(
        "no ranks for the worse half",
        _WARPING,
        '_standardised(v) if warping == "none" else _half_rank(v)',
        "_standardised(v)",
    ),
    mutant_of(
        "values not rounded",
        _WARPING,
        "return np.round(standard, _DECIMALS)",
        "return standard",
    ),
    mutant_of("every trial decides", _FITTED, "return n - n % step", "return n"),
    Mutant(
        "fits not remembered",
        f"{_MODEL}/fit.py",
        "found = self._found.pop(key, None)",
        "found = None",
        ("tests/optuna_bkop/model/test_fitted.py",),
    ),
    mutant_of(
        "fit to the worst trials",
        _CONDITIONED,
        "        F[:_MAX_FITTED],\n        y[:_MAX_FITTED],\n",
        "        F[-_MAX_FITTED:],\n        y[-_MAX_FITTED:],\n",
    ),
    mutant_of(
        "detail with the trend's length scales",
        _KERNELS,
        "DETAIL_SCALE = 0.1",
        "DETAIL_SCALE = 1.0",
    ),
    Mutant(
        "detail in local models",
        f"{_MODEL}/fitted.py",
        "        detailed = False\n",
        "",
        ("tests/optuna_bkop/model/test_neighbourhood.py",),
    ),
    mutant_of(
        "share of the detail not fitted",
        _FIT,
        "detail=share_of(detail_odds) if detailed else 0.0",
        "detail=prior.detail if detailed else 0.0",
    ),
    mutant_of(
        "kernel without its detail",
        _KERNEL_MODEL,
        "        if hyperparameters.detail:\n",
        "        if False:\n",
    ),
    mutant_of("one start of the fit", _FIT, "(1.0, 0.15), 10", "(1.0,), 10"),
    mutant_of(
        "fit stops after its first steps",
        _FIT,
        "found, _ = search(min(attempts, key=lambda attempt: attempt[1])[0], _MAX_STEPS)",
        "found, _ = min(attempts, key=lambda attempt: attempt[1])",
    ),
    mutant_of(
        "no bounds of length scales",
        _FIT,
        "return math.log(min(0.1, 0.22 * 100.0 ** (-1.0 / dim))), math.log(50.0)",
        "return math.log(1e-5), math.log(1e5)",
    ),
    mutant_of(
        "no priors of hyperparameters",
        _LIKELIHOOD,
        "    value += 0.5 * float(deviation @ deviation)\n    gradient += deviation / widths\n",
        "",
    ),
    mutant_of(
        "prior length scale does not grow with the dimension",
        _PRIOR,
        "math.log(self.length_scale * math.sqrt(dim))",
        "math.log(self.length_scale)",
    ),
    mutant_of(
        "no Jacobian of the stretch",
        _LIKELIHOOD,
        "        value -= warped.log_jacobian\n",
        "",
    ),
    mutant_of(
        "share of the main effects not fitted",
        (_FIT[0], _EFFECTS[1]),
        "main=share_of(of_effects[0]) if main_effects else 0.0",
        "main=prior.main if main_effects else 0.0",
    ),
    mutant_of(
        "length scales of the main effects not fitted",
        (_FIT[0], _EFFECTS[1]),
        "main_ratio=math.exp(of_effects[1]) if main_effects else 1.0",
        "main_ratio=1.0",
    ),
    mutant_of(
        "frequency 0 of main effects counts twice",
        _EFFECTS,
        "    weights[0] *= 0.5\n",
        "",
    ),
    mutant_of(
        "features of a categorical parameter have the share of a parameter each",
        _EFFECTS,
        "1.0 / (len(counts) * counts[groups])",
        "np.full(len(groups), 1.0 / len(groups))",
    ),
    mutant_of(
        "held points do not narrow the covariance",
        _KERNEL_MODEL,
        "        if len(F_held) == 0:\n            return self\n",
        "        return self\n",
    ),
    mutant_of(
        "held points change the mean",
        _KERNEL_MODEL,
        "alpha=np.append(self.alpha, np.zeros(p)),",
        "alpha=np.append(self.alpha, np.ones(p)),",
    ),
    mutant_of(
        "active set without the neighbours of the best",
        _TRAINING_SET,
        'near = others[np.argsort(distance, kind="stable")[:n_near]]',
        "near = others[:n_near]",
    ),
    mutant_of(
        "active set without a spread over the rest",
        _TRAINING_SET,
        "spread = rest[np.linspace(0, len(rest) - 1, MAX_ACTIVE - n_best - n_near)"
        ".astype(np.int64)]",
        "spread = rest[: MAX_ACTIVE - n_best - n_near]",
    ),
    mutant_of(
        "active set without a bound",
        _TRAINING_SET,
        "if len(order) <= MAX_ACTIVE:",
        "if True:",
    ),
    mutant_of(
        "chart along the parameters' axes",
        _CHART,
        "directions * np.clip(edges",
        "np.eye(len(edges)) * np.clip(edges",
    ),
    mutant_of(
        "chart weighs all points alike",
        _CHART,
        "weights = np.log(m + 1.0) - np.log(np.arange(1.0, m + 1.0))",
        "weights = np.ones(m)",
    ),
    mutant_of(
        "chart ignores the faces of the cube",
        _CHART,
        "        U = self.chart.outward(W)\n        F = ",
        "        U = W\n        F = ",
    ),
    mutant_of(
        "chart covers conditional parameters",
        _CHART,
        "or domain.conditions or",
        "or",
    ),
    mutant_of(
        "local search from the first trial on",
        _NEIGHBOURHOOD,
        "if n < max(_MIN_TRIALS, _MIN_PER_PARAMETER * dim) or rng",
        "if rng",
    ),
    mutant_of(
        "local search in every batch",
        _NEIGHBOURHOOD,
        " or rng.random() >= _LOCAL_SHARE",
        "",
    ),
    mutant_of(
        "local search on a plateau",
        _NEIGHBOURHOOD,
        "    if values[order[0]] == values[order[1]]:\n        return None\n",
        "",
    ),
    Mutant(
        "no local search in long studies",
        "optuna_bkop/_suggest.py",
        '                rng=derived_rng(ask.root, "neighbourhood", snapshot.trials_known),\n',
        "",
        ("tests/optuna_bkop/test_long_studies.py",),
    ),
)
