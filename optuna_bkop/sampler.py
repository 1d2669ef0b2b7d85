"""The Optuna sampler: arguments, checks, order of calls. It does no algebra."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import optuna
from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

import optuna_bkop._checks as _checks
from optuna_bkop._batch.acquisition import FORMS
from optuna_bkop._batch.optimizers import MAXIMIZERS
from optuna_bkop._batch.startup import lone_point
from optuna_bkop._batch.strategies import STRATEGIES
from optuna_bkop._coordination.records import write_constraints
from optuna_bkop._memory import Memory
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._model.warping import WARPINGS
from optuna_bkop._settings import DEFAULTS, Options, Settings
from optuna_bkop._study.directions import reference_of
from optuna_bkop._study.search_space import checked_space, union_space
from optuna_bkop._study.trial_cache import all_trials
from optuna_bkop._study.unit_cube import UnitCube, from_unit
from optuna_bkop._suggest import Ask, suggest

#: The defaults of the mathematics.
_DEFAULT = DEFAULTS.settings
#: States of trials whose constraints are evaluated, as in Optuna's own samplers.
_WITH_CONSTRAINTS = (TrialState.COMPLETE, TrialState.PRUNED)

_logger = optuna.logging.get_logger(f"optuna.{__name__}")


class BKOPSampler(BaseSampler):
    """Sampler that chooses whole batches of trials together, by batch kernel optimisation.

    It works sequentially, with ``n_jobs``, with ask-and-tell in rounds, and with workers in many
    processes over any Optuna storage. The first trials are points of a rank-1 lattice. After
    that, each batch maximises one joint acquisition of a kernel model.

    With several objectives, each point maximises the expected hypervolume improvement, given the
    points before it. Every fourth point (every second, while fewer than half of the last 24 trials
    are on the front) is a directed point: it maximises how far it reaches along a direction in
    objective space, either that of one objective or a random one. With more than four objectives,
    or a ``strategy`` other than "bkop", all points are directed. ``prior_mean``, ``warping`` and
    ``length_scale_factors`` concern directed points only.

    ``BKOPSampler(**PAPER_SETTINGS)`` has the plain settings of the paper (Lyu, Yuan and Tsang).

    Args:
        batch_size: Number of trials that are planned together. Defaults to the number of trials
            that recently ran in parallel.
        n_startup_trials: Number of lattice points before the model takes over.
        search_space: Maps names of parameters to distributions. If None, it is read from COMPLETE
            and PRUNED trials; trials that begin before there is one are sampled independently.
        strategy: "bkop" (Algorithms 1-4), or one to compare with: "gp_bucb" (Desautels et al.),
            "gp_ucb_pe" (Contal et al.) or "bull" (Bull).
        acquisition_form: "rms", the paper's form with the root mean square of the deviations of a
            batch, or "mean", with their mean.
        maximizer: "gradient" (greedy starts, then L-BFGS-B) or "cma" (CMA-ES, as in the paper).
        cma_evaluations: Maximum number of CMA-ES evaluations per maximisation.
        kernel: "matern52" or "se" (squared exponential).
        rkhs_norm: Weight of the posterior standard deviations, positive: the paper's norm of f,
            which it sets to 1. It doubles for every ten ties with the best trial, up to 3 times.
        noise_var: Noise variance of the standardised values, at least 0. 0.0 is the paper's
            noise-free setting. If None, it is estimated.
        warping: "half-rank" replaces the worse half of the values by ranks. "log" does so, too,
            and puts the better half on a logarithmic scale towards the best, as strongly as the
            likelihood demands. "none" only standardises.
        length_scale_factors: The acquisition is averaged over models whose length scales are the
            fitted ones times each of these positive numbers.
        prior_mean: Mean of the model far from all data, in standard deviations of the values.
        trust_margin: Points stay in the box around the best tenth of the trials, widened by this
            share of the range on each side. In a conditional space, every eighth point may leave
            it to visit another branch. If None, there is no box.
        detail: Whether every second point (with several objectives, every point that is not
            directed) is chosen by a model whose kernel has a second, ten times shorter length
            scale, which tells ripples from a trend. Only with the strategy "bkop".
        stale_after: Minimum age in seconds at which a running trial may be considered dead. It
            must also be five times as old as the longest finished trial was. The point of a dead
            trial is free again.
        reference_point: Reference point of the hypervolume, one number per objective, in its units
            and direction. Trials that are worse in any objective add no hypervolume. If None, a
            fifth of the present front's extent beyond its worst values.
        independent_sampler: Samples parameters that the model does not cover. If None, their
            values are spread evenly by trial number.
        warn_independent_sampling: Whether to warn when a parameter's distribution has changed.
        constraints_func: Returns the constraints of a COMPLETE or PRUNED trial, each met if at
            most 0. For Optuna 4. Optuna 5 deprecates it: use ``trial.set_constraint`` there.
        seed: Seed of all randomness, at least 0. If None, derived from the study's name and when
            its first trial began, so that all workers agree and independent studies differ.

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
        batch_size: int | None = DEFAULTS.batch_size,
        n_startup_trials: int = DEFAULTS.n_startup_trials,
        search_space: Mapping[str, BaseDistribution] | None = None,
        strategy: str = _DEFAULT.strategy,
        acquisition_form: str = _DEFAULT.acquisition_form,
        maximizer: str = _DEFAULT.maximizer,
        cma_evaluations: int = _DEFAULT.cma_evaluations,
        kernel: str = _DEFAULT.kernel,
        rkhs_norm: float = _DEFAULT.rkhs_norm,
        noise_var: float | None = _DEFAULT.noise_var,
        warping: str = _DEFAULT.warping,
        length_scale_factors: Sequence[float] = _DEFAULT.length_scale_factors,
        prior_mean: float = _DEFAULT.prior_mean,
        trust_margin: float | None = _DEFAULT.trust_margin,
        detail: bool = _DEFAULT.detail,
        stale_after: float = DEFAULTS.stale_after,
        reference_point: Sequence[float] | None = DEFAULTS.reference_point,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        seed: int | None = None,
    ) -> None:
        if batch_size is not None:
            _checks.check_integer("batch_size", batch_size, 1)
        _checks.check_integer("n_startup_trials", n_startup_trials, 0)
        _checks.check_choice("strategy", strategy, STRATEGIES)
        _checks.check_choice("acquisition_form", acquisition_form, FORMS)
        _checks.check_choice("maximizer", maximizer, MAXIMIZERS)
        _checks.check_integer("cma_evaluations", cma_evaluations, 1)
        _checks.check_choice("kernel", kernel, KERNELS)
        _checks.check_choice("warping", warping, WARPINGS)
        _checks.check_number("rkhs_norm", rkhs_norm, positive=True)
        if noise_var is not None:
            _checks.check_number("noise_var", noise_var)
        if trust_margin is not None:
            _checks.check_number("trust_margin", trust_margin)
        _checks.check_number("stale_after", stale_after, positive=True)
        factors = _checks.check_numbers("length_scale_factors", length_scale_factors)
        _checks.check_finite("prior_mean", prior_mean)
        _checks.check_boolean("detail", detail)
        _checks.check_boolean("warn_independent_sampling", warn_independent_sampling)
        if reference_point is not None:
            reference_point = tuple(
                _checks.check_finite("reference_point", x) for x in reference_point
            )
        if seed is not None:
            _checks.check_integer("seed", seed, 0)
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            raise ValueError(
                f"`independent_sampler` must be an Optuna sampler, got {independent_sampler!r}."
            )

        self._options = Options(
            batch_size=batch_size,
            n_startup_trials=n_startup_trials,
            stale_after=float(stale_after),
            reference_point=reference_point,
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
                detail=detail,
            ),
        )
        if constraints_func is not None:
            _check_constraints_func(constraints_func)
        self._constraints_func = constraints_func
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
        """Reseed the independent sampler. The lattice and the plans do not change."""
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the given search space, or all parameters of COMPLETE and PRUNED trials."""
        reference_of(study, self._options.reference_point)  # refuses a wrong length at once
        if self._search_space is not None:
            return dict(self._search_space)
        with self._lock:
            return union_space(self._memory.trials.read_ahead(study, trial))[0]

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return values for all parameters of the space: one point of a joint batch."""
        if not search_space:
            return {}
        # Threads plan one after the other, to share fits and plans; objectives run in parallel.
        cube = UnitCube(search_space)
        reference = reference_of(study, self._options.reference_point)
        with self._lock:
            if self._search_space is not None:
                # The trials have not been read for this trial yet.
                self._memory.trials.read_ahead(study, trial)
            ask = Ask(trial.number, cube, self._root(study, trial), self._options, reference)
            return cube.decode(suggest(study, trial, ask, self._memory))

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return a value for a parameter that the model does not cover."""
        if self._warn_independent_sampling:
            self._warn_independent(study, trial, param_name)
        if self._independent_sampler is not None:
            return self._independent_sampler.sample_independent(
                study, trial, param_name, param_distribution
            )
        with self._lock:
            root = self._root(study, trial)
        return from_unit(param_distribution, lone_point(root, param_name, trial.number))

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Call the hook of the independent sampler."""
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Store constraints of a COMPLETE or PRUNED trial; call the independent sampler's hook."""
        if self._constraints_func is not None and state in _WITH_CONSTRAINTS:
            write_constraints(study, trial, self._constraints_func)
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)

    def _root(self, study: Study, trial: FrozenTrial) -> str:
        """Return the root of all randomness: seed, or the study's name and its first start."""
        if self._seed is not None:
            return f"seed {self._seed}"
        return f"name {study.study_name} {self._memory.trials.birth(study, trial)}"

    def _warn_independent(self, study: Study, trial: FrozenTrial, name: str) -> None:
        with self._lock:
            finished = self._memory.trials.read(all_trials(study))
            changed = union_space(finished)[1]
        # A parameter that appears for the first time is expected; no warning is due.
        if len(finished) < self._options.n_startup_trials or name not in changed:
            return
        sampler = "a spread sequence"
        if self._independent_sampler is not None:
            sampler = f"`{type(self._independent_sampler).__name__}`"
        _logger.warning(
            f"The parameter `{name}` in Trial#{trial.number} is sampled independently by "
            f"{sampler} instead of `BKOPSampler`, because its distribution has changed during "
            "the study. Set `warn_independent_sampling=False` to suppress this warning."
        )


def _check_constraints_func(constraints_func: object) -> None:
    if not callable(constraints_func):
        raise ValueError(f"`constraints_func` must be a function, got {constraints_func!r}.")
    if hasattr(optuna.trial.Trial, "set_constraint"):
        warnings.warn(
            "`constraints_func` is deprecated since Optuna 5. "
            "Use `optuna.trial.Trial.set_constraint` instead.",
            FutureWarning,
            stacklevel=3,
        )
