"""Float, logarithmic, integer and categorical parameters; most exist for one kind of model only.

A regression model for the progression of diabetes is chosen together with its hyperparameters. The
sampler fits one model to all trials: a parameter that a trial does not have is ignored in its
distance to other trials. Needs scikit-learn: pip install -e ".[examples]"
"""

import optuna
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from optuna_bkop import BKOPSampler

X, y = load_diabetes(return_X_y=True)


def objective(trial: optuna.Trial) -> float:
    """Return the mean absolute error of five-fold cross-validation."""
    kind = trial.suggest_categorical("kind", ["svm", "trees", "neighbours"])
    if kind == "svm":
        model = SVR(
            C=trial.suggest_float("C", 1e-1, 1e4, log=True),
            gamma=trial.suggest_float("gamma", 1e-4, 1.0, log=True),
            epsilon=trial.suggest_float("epsilon", 0.0, 50.0),
        )
    elif kind == "trees":
        model = ExtraTreesRegressor(
            n_estimators=trial.suggest_int("n_estimators", 5, 40),
            min_samples_leaf=trial.suggest_int("min_samples_leaf", 1, 40, log=True),
            max_features=trial.suggest_float("max_features", 0.1, 1.0),
            random_state=0,
        )
    else:
        model = KNeighborsRegressor(
            n_neighbors=trial.suggest_int("n_neighbors", 1, 60, log=True),
            weights=trial.suggest_categorical("weights", ["uniform", "distance"]),
        )
    pipeline = make_pipeline(StandardScaler(), model)
    return -cross_val_score(pipeline, X, y, cv=5, scoring="neg_mean_absolute_error").mean()


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=12, seed=0))
    study.optimize(objective, n_trials=40)
    for kind in ("svm", "trees", "neighbours"):
        errors = [
            t.value for t in study.trials if t.params["kind"] == kind and t.value is not None
        ]
        print(f"{kind:10} {len(errors):3} trials, best error {min(errors, default=1e3):.3f}")
    print(f"best: {study.best_params}")
