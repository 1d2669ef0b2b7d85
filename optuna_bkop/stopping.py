"""Stops a study when its regret certificate is small enough.

- `stop_when_certified`: a callback for `study.optimize`.
- `RegretCertificateEvaluator`: an improvement evaluator for `optuna.terminator.Terminator`.

Unless norm and kernel are given, the certificate is an estimate. `benchmarks/README.md` reports
how often the regret that is left exceeds it.

An evaluation uses at most `_MAX_QUERIES` trials, which bounds its cost: any part of the trials
gives a certificate. A callback evaluates it after every trial at first, and after every sixteenth
part more trials later on, so that a study spends no more time on it than on its asks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from logging import getLogger

import numpy as np
from optuna import Study
from optuna.study import StudyDirection
from optuna.terminator import BaseImprovementEvaluator
from optuna.trial import FrozenTrial, TrialState

from optuna_bkop._checks import check_boolean, check_integer, check_number
from optuna_bkop._study_queries import check_one_objective, read_trials
from optuna_bkop._theory.queries import Queries
from optuna_bkop.regret.certificate import RegretCertificate, certificate_of
from optuna_bkop.regret.estimates import Given, estimate_premises

__all__ = ["RegretCertificateEvaluator", "StopWhenCertified", "stop_when_certified"]

_logger = getLogger(__name__)

#: Maximum number of trials of an evaluation: half of them the best ones, the others spread evenly.
_MAX_QUERIES = 250
#: Boxes of the branch and bound when kernel and norm are given. Too few make the certificate
#: larger, never wrong.
_MAX_BOXES = 5_000
#: Number of finished trials before an estimate is made, unless the user says otherwise: the
#: sampler's startup. A kernel that is fitted to fewer trials says little.
_N_WARMUP = 20
#: A callback evaluates trial number k if k is a multiple of k // this.
_SHARE = 16
#: Name of the study's attribute that tells all workers to stop.
_KEY = "bkop:certified"


class RegretCertificateEvaluator(BaseImprovementEvaluator):
    """Evaluates the regret certificate of a study, in the objective's units.

    The value is an upper bound of the difference between the best value found and the optimum; an
    estimate, unless norm, kernel and offset are given. Optuna 5 deprecates terminators; the
    callback `stop_when_certified` does the same without one.

    Args:
        relative: Whether to divide the value by the range of the values seen.
        given: What is known about the function: arguments of `regret_certificate`, namely
            ``rkhs_norm``, ``kernel``, ``noise_var``, ``perturbation_norm``, ``offset`` and
            ``form``.

    Example:
        >>> import warnings
        >>> import optuna
        >>> from optuna.terminator import StaticErrorEvaluator, Terminator, TerminatorCallback
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")  # deprecated, and experimental
        ...     terminator = Terminator(
        ...         RegretCertificateEvaluator(relative=True), StaticErrorEvaluator(0.01)
        ...     )
        ...     callback = TerminatorCallback(terminator)
    """

    def __init__(self, *, relative: bool = False, **given: object) -> None:
        check_boolean("relative", relative)
        self._relative = relative
        self._given = Given.of(given)

    def evaluate(self, trials: list[FrozenTrial], study_direction: StudyDirection) -> float:
        """Return the certificate of finished trials; infinite if nothing can be certified."""
        gap, value_range, _ = _evaluate(trials, study_direction, self._given)
        if not self._relative or gap == 0:
            return gap
        return gap / value_range if value_range > 0 else math.inf


@dataclass(frozen=True)
class StopWhenCertified:
    """The callback that `stop_when_certified` returns.

    The study stops as soon as one of the two criteria is met.

    Attributes:
        gap: The certificate may be at most this, in the objective's units. None for no such
            criterion.
        relative: The certificate may be at most this share of the range of the values seen. None
            for no such criterion.
        n_warmup_trials: Number of finished trials before which the study is not stopped.
        given: What is known about the function.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> enough = stop_when_certified(relative=0.01)
        >>> study = optuna.create_study(sampler=BKOPSampler(seed=0))
        >>> space = {"x": optuna.distributions.FloatDistribution(-5, 5)}
        >>> while not enough.is_met(study):
        ...     trial = study.ask(space)
        ...     _ = study.tell(trial, (trial.params["x"] - 1) ** 2)
        >>> len(study.trials)
        20
    """

    gap: float | None
    relative: float | None
    n_warmup_trials: int
    given: Given

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """Stop the study if the criterion is met, here or by another worker."""
        # Another worker may have certified the study; estimates may differ between workers.
        if study.user_attrs.get(_KEY) == self._criterion:
            study.stop()
        elif trial.number % max(1, trial.number // _SHARE) == 0 and self.is_met(study):
            study.set_user_attr(_KEY, self._criterion)
            study.stop()

    @property
    def _criterion(self) -> str:
        return f"gap={self.gap} relative={self.relative}"

    def is_met(self, study: Study) -> bool:
        """Return whether the certificate of the study meets one of the criteria.

        It does not before the warm-up trials are finished, or if there is no certificate.

        Raises:
            ValueError: The study has several objectives.
        """
        check_one_objective(study)
        trials = study.get_trials(deepcopy=False)
        n_finished = sum(trial.state == TrialState.COMPLETE for trial in trials)
        if n_finished < self.n_warmup_trials:
            return False
        try:
            gap, value_range, certificate = _evaluate(trials, study.direction, self.given)
        except (ValueError, np.linalg.LinAlgError) as error:
            _logger.warning("No regret certificate for this study: %s", error)
            return False
        limits = (self.gap, None if self.relative is None else self.relative * value_range)
        is_met = any(limit is not None and gap <= limit for limit in limits)
        if is_met:
            _logger.info("%s", certificate)
        return is_met


def stop_when_certified(
    gap: float | None = None,
    *,
    relative: float | None = None,
    n_warmup_trials: int = _N_WARMUP,
    **given: object,
) -> StopWhenCertified:
    """Return a callback that stops a study when its regret certificate is small enough.

    The certificate is an upper bound of the difference between the best value found and the
    optimum. All workers stop: those of other threads and processes after the trials that they are
    running. No trial is lost. For ask-and-tell, the callback's method ``is_met(study)`` tells when
    to stop.

    Args:
        gap: Stop when the certificate is at most this, in the objective's units.
        relative: Stop when it is at most this share of the range of the values seen.
        n_warmup_trials: Number of finished trials before which the study is not stopped.
        given: What is known about the function: arguments of `regret_certificate`, namely
            ``rkhs_norm``, ``kernel``, ``noise_var``, ``perturbation_norm``, ``offset`` and
            ``form``. Without them the certificate is an estimate.

    Raises:
        TypeError: A name in ``given`` is unknown.
        ValueError: Neither ``gap`` nor ``relative`` is given, or a number is out of range.

    Example:
        >>> import optuna
        >>> from optuna_bkop import BKOPSampler
        >>> study = optuna.create_study(sampler=BKOPSampler(seed=0))
        >>> study.optimize(
        ...     lambda trial: (trial.suggest_float("x", -5, 5) - 1) ** 2,
        ...     n_trials=100,
        ...     callbacks=[stop_when_certified(relative=0.01)],
        ... )
        >>> len(study.trials), study.best_value < 0.01 * 36
        (20, True)
    """
    if gap is None and relative is None:
        raise ValueError("One of `gap` and `relative` must be given.")
    for name, value in (("gap", gap), ("relative", relative)):
        if value is not None:
            check_number(name, value, positive=True)
    check_integer("n_warmup_trials", n_warmup_trials, 1)
    return StopWhenCertified(gap, relative, n_warmup_trials, Given.of(given))


def _evaluate(
    trials: list[FrozenTrial], direction: StudyDirection, given: Given
) -> tuple[float, float, RegretCertificate]:
    """Return the gap of finished trials, the range of their values, and the certificate.

    The gap is the certificate's upper bound of the simple regret. It is infinite if nothing is
    certified, for example if the values contradict the given norm.
    """
    read = read_trials(trials, direction)
    if given.offset is not None and not read.maximize:
        given = replace(given, offset=-given.offset)
    value_range = float(np.ptp(read.queries.y))
    queries = _thinned(read.queries)
    premises, estimated = estimate_premises(queries, given)
    is_estimate = bool(set(estimated) & {"kernel", "rkhs_norm"})
    certificate = certificate_of(
        queries,
        premises,
        estimated,
        read,
        # A proof of an estimate's maximum would be wasted effort.
        certify=not is_estimate,
        each_batch=False,
        max_boxes=_MAX_BOXES,
    )
    gap = math.inf if certificate.is_refuted else float(certificate.gap[-1])
    return gap, value_range, certificate


def _thinned(queries: Queries) -> Queries:
    """Return at most `_MAX_QUERIES` queries as one batch: the best, and some of the others.

    The best feasible query, if any, is one of them.
    """
    n = len(queries.y)
    order = np.argsort(-queries.y, kind="stable")
    if n > _MAX_QUERIES:
        n_best = _MAX_QUERIES // 2
        rest = np.linspace(n_best, n - 1, _MAX_QUERIES - n_best).astype(np.int64)
        chosen = np.concatenate([np.arange(n_best), rest])
        if queries.feasible is not None and queries.feasible.any():
            first = int(np.argmax(queries.feasible[order]))
            if first not in chosen:
                chosen[n_best] = first  # in place of the best of the others
        order = order[chosen]
    chosen = np.sort(order)
    return replace(queries.part(chosen), batch=np.zeros(len(chosen), dtype=np.int64))
