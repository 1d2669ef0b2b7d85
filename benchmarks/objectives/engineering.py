"""Real-world design problems, after the RE suite of Tanabe and Ishibuchi (2020).

The formulas and domains are those of "An easy-to-use real-world multi-objective optimization
problem suite", Applied Soft Computing 89; the docstrings give the suite's names. Where the suite
makes constraints an objective, it is their total violation. Arguments are points `(n, d)`,
results are values `(n, m)`, and all objectives are minimised.
"""

from __future__ import annotations

import numpy as np

from benchmarks.harness.arrays import Array

_ROOT_2 = 2.0**0.5


def _violation(*slacks: Array) -> Array:
    """Return the sum of the negative parts of slacks `(n,)`, which are satisfied from 0 on."""
    return np.asarray(sum(np.maximum(-slack, 0.0) for slack in slacks))


def four_bar_truss(z: Array) -> Array:
    """RE21: volume and displacement of a truss with four bars."""
    force, elasticity, length = 10.0, 2e5, 200.0
    a, b, c, d = z.T
    volume = length * (2 * a + _ROOT_2 * b + np.sqrt(c) + d)
    bend = 2 / a + 2 * _ROOT_2 / b - 2 * _ROOT_2 / c + 2 / d
    return np.column_stack([volume, force * length / elasticity * bend])


def cantilever(z: Array) -> Array:
    """Deb (2001): weight in kg and deflection in mm of a beam that is loaded at its end."""
    diameter, length = z.T
    density, load, elasticity = 7800.0, 1000.0, 207e9
    weight = density * np.pi * diameter**2 / 4 * length
    deflection = 64 * load * length**3 / (3 * elasticity * np.pi * diameter**4)
    return np.column_stack([weight, 1e3 * deflection])


def hatch_cover(z: Array) -> Array:
    """RE24: weight of a hatch cover and violation of its four constraints."""
    flange, beam = z.T
    elasticity = 700_000
    bending = 4500 / (flange * beam)
    shear = 1800 / beam
    deflection = 56.2e4 / (elasticity * flange * beam**2)
    buckling = elasticity * flange**2 / 100
    violation = _violation(
        1 - bending / 700, 1 - shear / 450, 1 - deflection / 1.5, 1 - bending / buckling
    )
    return np.column_stack([flange + 120 * beam, violation])


def two_bar_truss(z: Array) -> Array:
    """RE31: volume and stress of a truss with two bars, and violation of three constraints."""
    a, b, height = z.T
    long, short = np.sqrt(16 + height**2), np.sqrt(1 + height**2)
    volume = a * long + b * short
    stress = 20 * long / (a * height)
    other_stress = 80 * short / (height * b)
    violation = _violation(0.1 - volume, 1e5 - stress, 1e5 - other_stress)
    return np.column_stack([volume, stress, violation])


def disc_brake(z: Array) -> Array:
    """RE33: mass and stopping time of a disc brake, and violation of four constraints."""
    inner, outer, force, surfaces = z.T
    area, cubes = outer**2 - inner**2, outer**3 - inner**3
    mass = 4.9e-5 * area * (surfaces - 1)
    time = 9.82e6 * area / (force * surfaces * cubes)
    violation = _violation(
        outer - inner - 20,
        0.4 - force / (3.14 * area),
        1 - 2.22e-3 * force * cubes / area**2,
        2.66e-2 * force * surfaces * cubes / area - 900,
    )
    return np.column_stack([mass, time, violation])


def vehicle_safety(z: Array) -> Array:
    """RE34: mass, acceleration and intrusion of a car in a frontal crash."""
    a, b, c, d, e = z.T
    mass = 1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c
    mass += 7.7213633 * d + 4.4559504 * e
    acceleration = 6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d
    acceleration += -0.3695 * a * d + 0.0861 * a * e + 0.3628 * b * d
    acceleration += -0.1106 * a**2 - 0.3437 * c**2 + 0.1764 * d**2
    intrusion = -0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * c - 0.0073 * a * b
    intrusion += 0.024 * b * c - 0.0118 * b * d - 0.0204 * c * d - 0.008 * c * e
    intrusion += -0.0241 * b**2 + 0.0109 * d**2
    return np.column_stack([mass, acceleration, intrusion])


