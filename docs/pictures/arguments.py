"""Draws what each argument of BKOPSampler changes: pictures arguments-NAME.png in this folder.

Each panel shows the same 24 results of a function of two parameters (white, the darker the ground
the better) and the batch that the sampler chooses next with another value of one argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from matplotlib.figure import Figure
from optuna.distributions import FloatDistribution
from optuna.trial import create_trial

from optuna_bkop import BKOPSampler

SPACE = {"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(0.0, 1.0)}
#: The known points, evenly spread.
KNOWN = np.random.default_rng(5).permutation(
    np.stack([np.arange(24) / 24, np.arange(24) * 7 % 24 / 24 + 0.02], axis=1)
)
N_NEXT = 8
NEXT, INK = "#d95f0e", "#1b2a41"

#: Wide batches, in which differences are easy to see.
WIDE = {"rkhs_norm": 2.5, "trust_margin": None}
#: One of the known values, where the warping is compared: a trial that went terribly wrong.
TERRIBLE = 30.0

#: Argument -> values to compare, with further arguments that make the effect visible.
COMPARED: Mapping[str, tuple[Sequence[Any], Mapping[str, Any]]] = {
    "batch_size": ([1, 4, 16], {}),
    "strategy": (["bkop", "gp_bucb", "gp_ucb_pe", "bull"], {}),
    "acquisition_form": (["mean", "rms"], {"trust_margin": None}),
    "maximizer": (["gradient", "cma"], {"cma_evaluations": 5000, **WIDE}),
    "cma_evaluations": ([50, 500, 5000], {"maximizer": "cma", **WIDE}),
    "kernel": (["matern52", "se"], WIDE),
    "rkhs_norm": ([0.1, 1.0, 5.0], {"trust_margin": None}),
    "noise_var": ([0.0, None, 1.0], {}),
    "warping": (["log", "half-rank", "none"], {}),
    "length_scale_factors": ([(0.1,), (0.3, 0.6, 1.0), (1.0,)], {"trust_margin": None}),
    "prior_mean": (
        [-1.5, 0.0, 2.0],
        {"trust_margin": None, "length_scale_factors": (0.3,)},
    ),
    "trust_margin": ([0.0, 0.1, None], {"rkhs_norm": 3.0}),
    "detail": ([True, False], {"trust_margin": None}),
}


def value(X: np.ndarray) -> np.ndarray:
    """Return a function (n,) with two valleys at points X (n, 2), to be minimised."""
    deep = ((X - [0.72, 0.3]) ** 2 @ [18.0, 30.0])[..., None]
    flat = ((X - [0.25, 0.75]) ** 2 @ [14.0, 9.0])[..., None]
    return (1.0 - 1.0 * np.exp(-deep) - 0.8 * np.exp(-flat))[..., 0]


def next_points(n: int, **arguments: Any) -> np.ndarray:
    """Return the next n points (n, 2) of a study that knows the values at `KNOWN`."""
    study = optuna.create_study(sampler=BKOPSampler(**{"seed": 0, **arguments}))
    values = value(KNOWN)
    if "warping" in arguments:
        values[np.argmax(values)] = TERRIBLE
    for x, v in zip(KNOWN.tolist(), values.tolist(), strict=True):
        params = dict(zip(SPACE, x, strict=True))
        study.add_trial(create_trial(params=params, distributions=SPACE, value=v))
    return np.array([list(study.ask(SPACE).params.values()) for _ in range(n)])


def startup_points(n: int, **arguments: Any) -> np.ndarray:
    """Return the points (n, 2) of the first n trials, all asked before any has finished."""
    study = optuna.create_study(sampler=BKOPSampler(**{"seed": 0, **arguments}))
    points = []
    for _ in range(n):
        trial = study.ask()
        points.append([trial.suggest_float(name, 0.0, 1.0) for name in SPACE])
    return np.array(points)


def panels(titles: Sequence[str]) -> tuple[Figure, Sequence[Any]]:
    """Return a figure with square panels."""
    figure = Figure(figsize=(3.0 * len(titles), 3.3), dpi=110, layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(titles)))
    for ax, title in zip(axes, titles, strict=True):
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[], yticks=[])
        ax.set_title(title, fontsize=10, color=INK)
    return figure, axes


def ground(ax: Any, known: np.ndarray | None = KNOWN) -> None:
    """Draw the function and the known points."""
    grid = np.linspace(0, 1, 81)
    X = np.stack(np.meshgrid(grid, grid), axis=-1)
    ax.contourf(grid, grid, value(X), levels=14, cmap="Blues_r", alpha=0.75)
    if known is not None:
        ax.scatter(*known.T, s=16, color="white", edgecolor=INK, linewidth=0.6)


def save(figure: Figure, name: str) -> None:
    """Write arguments-NAME.png."""
    figure.savefig(Path(f"arguments-{name.replace('_', '-')}.png"))


def main() -> None:
    """Draw all pictures."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    for name, (values, beside) in COMPARED.items():
        figure, axes = panels([f"{name}={v!r}" for v in values])
        for ax, v in zip(axes, values, strict=True):
            arguments = {"batch_size": N_NEXT, **beside, name: v}
            batch = next_points(arguments["batch_size"], **arguments)
            ground(ax)
            ax.scatter(*batch.T, s=42, color=NEXT, edgecolor="white", linewidth=0.8, zorder=3)
        save(figure, name)

    for name, values, n in (
        ("n_startup_trials", [8, 20, 60], None),
        ("seed", [0, 1, 2], 20),
    ):
        figure, axes = panels([f"{name}={v!r}" for v in values])
        for ax, v in zip(axes, values, strict=True):
            points = startup_points(n or v, search_space=SPACE, **{name: v})
            ground(ax, None)
            ax.scatter(*points.T, s=26, color=NEXT, edgecolor="white", linewidth=0.6)
        save(figure, name)

    figure, axes = panels(["search_space=None", "search_space={...}"])
    for ax, space in zip(axes, (None, SPACE), strict=True):
        points = startup_points(20, search_space=space)
        ground(ax, None)
        ax.scatter(*points.T, s=26, color=NEXT, edgecolor="white", linewidth=0.6)
    save(figure, "search_space")


if __name__ == "__main__":
    main()
