"""Constraints: the cheapest welded beam that carries its load.

`trial.set_constraint(name, value)` reports a constraint, which is met if its value is at most 0.
The sampler models each constraint and plans batches where all are likely to be met. The cheapest
design known costs 1.7249 (Coello 2000).
"""

import math

import optuna

from optuna_bkop import BKOPSampler

LOAD, LENGTH, MAX_DEFLECTION = 6000.0, 14.0, 0.25  # pounds, inches, inches
YOUNG, SHEAR_MODULUS, MAX_SHEAR, MAX_STRESS = 30e6, 12e6, 13_600.0, 30_000.0


def objective(trial: optuna.Trial) -> float:
    """Return the cost of weld and beam, and report the constraints."""
    h = trial.suggest_float("weld_height", 0.1, 2.0)
    w = trial.suggest_float("weld_length", 0.1, 10.0)
    t = trial.suggest_float("beam_height", 0.1, 10.0)
    b = trial.suggest_float("beam_width", 0.1, 2.0)

    direct = LOAD / (math.sqrt(2) * h * w)
    arm = math.sqrt(w**2 / 4 + ((h + t) / 2) ** 2)
    inertia = 2 * math.sqrt(2) * h * w * (w**2 / 12 + ((h + t) / 2) ** 2)
    torsion = LOAD * (LENGTH + w / 2) * arm / inertia
    shear = math.sqrt(direct**2 + direct * torsion * w / arm + torsion**2)
    stress = 6 * LOAD * LENGTH / (b * t**2)
    deflection = 4 * LOAD * LENGTH**3 / (YOUNG * t**3 * b)
    slender = t / (2 * LENGTH) * math.sqrt(YOUNG / (4 * SHEAR_MODULUS))
    buckling = 4.013 * YOUNG * t * b**3 / (6 * LENGTH**2) * (1 - slender)

    trial.set_constraint("shear", shear - MAX_SHEAR)
    trial.set_constraint("stress", stress - MAX_STRESS)
    trial.set_constraint("deflection", deflection - MAX_DEFLECTION)
    trial.set_constraint("buckling", LOAD - buckling)
    trial.set_constraint("weld fits beam", h - b)
    return 1.10471 * h**2 * w + 0.04811 * t * b * (LENGTH + w)


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=BKOPSampler(batch_size=5, seed=0))
    for _ in range(14):
        trials = [study.ask() for _ in range(5)]
        for trial, cost in [(trial, objective(trial)) for trial in trials]:
            study.tell(trial, cost)
    feasible = [t for t in study.trials if all(v <= 0 for v in t.constraints.values())]
    print(f"{len(feasible)} of {len(study.trials)} designs hold; the cheapest costs", end=" ")
    print(f"{study.best_value:.3f}: {study.best_params}")
