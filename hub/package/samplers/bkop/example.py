"""Branin's function in rounds of four trials, each round planned jointly."""

import math

import optuna
from optuna.distributions import FloatDistribution
import optunahub


BKOPSampler = optunahub.load_module("samplers/bkop").BKOPSampler

SPACE = {"x": FloatDistribution(-5, 10), "y": FloatDistribution(0, 15)}


def branin(x: float, y: float) -> float:
    parabola = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return parabola**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


if __name__ == "__main__":
    study = optuna.create_study(sampler=BKOPSampler(batch_size=4, seed=0))
    for _ in range(10):
        trials = [study.ask(SPACE) for _ in range(4)]  # one joint plan
        for trial in trials:
            study.tell(trial, branin(**trial.params))
    print(f"best value {study.best_value:.5f}, the minimum is 0.39789")
