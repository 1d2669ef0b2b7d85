"""Seconds and memory: `python -m benchmarks.speed --help`."""

from __future__ import annotations

import click

from benchmarks.speed.latency import latency
from benchmarks.speed.maximize import maximize_command


@click.group()
def main() -> None:
    """Measure the seconds and the memory of an ask, and of the maximisation in it."""


main.add_command(latency)
main.add_command(maximize_command)

if __name__ == "__main__":
    main()
