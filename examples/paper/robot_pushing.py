"""The paper's robot pushing task: push a disc to a goal, on a real 2-D physics engine.

Four parameters, as in Wang and Jegelka (2017): where the robot's hand starts (x, y), the angle of
the hand and for how long it pushes. The hand moves towards where the disc lies, takes it along and
stops; the disc slides on until friction stops it. The value is the distance of the disc to the
goal. Each run has a goal of its own, the same for all methods; 20 lattice points, 100 more
evaluations, batch sizes 5 and 10.

    pip install -e ".[examples]" && python -m examples.paper.robot_pushing

Obtained by `python -m examples.paper.robot_pushing --runs 10` (mean distance, standard error):

                      BKOP           GP-BUCB         GP-UCB-PE
    q=5         0.19 ± 0.1     0.305 ± 0.086       0.604 ± 0.1
    q=10     0.272 ± 0.098      0.28 ± 0.083      0.683 ± 0.11
"""

from __future__ import annotations

import math
from pathlib import Path

import click
import numpy as np
import pymunk
from optuna.distributions import FloatDistribution

from examples.paper import _common

SPACE = {
    "x": FloatDistribution(-5.0, 5.0),
    "y": FloatDistribution(-5.0, 5.0),
    "angle": FloatDistribution(0.0, 2 * math.pi),
    "duration": FloatDistribution(1.0, 30.0),
}
RADIUS, DENSITY, HAND = 1.0, 0.05, (0.6, 2.0)
SPEED, STEP, FRICTION, TORQUE = 10.0, 0.01, 5.0, 2.0


def push(x: float, y: float, angle: float, duration: float) -> tuple[float, float]:
    """Where the disc, which lies at (0, 0), is after the push."""
    space = pymunk.Space()
    mass = DENSITY * math.pi * RADIUS**2
    disc = pymunk.Body(mass, pymunk.moment_for_circle(mass, 0, RADIUS))
    # Friction on a table seen from above: joints to the table that give way beyond a force.
    slide = pymunk.PivotJoint(space.static_body, disc, (0, 0), (0, 0))
    turn = pymunk.GearJoint(space.static_body, disc, 0.0, 1.0)
    slide.max_bias = turn.max_bias = 0.0
    slide.max_force, turn.max_force = FRICTION, TORQUE
    hand = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
    hand.position, hand.angle = (x, y), angle
    away = math.hypot(x, y)
    hand.velocity = (-x / away * SPEED, -y / away * SPEED) if away > 0 else (SPEED, 0.0)
    shapes = pymunk.Circle(disc, RADIUS), pymunk.Poly.create_box(hand, HAND)
    for shape in shapes:
        shape.friction = 0.1
    space.add(disc, hand, slide, turn, *shapes)
    n_pushing = int(10 * duration)
    for step in range(n_pushing + 100):
        if step == n_pushing:
            hand.velocity = (0.0, 0.0)
        space.step(STEP)
    return disc.position.x, disc.position.y


def measure(cell: _common.Cell) -> list[float]:
    """The smallest distance to the goal after each evaluation."""
    goal = np.random.default_rng([cell["seed"], 4]).uniform(-5, 5, 2)
    return _common.optimise(lambda p: math.dist(push(**p), goal), SPACE, cell)


@click.command()
@_common.options(runs=30)
@_common.settings_options
def main(
    runs: int, quick: bool, jobs: int, output: Path, settings: str, cma_evaluations: int
) -> None:
    """Run the robot pushing experiment."""
    evaluations = 100
    if quick:
        runs, evaluations, cma_evaluations = 2, 10, 200
    _common.compare(
        measure,
        {"robot pushing": {}},
        _common.SETTINGS[settings],
        runs=runs,
        shared={"startup": 20, "evaluations": evaluations},
        cma_evaluations=cma_evaluations,
        output=output,
        experiment="robot-pushing",
        name=f"robot-pushing-{settings}{'-quick' if quick else ''}",
        jobs=jobs,
        columns=1,
        ylabel="distance to the goal",
    )


if __name__ == "__main__":
    main()
