"""The catalogue beside the other constructions.

A record is the lattice of a size (N, d) with the largest minimum distance found so far. No other
construction may reach a larger one.
"""

from __future__ import annotations

import sys

import click

from lattice_tools import build
from lattice_tools.records import catalogue_text, parse
from lattice_tools.subgroup import is_admissible


@click.command()
@click.option("--points", type=int, multiple=True, help="Only this N. Repeatable.")
@click.option("--dim", "dims", type=int, multiple=True, help="Only this d. Repeatable.")
@click.option(
    "--others",
    is_flag=True,
    help="Also build the korobov, scs and subgroup lattices of each size, which takes minutes.",
)
@click.option(
    "--recompute",
    is_flag=True,
    help="Run Algorithm 7 instead of using its values in the catalogue, which takes half an hour.",
)
def catalogue(
    points: tuple[int, ...], dims: tuple[int, ...], others: bool, recompute: bool
) -> None:
    """Compare every record with Algorithm 7 and, if wished, with the other constructions.

    Records that are proved to be optimal are not compared. Algorithm 6 is not either: its lattices
    are the starts of Algorithm 7.
    """
    found, floors = parse(catalogue_text())
    methods = ["alg7", *(("korobov", "scs", "subgroup") if others else ())]
    n_compared = n_proved = n_above = n_below = n_changed = 0
    for (N, d), record in found.items():
        if (points and N not in points) or (dims and d not in dims):
            continue
        if record.is_optimal:
            n_proved += 1
            continue
        n_compared += 1
        values = {"alg7": floors.get((N, d), -1)}
        for method in methods:
            is_known = method == "alg7" and not recompute and values["alg7"] >= 0
            if not is_known and (method != "subgroup" or is_admissible(N, d)):
                values[method] = build(method, N, d).squared_min_distance
        if values["alg7"] != floors.get((N, d)):
            n_changed += 1
            print(f"  N={N} d={d}: the catalogue does not have Algorithm 7's value", flush=True)
        best_method, value = max(values.items(), key=lambda item: item[1])
        n_above += record.squared_min_distance > value
        if record.squared_min_distance < value:
            n_below += 1
            print(
                f"  N={N} d={d}: record {record.min_distance:.5f} BELOW {best_method} "
                f"{value**0.5 / N:.5f}",
                flush=True,
            )
    print(
        f"{n_proved} records proved to be optimal; {n_compared} others beside "
        f"{', '.join(methods)}: above in {n_above}, equal in {n_compared - n_above - n_below}, "
        f"below in {n_below}"
    )
    sys.exit(1 if n_below or n_changed else 0)
