"""Draws what studies of two objectives find: objectives-NAME.png in this folder."""

from __future__ import annotations

import numpy as np
import optuna
from matplotlib.figure import Figure

from optuna_bkop import BKOPSampler

SPACE = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in ("x", "y", "z", "w")}
N_ROUNDS, N_AT_ONCE = 8, 8
NEXT, INK = "#d95f0e", "#1b2a41"


def costs(params: dict[str, float]) -> tuple[float, float]:
    """Return two objectives to be minimised; the best trade-offs lie on a curve (ZDT1)."""
    x, *others = params.values()
    g = 1 + 9 * np.mean(np.abs(np.array(others) - 0.4))
    return 10 * x, float(g * (1 - np.sqrt(x / g)))


def run(sampler: optuna.samplers.BaseSampler) -> np.ndarray:
    """Return the values (n, 2) of a study in rounds."""
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
    for _ in range(N_ROUNDS):
        trials = [study.ask(SPACE) for _ in range(N_AT_ONCE)]
        for trial in trials:
            study.tell(trial, costs(trial.params))
    return np.array([trial.values for trial in study.trials])


def draw(name: str, samplers: dict[str, optuna.samplers.BaseSampler]) -> None:
    """Draw the values that each sampler finds, beside the best possible front."""
    figure = Figure(figsize=(3.6 * len(samplers), 3.6), dpi=110, layout="constrained")
    front = np.linspace(0, 1, 200)
    for ax, (title, sampler) in zip(
        figure.subplots(1, len(samplers)), samplers.items(), strict=True
    ):
        Y = run(sampler)
        ax.plot(10 * front, 1 - np.sqrt(front), color=INK, linewidth=1, label="best possible")
        ax.scatter(*Y[:20].T, s=14, color="white", edgecolor=INK, linewidth=0.7, label="startup")
        ax.scatter(*Y[20:].T, s=18, color=NEXT, edgecolor="white", linewidth=0.4, label="model")
        ax.set(
            xlabel="first objective", ylabel="second objective", ylim=(-0.1, 5), xlim=(-0.3, 10.3)
        )
        ax.set_title(title, fontsize=10, color=INK)
    figure.axes[0].legend(fontsize=8)
    figure.savefig(f"objectives-{name}.png")


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    draw(
        "front",
        {
            "BKOPSampler": BKOPSampler(batch_size=N_AT_ONCE, seed=0),
            "TPESampler": optuna.samplers.TPESampler(seed=0),
        },
    )
    draw(
        "reference-point",
        {
            "reference_point=None": BKOPSampler(batch_size=N_AT_ONCE, seed=0),
            "reference_point=(5, 1)": BKOPSampler(
                batch_size=N_AT_ONCE, seed=0, reference_point=(5.0, 1.0)
            ),
        },
    )
