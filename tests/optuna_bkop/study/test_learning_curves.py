"""Final values of pruned trials are estimated from the reports of COMPLETE ones."""

import numpy as np
import pytest

from optuna_bkop._study.learning_curves import estimate_final, rounded_step, summarize

N, STEPS = 30, 12


def curves(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Final values (N,) to be minimised, and noisy curves (N, STEPS) that fall towards them."""
    rng = np.random.default_rng(seed)
    values = rng.exponential(3.0, N)
    decay = np.exp(-np.arange(STEPS) / 3.0) * (5.0 + values[:, None])
    return values, values[:, None] + decay + 0.05 * rng.standard_normal((N, STEPS))


def summaries(reports: np.ndarray, step: int) -> np.ndarray:
    return np.array([summarize(dict(enumerate(curve)), step) for curve in reports])


METRICS = {
    "the last report": lambda values, reports: reports[:, -1],
    "the best report": lambda values, reports: reports.min(axis=1),
    "the mean of the reports": lambda values, reports: reports.mean(axis=1),
    "another metric": lambda values, reports: -50.0 + 0.01 * values,
}


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("step", [2, 5, 11])
@pytest.mark.parametrize("metric", METRICS)
def test_estimates_are_in_the_order_of_the_true_values(
    metric: str, step: int, maximize: bool
) -> None:
    values, reports = curves()
    final = METRICS[metric](values, reports)
    sign = -1.0 if maximize else 1.0
    pruned = np.argsort(final)[N // 2 :]  # the worse half
    complete = np.setdiff1d(np.arange(N), pruned[::2])
    estimates = sign * estimate_final(
        summaries(sign * reports[pruned], step),
        summaries(sign * reports[complete], step),
        sign * final[complete],
        maximize=maximize,
    )
    assert (estimates >= np.median(final[complete])).all()
    ranks = [np.argsort(np.argsort(x)) for x in (estimates, final[pruned])]
    assert np.corrcoef(*ranks)[0, 1] > 0.9
    # On the scale of the final values, not of the reports.
    assert np.abs(estimates - final[pruned]).max() < 2.0 * np.ptp(final)


def test_the_summary_that_predicts_best_is_used() -> None:
    """Reports of single instances: their mean tells, the last one is noise."""
    rng = np.random.default_rng(1)
    values = np.arange(20.0)
    reports = values[:, None] + rng.normal(0.0, 30.0, (20, 60))
    estimates = estimate_final(
        summaries(reports, 59), summaries(reports, 59), values, maximize=False
    )
    by_mean = np.argsort(reports.mean(axis=1))[10:]
    assert np.corrcoef(estimates[by_mean], reports.mean(axis=1)[by_mean])[0, 1] > 0.95


def test_reports_that_tell_nothing_make_no_difference() -> None:
    values, _ = curves()
    noise = np.random.default_rng(2).standard_normal((N, 4))
    noise[:, 0] = np.sort(noise[:, 0])[np.argsort(np.argsort(-values))]  # the wrong way round
    noise[:, 1:] = noise[:, :1]
    estimates = estimate_final(noise, noise, values, maximize=False)
    np.testing.assert_allclose(estimates, np.quantile(values, 0.75))


def test_a_linear_change_of_values_or_reports_changes_nothing_else() -> None:
    values, reports = curves()
    pruned, complete = summaries(reports[:9], 4), summaries(reports[9:], 4)
    estimates = estimate_final(pruned, complete, values[9:], maximize=False)
    moved = estimate_final(5 * pruned - 2, 5 * complete - 2, 3 * values[9:] + 7, maximize=False)
    np.testing.assert_allclose(moved, 3 * estimates + 7)


def test_few_complete_trials_are_enough() -> None:
    report = np.array([[1.0] * 4, [9.0] * 4])
    for n in (1, 2, 3):
        complete = np.repeat(np.arange(2.0, 2.0 + n)[:, None], 4, axis=1)
        low, high = estimate_final(report, complete, np.arange(n) * 1.0, maximize=False)
        assert (n - 1) / 2 <= low < high


def test_a_summary_knows_no_later_reports() -> None:
    reported = {0: 5.0, 3: 1.0, 10: 0.5}
    assert summarize(reported, 0) == (5.0, 5.0, 5.0, 5.0)
    assert summarize(reported, 9) == (1.0, 1.0, 5.0, 3.0)
    assert np.isnan(summarize({4: 1.0}, 3)).all()
    assert np.isnan(summarize({0: float("nan")}, 3)).all()


def test_long_curves_are_summarised_at_few_steps() -> None:
    assert [rounded_step(step) for step in (-3, 0, 1, 2, 3, 5, 7, 23, 24, 40, 1000)] == [
        *(-3, 0, 1, 2, 3, 4, 6, 16, 24, 32, 768)
    ]
    assert len({rounded_step(step) for step in range(10**5)}) < 50


def test_infinite_values_and_reports_do_no_harm() -> None:
    report = np.array([[1.0] * 4, [2.0] * 4, [np.inf] * 4, [-np.inf] * 4])
    complete = np.repeat(np.arange(1.0, 5.0)[:, None], 4, axis=1)
    for values in ([1.0, 1.0, 1.0, np.inf], [1.0, 2.0, 3.0, np.inf], [-np.inf, 1.0, 2.0, 3.0]):
        estimates = estimate_final(report, complete, np.array(values), maximize=False)
        assert np.isfinite(estimates).all()
        # What diverged is no better than any other.
        assert estimates[2] == estimates.max()
    lost = estimate_final(report, complete, np.full(4, np.inf), maximize=False)
    assert (lost == np.inf).all()


def test_equal_reports_tell_nothing_whatever_their_order() -> None:
    first_epoch = np.array([[0.1] * 4] * 7 + [[0.2] * 4])
    values = np.arange(8.0)
    there, back = (
        estimate_final(first_epoch, first_epoch, v, maximize=False) for v in (values, values[::-1])
    )
    assert there[0] == there[3]
    assert back[0] == back[3]


def test_weak_evidence_lies_between_none_and_strong() -> None:
    values, reports = curves()
    strong = summaries(reports, 11)
    shuffled = np.random.default_rng(4).permutation(N)
    weak = strong.copy()
    weak[::2] = strong[shuffled][::2]
    worst = np.repeat(strong.max(axis=0)[None], 1, axis=0)
    by_strong, by_weak = (
        estimate_final(worst, complete, values, maximize=False)[0] for complete in (strong, weak)
    )
    assert np.quantile(values, 0.75) < by_weak < by_strong