def rocket_injector(z: Array) -> Array:
    """RE37: two temperatures and the combustion length of a rocket's injector."""
    a, h, o, t = z.T  # flow angle, changes of the hydrogen and oxygen areas, tip thickness
    face = 0.692 + 0.477 * a - 0.687 * h - 0.080 * o - 0.0650 * t - 0.167 * a**2
    face += -0.0129 * h * a + 0.0796 * h**2 - 0.0634 * o * a - 0.0257 * o * h + 0.0877 * o**2
    face += -0.0521 * t * a + 0.00156 * t * h + 0.00198 * t * o + 0.0184 * t**2
    length = 0.153 - 0.322 * a + 0.396 * h + 0.424 * o + 0.0226 * t + 0.175 * a**2
    length += 0.0185 * h * a - 0.0701 * h**2 - 0.251 * o * a + 0.179 * o * h + 0.0150 * o**2
    length += 0.0134 * t * a + 0.0296 * t * h + 0.0752 * t * o + 0.0192 * t**2
    tip = 0.370 - 0.205 * a + 0.0307 * h + 0.108 * o + 1.019 * t - 0.135 * a**2
    tip += 0.0141 * h * a + 0.0998 * h**2 + 0.208 * o * a - 0.0301 * o * h - 0.226 * o**2
    tip += 0.353 * t * a - 0.0497 * t * o - 0.423 * t**2 + 0.202 * h * a**2 - 0.281 * o * a**2
    tip += -0.342 * h**2 * a - 0.245 * h**2 * o + 0.281 * o**2 * h - 0.184 * t**2 * a
    tip += -0.281 * h * a * o
    return np.column_stack([face, length, tip])


def car_side_impact(z: Array) -> Array:
    """RE41: mass, pubic force and wall velocity in a side crash, and violation of ten limits."""
    a, b, c, d, e, f, g = z.T
    mass = 1.98 + 4.9 * a + 6.67 * b + 6.98 * c + 4.01 * d + 1.78 * e + 1e-5 * f + 2.73 * g
    force = 4.72 - 0.5 * d - 0.19 * b * c
    pillar = 10.58 - 0.674 * a * b - 0.67275 * b
    door = 16.45 - 0.489 * c * g - 0.843 * e * f
    abdomen = 1.16 - 0.3717 * b * d - 0.0092928 * c
    upper = 0.261 - 0.0159 * a * b - 0.06486 * a - 0.019 * b * g + 0.0144 * c * e + 0.0154464 * f
    middle = 0.214 + 0.00817 * e - 0.045195 * a - 0.0135168 * a + 0.03099 * b * f
    middle += -0.018 * b * g + 0.007176 * c + 0.023232 * c - 0.00364 * e * f - 0.018 * b**2
    lower = 0.74 - 0.61 * b - 0.031296 * c - 0.031872 * g + 0.227 * b**2
    rib_upper = 28.98 + 3.818 * c - 4.2 * a * b + 1.27296 * f - 2.68065 * g
    rib_middle = 33.86 + 2.95 * c - 5.057 * a * b - 3.795 * b - 3.4431 * g + 1.45728
    rib_lower = 46.36 - 9.9 * b - 4.4505 * a
    violation = _violation(
        1 - abdomen,
        *(0.32 - viscous for viscous in (upper, middle, lower)),
        *(32 - rib for rib in (rib_upper, rib_middle, rib_lower)),
        4 - force,
        9.9 - pillar,
        15.7 - door,
    )
    return np.column_stack([mass, force, 0.5 * (pillar + door), violation])
