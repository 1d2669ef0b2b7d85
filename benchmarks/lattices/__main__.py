"""``python -m benchmarks.lattices``: all lattice benchmarks as commands."""

import click

from benchmarks.lattices.catalogue import catalogue
from benchmarks.lattices.distances import answer, distance
from benchmarks.lattices.integration import genz, p2
from benchmarks.lattices.searches import memory, speed
from benchmarks.lattices.width import paper, small, width


@click.group()
def main() -> None:
    """Measure lattice_tools.

    Each command compares what it measures with limits that are written in its file, and exits with
    status 1 if one is missed.
    """


for command in (width, paper, small, catalogue, distance, answer, p2, genz, speed, memory):
    main.add_command(command)

if __name__ == "__main__":
    main()
