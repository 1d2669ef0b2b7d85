"""The expected hypervolume improvement: against sampling, and its gradient."""

import numpy as np
import pytest

from optuna_bkop._arrays import FloatArray
from optuna_bkop._batch.boxes import Boxes, hypervolume
from optuna_bkop._batch.improvement import FrontImprovement
from optuna_bkop._model.kernel_model import Hyperparameters, KernelModel
from optuna_bkop._model.kernels import KERNELS
from optuna_bkop._model.pareto import nondominated

D = 3


def make_model(seed: int, length_scale: float, main: float = 0.0) -> KernelModel:
    rng = np.random.default_rng(seed)
    F = np.random.default_rng(0).random((12, D))
    return KernelModel.condition(
        F,
        rng.standard_normal(12),
        kernel=KERNELS["matern52"],
        hyperparameters=Hyperparameters(
            np.full(D, length_scale), 1.3, 1e-3, detail=main / 3.0, main=main, main_ratio=0.6
        ),
        groups=np.arange(D),
        prior_mean=0.0,
    )


def make_acquisition(
    m: int, *, constrained: bool = False, main: float = 0.6
) -> tuple[FrontImprovement, FloatArray]:
    V = np.random.default_rng(2).standard_normal((15, m))
    front = V[nondominated(V)]
    reference = front.min(axis=0) - 0.3
    return FrontImprovement(
        [make_model(k, 0.3 + 0.2 * k, main) for k in range(m)],
        Boxes.above(reference, front),
        [make_model(9, 0.5)] if constrained else [],
    ), np.vstack([reference, front])


@pytest.mark.parametrize("m", [2, 3, 4])
def test_value_equals_the_mean_of_sampled_improvements(m: int) -> None:
    acquisition, (reference, *rest) = make_acquisition(m)
    front = np.array(rest)
    F = np.random.default_rng(3).random((2, D))
    rng = np.random.default_rng(4)
    for f, value in zip(F, acquisition.values(F[:, None]), strict=True):
        moments = [model.mean_and_std(f[None]) for model in acquisition.models]
        draws = np.column_stack([rng.normal(m[0], s[0], 4000) for m, s in moments])
        boxes = acquisition.boxes
        sides = np.minimum(draws[:, None], boxes.upper) - boxes.lower
        sampled = np.maximum(sides, 0.0).prod(axis=2).sum(axis=1)
        # The volume in boxes is what the hypervolume gains.
        for draw, gain in list(zip(draws, sampled, strict=True))[:5]:
            np.testing.assert_allclose(
                gain,
                hypervolume(np.vstack([front, draw]), reference) - hypervolume(front, reference),
                atol=1e-9,
            )
        error = sampled.std() / np.sqrt(len(sampled))
        assert abs(np.exp(value) - sampled.mean()) < 5 * error


@pytest.mark.parametrize("m", [2, 3, 4])
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("main", [0.0, 0.6])
def test_gradient_equals_finite_differences(m: int, constrained: bool, main: float) -> None:
    acquisition, _ = make_acquisition(m, constrained=constrained, main=main)
    F = np.random.default_rng(5).random((4, 1, D))
    values, gradients = acquisition.values_and_gradients(F)
    np.testing.assert_allclose(values, acquisition.values(F), rtol=1e-12)
    h = 1e-6
    for j in range(D):
        step = h * np.eye(D)[j]
        slope = (acquisition.values(F + step) - acquisition.values(F - step)) / (2 * h)
        np.testing.assert_allclose(gradients[:, 0, j], slope, rtol=2e-5, atol=2e-6)


def test_constraints_lower_the_value_where_they_are_unlikely_to_be_met() -> None:
    plain, _ = make_acquisition(2)
    constrained, _ = make_acquisition(2, constrained=True)
    F = np.random.default_rng(6).random((30, 1, D))
    (model,) = constrained.feasibility
    difference = plain.values(F) - constrained.values(F)
    assert (difference > 0).all()
    mean = model.mean(F[:, 0])
    assert difference[np.argmin(mean)] > difference[np.argmax(mean)]


def test_an_improvement_that_underflows_is_finite_and_flat() -> None:
    acquisition, _ = make_acquisition(2)
    far = FrontImprovement(acquisition.models, Boxes.above(np.full(2, 1e3), np.empty((0, 2))))
    values, gradients = far.values_and_gradients(np.full((1, 1, D), 0.5))
    assert np.isfinite(values).all()
    np.testing.assert_array_equal(gradients, 0.0)


def test_points_are_evaluated_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from optuna_bkop._batch import improvement

    acquisition, _ = make_acquisition(3)
    F = np.random.default_rng(7).random((20, 1, D))
    at_once = acquisition.values(F)
    monkeypatch.setattr(improvement, "_BLOCK", 3 * len(acquisition.boxes.lower))
    np.testing.assert_array_equal(acquisition.values(F), at_once)
    np.testing.assert_array_equal(acquisition.candidates(F[:, 0]).scores(), at_once)
