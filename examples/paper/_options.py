"""The command-line options of the experiments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from examples.paper._settings import SETTINGS

#: Evaluations of CMA-ES with `--quick`.
_QUICK_CMA_EVALUATIONS = 200


@dataclass(frozen=True)
class Options:
    """The options that experiments have in common.

    Attributes:
        runs: Number of independent runs, or what else the experiment repeats.
        quick: Whether to run a small part of the experiment only.
        jobs: Number of processes.
        output: Folder of the JSONL, CSV and PNG files.
        settings: A key of `SETTINGS`.
        cma_evaluations: Evaluations of CMA-ES per maximisation.
    """

    runs: int
    quick: bool
    jobs: int
    output: Path
    settings: str = "ours"
    cma_evaluations: int = 0


def options(
    runs: int, meaning: str = "Number of independent runs.", *, quick_runs: int = 1
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the options of every experiment to a command, whose first argument is an `Options`.

    Args:
        runs: Default of `--runs`.
        meaning: Help text of `--runs`.
        quick_runs: Number of runs with `--quick`.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def command(
            runs: int,
            quick: bool,
            jobs: int,
            output: Path,
            settings: str = "ours",
            cma_evaluations: int = 0,
            **others: Any,
        ) -> None:
            if quick:
                runs, cma_evaluations = quick_runs, _QUICK_CMA_EVALUATIONS
            given = Options(runs, quick, jobs, output, settings, cma_evaluations)
            function(given, **others)

        for option in (
            click.option("--output", type=click.Path(path_type=Path), default="paper-results",
                         show_default=True, help="Folder of the JSONL, CSV and PNG files."),
            click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
                         help="Number of processes."),
            click.option("--quick", is_flag=True,
                         help="Run a small part only, to see that it works."),
            click.option("--runs", type=click.IntRange(1), default=runs, show_default=True,
                         help=meaning),
        ):  # fmt: skip
            command = option(command)
        return command

    return decorate


def settings_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of experiments that compare strategies."""
    for option in (
        click.option("--cma-evaluations", type=click.IntRange(10), default=20_000,
                     show_default=True, help="Evaluations of CMA-ES per maximisation, with "
                     "--settings estimated-noise or paper."),
        click.option("--settings", type=click.Choice(list(SETTINGS)), default="ours",
                     show_default=True, help="ours: BKOP with this package's defaults, baselines "
                     "with the paper's model; same-model: all with this package's defaults; "
                     "paper: all with the paper's settings, maximised by CMA-ES; estimated-noise: "
                     "the same with an estimated noise variance."),
    ):  # fmt: skip
        command = option(command)
    return command
