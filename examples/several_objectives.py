"""Two objectives: a classifier that errs little and is small.

A random forest reads handwritten digits. More and deeper trees err less and take more memory, so
there is no single best forest, but a front of forests: none is both smaller and better than
another. Batches of four trials are asked for together. Afterwards the forests on the front are
printed, and `plot_front.png` shows them with the next batch where the model expects it.
"""

import optuna
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from optuna_bkop import BKOPSampler
from optuna_bkop.plots import matplotlib as plots

SPACE = {
    "n_trees": optuna.distributions.IntDistribution(1, 30, log=True),
    "max_depth": optuna.distributions.IntDistribution(2, 16),
    "min_samples_leaf": optuna.distributions.IntDistribution(1, 20, log=True),
    "max_features": optuna.distributions.FloatDistribution(0.05, 1.0),
}
TRAIN_X, TEST_X, TRAIN_Y, TEST_Y = train_test_split(
    *load_digits(return_X_y=True), test_size=0.4, random_state=0
)


def evaluate(trial: optuna.Trial) -> tuple[float, int]:
    """Return the share of digits that are misread, and the number of nodes of all trees."""
    forest = RandomForestClassifier(
        trial.params["n_trees"],
        max_depth=trial.params["max_depth"],
        min_samples_leaf=trial.params["min_samples_leaf"],
        max_features=trial.params["max_features"],
        random_state=0,
    ).fit(TRAIN_X, TRAIN_Y)
    n_nodes = sum(tree.tree_.node_count for tree in forest.estimators_)
    return 1.0 - forest.score(TEST_X, TEST_Y), n_nodes


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(directions=["minimize", "minimize"], sampler=BKOPSampler(seed=0))
for _ in range(20):
    for trial in [study.ask(SPACE) for _ in range(4)]:
        study.tell(trial, evaluate(trial))

front = sorted(study.best_trials, key=lambda trial: trial.values[1])
print(f"{len(front)} of {len(study.trials)} forests are on the front:")
for trial in front:
    print(f"  {trial.values[0]:6.1%} errors, {trial.values[1]:6.0f} nodes: {trial.params}")

for _ in range(4):
    study.ask(SPACE)
plots.plot_front(study).figure.savefig("plot_front.png", dpi=70)
plots.plot_hypervolume(study).figure.savefig("plot_hypervolume.png", dpi=70)
