"""How much is left to gain? A study that stops when the answer is: almost nothing.

Branin's function is minimised in batches of four until the regret certificate is below 1 % of the
range of the values seen. Without a known norm and kernel it is an estimate, and says so. Then the
plots of the study are drawn.
"""

import math

import optuna
from optuna.distributions import FloatDistribution

from optuna_bkop import BKOPSampler
from optuna_bkop.plots import matplotlib as plots
from optuna_bkop.regret import regret_certificate
from optuna_bkop.stopping import stop_when_certified

SPACE = {"x": FloatDistribution(-5, 10), "y": FloatDistribution(0, 15)}
MINIMUM = 0.397887


def branin(x: float, y: float) -> float:
    """Branin's function."""
    parabola = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return parabola**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=BKOPSampler(seed=1, batch_size=4))
# With `study.optimize`, pass it as a callback: `callbacks=[enough]`.
enough = stop_when_certified(relative=0.01)
while len(study.trials) < 200 and not enough.is_met(study):
    for trial in [study.ask(SPACE) for _ in range(4)]:
        study.tell(trial, branin(**trial.params))
certificate = regret_certificate(study)
print(f"stopped after {len(study.trials)} of 200 trials")
print(f"regret left: {study.best_value - MINIMUM:.5f}")
print(certificate)

drawn = {
    "regret_certificate": plots.plot_regret_certificate(study, certificate, optimum=MINIMUM),
    "regret_bound": plots.plot_regret_bound(study, optimum=MINIMUM),
    "batches": plots.plot_batches(study),
    "model_slices": plots.plot_model_slices(study)[0],
}
for name, axes in drawn.items():
    axes.figure.savefig(f"plot_{name}.png", dpi=70)
