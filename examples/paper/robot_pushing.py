"""The paper's robot pushing task: push a disc to a goal, on a real 2-D physics engine.

Four parameters, as in Wang and Jegelka (2017): the position (x, y) at which the robot's hand
starts, the angle of the hand, and the duration of the push. The hand moves towards the disc,
pushes it along and stops; the disc slides on until friction stops it. The value is the distance of
the disc to the goal. Each run has its own goal, the same for all methods; 20 lattice points, 100
more evaluations, batch sizes 5 and 10.

    pip install -e ".[examples]" && python -m examples.paper.robot_pushing

Output of `python -m examples.paper.robot_pushing --runs 10`: BKOP with this package's defaults,
baselines with the paper's model but an estimated noise variance (mean distance, standard error).

                      BKOP           GP-BUCB         GP-UCB-PE
    q=5         0.19 ± 0.1     0.305 ± 0.086       0.604 ± 0.1
    q=10     0.272 ± 0.098      0.28 ± 0.083      0.683 ± 0.11
"""

from __future__ import annotations

import math

import click
import numpy as np
import pymunk
from optuna.distributions import FloatDistribution

from examples.paper._experiment import Cell, compare, optimise
from examples.paper._options import Options, options, settings_options
from examples.paper._settings import SETTINGS

SPACE = {
    "x": FloatDistribution(-5.0, 5.0),
    "y": FloatDistribution(-5.0, 5.0),
    "angle": FloatDistribution(0.0, 2 * math.pi),
    "duration": FloatDistribution(1.0, 30.0),
}
#: The disc, and the sides of the rectangular hand. Units are arbitrary; the values make a push end
#: within the range of the goals.
RADIUS, DENSITY, HAND = 1.0, 0.05, (0.6, 2.0)
#: Speed of the hand, time step of the simulation, and the force and the torque by which the table
#: brakes the disc.
SPEED, STEP, FRICTION, TORQUE = 10.0, 0.01, 5.0, 2.0


def push(x: float, y: float, angle: float, duration: float) -> tuple[float, float]:
    """Return where the disc, which lies at (0, 0) at first, is after the push."""
    space = pymunk.Space()
    mass = DENSITY * math.pi * RADIUS**2
    disc = pymunk.Body(mass, pymunk.moment_for_circle(mass, 0, RADIUS))
    # The table is seen from above. Its friction is that of joints that yield beyond a force.
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


def measure(cell: Cell) -> list[float]:
    """Return the smallest distance to the goal after each evaluation."""
    goal = np.random.default_rng([cell["seed"], 4]).uniform(-5, 5, 2)
    return optimise(lambda p: math.dist(push(**p), goal), SPACE, cell)


@click.command()
@options(runs=30, quick_runs=2)
@settings_options
def main(given: Options) -> None:
    """Run the robot pushing experiment."""
    compare(
        measure,
        {"robot pushing": {}},
        SETTINGS[given.settings],
        given,
        shared={"startup": 20, "evaluations": 10 if given.quick else 100},
        experiment="robot-pushing",
        name=f"robot-pushing-{given.settings}",
        columns=1,
        ylabel="distance to the goal",
    )


if __name__ == "__main__":
    main()
