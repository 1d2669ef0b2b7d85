"""The Optuna face: arguments, checks, the order of calls. No algebra."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import optuna
from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._acquisition import FORMS
from optuna_bkop._ask import Ask, Memory, Options
from optuna_bkop._checks import (
    check_boolean,
    check_choice,
    check_finite,
    check_integer,
    check_number,
    check_numbers,
    checked_space,
)
from optuna_bkop._history import union_space
from optuna_bkop._kernels import KERNELS
from optuna_bkop._maximize import MAXIMIZERS
from optuna_bkop._models import Settings
from optuna_bkop._space import UnitCube, from_unit
from optuna_bkop._startup import lone_point
from optuna_bkop._strategies import STRATEGIES
from optuna_bkop._warp import WARPINGS

_logger = optuna.logging.get_logger(f"optuna.{__name__}")


class BKOPSampler(BaseSampler):
    """Chooses whole batches of trials together, by batch kernel optimisation.

    Works sequentially, with ``n_jobs``, with ask-and-tell in rounds, and with workers in many
    processes over any Optuna storage. The first trials are a rank-1 lattice; then each batch
    maximises one joint acquisition of a kernel model.

    Plain paper settings (Algorithm 2 as printed; with a positive ``noise_var`` Algorithm 4)::

        BKOPSampler(acquisition_form="rms", maximizer="cma", warping="none", noise_var=0.0,
                    length_scale_factors=(1.0,), prior_mean=0.0, trust_margin=None)

    Args:
        batch_size: How many trials are planned together. None: as many as the study shows to
            run at once.
        n_startup_trials: Size of the lattice, after which the model takes over.
        search_space: Name -> distribution, if it is known in advance. All trials are then on
            the lattice and in the model, even those that begin before any has finished.
        strategy: "bkop" (Algorithms 1-4), "gp_bucb", "gp_ucb_pe" or "bull".
        acquisition_form: "rms", the paper's, or "mean", with the mean of the deviations.
        maximizer: "gradient" (greedy starts, then L-BFGS-B) or "cma" (CMA-ES, the paper's).
        cma_evaluations: Of a maximisation by "cma", at most.
        kernel: "matern52" or "se" (squared exponential).
        rkhs_norm: Weight of the deviations; the paper's norm of f, which it sets to 1. It doubles
            with every ten trials that are exactly as good as the best, at most three times.
        noise_var: Noise variance of the standardised values: 0.0 is the paper's noise-free
            setting, None estimates it.
        warping: "half-rank" replaces the worse half of the values by ranks; "log" also sees the
            better half on a logarithmic scale towards the best, as far as the likelihood asks
            for it; "none" only standardises.
        length_scale_factors: The acquisition is averaged over models with the fitted length
            scales times these.
        prior_mean: What the model expects far from all data, in standard deviations.
        trust_margin: Points stay in the box around the best tenth of the trials, widened by
            this share of the range, but for every eighth in a conditional space, which is of
            another branch than the best; None: no box.
        stale_after: Seconds. A trial that has been running for longer than this, and for five
            times as long as any that finished, is taken for dead: its point is free again.
        independent_sampler: Samples parameters that the model does not cover. None: spread
            evenly by trial number.
        warn_independent_sampling: Whether to say when that happens.
        seed: None: what workers must agree on follows from the study's name.

    Example:
        >>> import optuna
        >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
        >>> study = optuna.create_study(sampler=BKOPSampler(seed=1))
        >>> study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=40)
        >>> study.best_value < 0.01
        True
    """

    def __init__(
        self,
        *,
        batch_size: int | None = None,
        n_startup_trials: int = 20,
        search_space: Mapping[str, BaseDistribution] | None = None,
        strategy: str = "bkop",
        acquisition_form: str = "mean",
        maximizer: str = "gradient",
        cma_evaluations: int = 20_000,
        kernel: str = "matern52",
        rkhs_norm: float = 1.0,
        noise_var: float | None = None,
        warping: str = "log",
        length_scale_factors: Sequence[float] = (0.3, 0.6, 1.0),
        prior_mean: float = -1.5,
        trust_margin: float | None = 0.1,
        stale_after: float = 60.0,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
        seed: int | None = None,
    ) -> None:
        if batch_size is not None:
            check_integer("batch_size", batch_size, 1)
        check_integer("n_startup_trials", n_startup_trials, 0)
        check_choice("strategy", strategy, STRATEGIES)
        check_choice("acquisition_form", acquisition_form, FORMS)
        check_choice("maximizer", maximizer, MAXIMIZERS)
        check_integer("cma_evaluations", cma_evaluations, 1)
        check_choice("kernel", kernel, KERNELS)
        check_choice("warping", warping, WARPINGS)
        check_number("rkhs_norm", rkhs_norm, positive=True)
        if noise_var is not None:
            check_number("noise_var", noise_var)
        if trust_margin is not None:
            check_number("trust_margin", trust_margin)
        check_number("stale_after", stale_after, positive=True)
        factors = check_numbers("length_scale_factors", length_scale_factors)
        check_finite("prior_mean", prior_mean)
        check_boolean("warn_independent_sampling", warn_independent_sampling)
        if seed is not None:
            check_integer("seed", seed, 0)
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            raise ValueError(
                f"`independent_sampler` must be an Optuna sampler, got {independent_sampler!r}."
            )

        self._options = Options(
            batch_size=batch_size,
            n_startup_trials=n_startup_trials,
            stale_after=float(stale_after),
            settings=Settings(
                strategy=strategy,
                acquisition_form=acquisition_form,
                maximizer=maximizer,
                cma_evaluations=cma_evaluations,
                kernel=kernel,
                rkhs_norm=float(rkhs_norm),
                noise_var=noise_var,
                warping=warping,
                length_scale_factors=factors,
                prior_mean=float(prior_mean),
                trust_margin=trust_margin,
            ),
        )
        self._search_space = None if search_space is None else checked_space(search_space)
        self._independent_sampler = independent_sampler
        self._warn_independent_sampling = warn_independent_sampling
        self._seed = seed
        self._memory = Memory()
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_memory"], state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _memory=Memory(), _lock=threading.RLock())

    def reseed_rng(self) -> None:
        """Called by Optuna for each thread; the lattice and the plans stay as they are."""
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """All parameters that finished trials had, the branches of conditional spaces included."""
        _check_single_objective(study)
        if self._search_space is not None:
            return dict(self._search_space)
        with self._lock:
            return union_space(self._memory.read_ahead(study, trial))[0]

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values for all parameters of the space, as one point of a joint batch."""
        _check_single_objective(study)
        if not search_space:
            return {}
        # Threads of one study plan one after the other, so that they share fits and plans; the
        # objective is not serialised.
        with self._lock:
            return Ask(
                study,
                trial,
                UnitCube(search_space),
                root=self._root(study),
                options=self._options,
                memory=self._memory,
            ).answer()

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """A value for a parameter that the model does not cover."""
        _check_single_objective(study)
        if self._warn_independent_sampling:
            self._say_independent(study, trial, param_name)
        if self._independent_sampler is not None:
            return self._independent_sampler.sample_independent(
                study, trial, param_name, param_distribution
            )
        return from_unit(
            param_distribution, lone_point(self._root(study), param_name, trial.number)
        )

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Passed on to the independent sampler."""
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Passed on to the independent sampler."""
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)

    def _root(self, study: Study) -> str:
        """What all randomness follows from: the seed, or the study's name."""
        return f"name {study.study_name}" if self._seed is None else f"seed {self._seed}"

    def _say_independent(self, study: Study, trial: FrozenTrial, name: str) -> None:
        with self._lock:
            records = self._memory.reader.read(study.get_trials(deepcopy=False))
        # A parameter that is seen for the first time is news, not a misfit.
        if len(records) < self._options.n_startup_trials or name not in union_space(records)[1]:
            return
        sampler = "a spread sequence"
        if self._independent_sampler is not None:
            sampler = f"`{type(self._independent_sampler).__name__}`"
        _logger.warning(
            f"The parameter `{name}` in Trial#{trial.number} is sampled independently by "
            f"{sampler} instead of `BKOPSampler`, because its distribution has changed during "
            "the study. Set `warn_independent_sampling=False` to suppress this warning."
        )


def _check_single_objective(study: Study) -> None:
    if len(study.directions) > 1:
        raise ValueError(
            f"BKOPSampler optimises one objective, and this study has {len(study.directions)}; "
            "use optuna.samplers.TPESampler, NSGAIISampler or GPSampler instead."
        )
