"""Samplers on problems with several objectives: `python -m benchmarks.objectives --help`."""

from __future__ import annotations

import itertools
from pathlib import Path

import click
import numpy as np

from benchmarks.harness.options import (
    EXISTING_FILE,
    available,
    files_argument,
    markdown_option,
    number_option,
    run_options,
    samplers_option,
)
from benchmarks.harness.records import failed, load
from benchmarks.harness.runner import run_missing
from benchmarks.harness.tables import rows_of, show
from benchmarks.objectives import costs as costs_of
from benchmarks.objectives.catalogue import DEVELOPMENT, PROBLEMS, REPORTED, TASKS, base_name
from benchmarks.objectives.references import (
    REFERENCES,
    load_references,
    reference_for,
    reference_of,
    save_references,
)
from benchmarks.objectives.runs import ObjectivesCell, run
from benchmarks.objectives.summary import summary, values_of

SETS = {"development": DEVELOPMENT, "reported": REPORTED, "tasks": TASKS}


@click.group()
def main() -> None:
    """Measure and summarise the hypervolume that samplers reach.

    The gap of a run is one minus its share of the hypervolume of a reference front.
    """


_problems_option = click.option(
    "--problem",
    "problems",
    multiple=True,
    type=click.Choice([*SETS, *PROBLEMS]),
    default=("reported",),
    show_default=True,
    help="A problem, or a set of them. Repeatable.",
    metavar="NAME",
)


def _expanded(problems: tuple[str, ...]) -> list[str]:
    """Return the names of problems, with the problems of a set in place of its name."""
    return [name for given in problems for name in SETS.get(given, (given,))]


@main.command(name="run")
@samplers_option()
@_problems_option
@number_option("--rounds-of", 8, "Trials per round, 1 for one at a time.", argument="q")
@number_option("--startup", 20, "Number of initial trials.", least=0)
@number_option("--evaluations", 100, "Number of trials after the initial ones.")
@click.option(
    "--noise",
    type=click.FloatRange(0.0),
    default=0.0,
    show_default=True,
    help="Standard deviation of the noise, in extents of the front.",
)
@run_options
def run_command(
    samplers: tuple[str, ...],
    problems: tuple[str, ...],
    q: int,
    startup: int,
    evaluations: int,
    noise: float,
    seeds: list[int],
    output: Path,
    retry_failed: bool,
    jobs: int,
) -> None:
    """Run samplers on problems and append one JSON record per run to a file.

    Runs that the file already has are skipped. Samplers that are not installed are left out with a
    line on stderr. Failed runs are recorded with their error, and the exit status is then 1.
    """
    cells = [
        ObjectivesCell(
            sampler=sampler,
            problem=problem,
            q=q,
            startup=startup,
            evaluations=evaluations,
            seed=seed,
            noise=noise,
        )
        for seed, problem, sampler in itertools.product(
            seeds, _expanded(problems), available(samplers)
        )
    ]
    run_missing(cells, run, ObjectivesCell.of, output, retry_failed=retry_failed, jobs=jobs)


@main.command()
@click.argument("files", nargs=-1, type=EXISTING_FILE)
@_problems_option
@click.option("--force", is_flag=True, help="Compute again what is already stored.")
def reference(files: tuple[Path, ...], problems: tuple[str, ...], force: bool) -> None:
    """Store reference points and hypervolumes beside the module.

    Fronts are those of known Pareto sets, or of long runs of NSGA-II. A problem that has a
    reference keeps it, unless --force is given. The front of a tuning task is extended by the runs
    in FILES; its reference point stays.
    """
    from benchmarks.objectives.known_fronts import compute_reference  # needs pymoo's algorithms

    known = load_references(REFERENCES)
    runs = [record for record in load(files, ObjectivesCell.of) if not failed(record)]
    for name in dict.fromkeys(base_name(name) for name in _expanded(problems)):
        if force or name not in known:
            known[name] = compute_reference(name)
        old = known[name]
        own = [values_of(r) for r in runs if r["problem"] == name and r["entrants"]]
        if old.front and own:
            values = np.concatenate([np.array(old.front), *own])
            known[name] = reference_of(values, old.origin, point=old.point, extendable=True)
        click.echo(f"{name}: {known[name].point}, {known[name].hypervolume}", err=True)
        save_references(REFERENCES, known)


@main.command()
@samplers_option("bkop", "gp")
@click.option(
    "--problem",
    "problems",
    multiple=True,
    type=click.Choice(PROBLEMS),
    default=("zdt6", "wfg4-m4"),
    show_default=True,
    help="Repeatable.",
    metavar="NAME",
)
@number_option("--trials", (120, 1000), "Numbers of trials before the round.")
@number_option("--rounds-of", 8, "Trials per round.", argument="q")
@markdown_option
def cost(
    samplers: tuple[str, ...],
    problems: tuple[str, ...],
    trials: tuple[int, ...],
    q: int,
    markdown: bool,
) -> None:
    """Print CPU seconds per point of a round, after random trials and one round."""
    references = load_references(REFERENCES)
    found = available(samplers)
    costs = []
    for name, n_trials, sampler in itertools.product(problems, trials, found):
        costs.append(costs_of.cost(sampler, name, reference_for(references, name), n_trials, q))
        click.echo(costs[-1], err=True)
    show(rows_of(costs), markdown)


@main.command()
@files_argument
@click.option("--ours", default="bkop", show_default=True, help="Sampler to compare with others.")
@click.option("--sampler", "samplers", multiple=True, help="Leave out others. Repeatable.")
@_problems_option
@markdown_option
def summarize(
    files: tuple[Path, ...],
    ours: str,
    samplers: tuple[str, ...],
    problems: tuple[str, ...],
    markdown: bool,
) -> None:
    """Print median gaps per problem, and gap ratios to each of the other samplers.

    A ratio is our gap divided by the other's: below 1, ours is better. It is the geometric mean
    over runs on the same problem with the same seed. Its interval is a bootstrap over these pairs.
    "Won" is the share of pairs in which our gap is smaller. The column "best" names the sampler to
    which our ratio is largest, over the seeds that both have run.
    Ranks are over runs that all samplers have made; a failed run ranks last.
    """
    names = set(_expanded(problems))
    records = [
        record
        for record in load(files, ObjectivesCell.of)
        if record["problem"] in names and (not samplers or record["sampler"] in samplers)
    ]
    try:
        tables = summary(records, load_references(REFERENCES), ours)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    for table in tables:
        click.echo(f"\n{table.title}\n")
        show(table.rows, markdown)


if __name__ == "__main__":
    main()
