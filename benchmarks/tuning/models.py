"""Models with define-by-run search spaces.

Each function asks a trial for parameters and returns an untrained scikit-learn estimator. Random
states are fixed: two evaluations differ only in the parameters and in the data (`tasks.py`).
"""

from __future__ import annotations

from typing import Any

from optuna.trial import BaseTrial
from sklearn import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    ensemble,
    feature_selection,
    linear_model,
    neighbors,
    neural_network,
    preprocessing,
    svm,
    tree,
)
from sklearn.decomposition import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    PCA,
)
from sklearn.pipeline import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    make_pipeline,
)

Estimator = Any


def _scaled(estimator: Estimator) -> Estimator:
    return make_pipeline(preprocessing.StandardScaler(), estimator)


def svm_rbf(trial: BaseTrial) -> Estimator:
    """Support vector classifier: two continuous parameters on logarithmic scales."""
    return _scaled(
        svm.SVC(
            C=trial.suggest_float("C", 1e-3, 1e3, log=True),
            gamma=trial.suggest_float("gamma", 1e-5, 1e1, log=True),
        )
    )


def svr_kernels(trial: BaseTrial) -> Estimator:
    """Support vector regression: the kernel determines which other parameters exist."""
    kernel = trial.suggest_categorical("kernel", ["linear", "rbf", "poly", "sigmoid"])
    more: dict[str, Any] = {}
    if kernel != "linear":
        more["gamma"] = trial.suggest_float("gamma", 1e-4, 1.0, log=True)
    if kernel == "poly":
        more["degree"] = trial.suggest_int("degree", 2, 5)
    if kernel in ("poly", "sigmoid"):
        more["coef0"] = trial.suggest_float("coef0", 0.0, 2.0)
    regression = svm.SVR(
        kernel=kernel,
        C=trial.suggest_float("C", 1e-1, 1e4, log=True),
        epsilon=trial.suggest_float("epsilon", 1e-1, 1e2, log=True),
        max_iter=5000,
        **more,
    )
    return _scaled(regression)


def classifiers(trial: BaseTrial) -> Estimator:
    """One of four classifiers, each with its own parameters."""
    name = trial.suggest_categorical("model", ["svm", "forest", "neighbours", "logistic"])
    if name == "svm":
        return svm.SVC(
            C=trial.suggest_float("svm_C", 1e-2, 1e3, log=True),
            gamma=trial.suggest_float("svm_gamma", 1e-6, 1e-1, log=True),
        )
    if name == "forest":
        return ensemble.RandomForestClassifier(
            n_estimators=trial.suggest_int("forest_trees", 3, 15),
            max_depth=trial.suggest_int("forest_depth", 2, 16),
            max_features=trial.suggest_float("forest_features", 0.05, 1.0),
            random_state=0,
        )
    if name == "neighbours":
        return neighbors.KNeighborsClassifier(
            n_neighbors=trial.suggest_int("neighbours_k", 1, 30, log=True),
            weights=trial.suggest_categorical("neighbours_weights", ["uniform", "distance"]),
            p=trial.suggest_int("neighbours_p", 1, 2),
        )
    return linear_model.LogisticRegression(
        C=trial.suggest_float("logistic_C", 1e-6, 1e2, log=True),
        max_iter=trial.suggest_int("logistic_iterations", 5, 50),
    )


def forest(trial: BaseTrial) -> Estimator:
    """Random forest: five integers, a fraction and two categorical parameters."""
    return ensemble.RandomForestClassifier(
        n_estimators=trial.suggest_int("trees", 2, 16),
        max_depth=trial.suggest_int("depth", 1, 20),
        min_samples_split=trial.suggest_int("split", 2, 40, log=True),
        min_samples_leaf=trial.suggest_int("leaf", 1, 20, log=True),
        max_leaf_nodes=trial.suggest_int("nodes", 4, 128, log=True),
        max_features=trial.suggest_float("features", 0.02, 1.0, log=True),
        criterion=trial.suggest_categorical("criterion", ["gini", "entropy"]),
        bootstrap=trial.suggest_categorical("bootstrap", [True, False]),
        random_state=0,
    )


def boosting(trial: BaseTrial) -> Estimator:
    """Gradient boosting: three integers, two fractions and a learning rate."""
    return ensemble.GradientBoostingClassifier(
        n_estimators=trial.suggest_int("trees", 2, 25),
        learning_rate=trial.suggest_float("rate", 1e-2, 1.0, log=True),
        max_depth=trial.suggest_int("depth", 1, 5),
        min_samples_leaf=trial.suggest_int("leaf", 1, 30),
        subsample=trial.suggest_float("subsample", 0.3, 1.0),
        max_features=trial.suggest_float("features", 0.05, 1.0),
        random_state=0,
    )


def perceptron(trial: BaseTrial) -> Estimator:
    """Perceptron with one to three hidden layers: an integer determines which parameters exist."""
    layers = trial.suggest_int("layers", 1, 3)
    return _scaled(
        neural_network.MLPClassifier(
            hidden_layer_sizes=[
                trial.suggest_int(f"units_{k}", 2, 64, log=True) for k in range(layers)
            ],
            activation=trial.suggest_categorical("activation", ["relu", "tanh", "logistic"]),
            alpha=trial.suggest_float("alpha", 1e-6, 1e1, log=True),
            learning_rate_init=trial.suggest_float("rate", 1e-4, 1e-1, log=True),
            batch_size=trial.suggest_int("batch", 16, 64, log=True),
            max_iter=trial.suggest_int("epochs", 2, 12),
            random_state=0,
        )
    )


def solvers(trial: BaseTrial) -> Estimator:
    """Perceptron with one hidden layer: the solver determines which parameters exist."""
    solver = trial.suggest_categorical("solver", ["adam", "sgd", "lbfgs"])
    more: dict[str, Any] = {}
    if solver == "adam":
        more["beta_1"] = trial.suggest_float("beta_1", 0.5, 0.99)
        more["beta_2"] = 1 - trial.suggest_float("decay_2", 1e-4, 1e-1, log=True)
    if solver == "sgd":
        more["momentum"] = trial.suggest_float("momentum", 0.0, 0.99)
        more["nesterovs_momentum"] = trial.suggest_categorical("nesterov", [True, False])
    if solver != "lbfgs":
        more["learning_rate_init"] = trial.suggest_float("rate", 1e-4, 1.0, log=True)
        more["batch_size"] = trial.suggest_int("batch", 8, 64, log=True)
    network = neural_network.MLPClassifier(
        hidden_layer_sizes=[trial.suggest_int("units", 2, 64, log=True)],
        alpha=trial.suggest_float("alpha", 1e-6, 1e1, log=True),
        solver=solver,
        max_iter=12,
        random_state=0,
        **more,
    )
    return _scaled(network)


def stochastic_gradient(trial: BaseTrial) -> Estimator:
    """Linear classifier by SGD: three categorical parameters, one with a conditional fraction."""
    penalty = trial.suggest_categorical("penalty", ["l2", "l1", "elasticnet"])
    mix = trial.suggest_float("mix", 0.0, 1.0) if penalty == "elasticnet" else 0.15
    return _scaled(
        linear_model.SGDClassifier(
            loss="log_loss",
            penalty=penalty,
            l1_ratio=mix,
            alpha=trial.suggest_float("alpha", 1e-6, 1e-1, log=True),
            learning_rate=trial.suggest_categorical(
                "schedule", ["constant", "invscaling", "adaptive"]
            ),
            eta0=trial.suggest_float("rate", 1e-4, 1e1, log=True),
            average=trial.suggest_categorical("average", [True, False]),
            max_iter=trial.suggest_int("epochs", 2, 30, log=True),
            random_state=0,
        )
    )


def nearest(trial: BaseTrial) -> Estimator:
    """Nearest neighbours after scaling and PCA: integers and categorical parameters."""
    scalers = {
        "none": "passthrough",
        "standard": preprocessing.StandardScaler(),
        "range": preprocessing.MinMaxScaler(),
        "length": preprocessing.Normalizer(),
    }
    return make_pipeline(
        scalers[trial.suggest_categorical("scale", list(scalers))],
        PCA(
            trial.suggest_int("directions", 2, 50),
            whiten=trial.suggest_categorical("whiten", [True, False]),
            random_state=0,
        ),
        neighbors.KNeighborsClassifier(
            n_neighbors=trial.suggest_int("k", 1, 40, log=True),
            weights=trial.suggest_categorical("weights", ["uniform", "distance"]),
            metric=trial.suggest_categorical(
                "metric", ["euclidean", "manhattan", "chebyshev", "cosine"]
            ),
        ),
    )


def trees(trial: BaseTrial) -> Estimator:
    """Extra trees for regression: five integers, a fraction and a categorical parameter."""
    return ensemble.ExtraTreesRegressor(
        n_estimators=trial.suggest_int("trees", 2, 16),
        max_depth=trial.suggest_int("depth", 1, 20),
        min_samples_split=trial.suggest_int("split", 2, 60, log=True),
        min_samples_leaf=trial.suggest_int("leaf", 1, 60, log=True),
        max_leaf_nodes=trial.suggest_int("nodes", 2, 256, log=True),
        max_features=trial.suggest_float("features", 0.1, 1.0),
        bootstrap=trial.suggest_categorical("bootstrap", [True, False]),
        random_state=0,
    )


def pipeline(trial: BaseTrial) -> Estimator:
    """Regression pipeline with nested conditions: a model has a kernel, a kernel has a degree."""
    steps: list[Estimator] = [preprocessing.StandardScaler()]
    reduction = trial.suggest_categorical("reduce", ["none", "pca", "select"])
    if reduction == "pca":
        steps.append(PCA(trial.suggest_int("directions", 1, 10), random_state=0))
    if reduction == "select":
        steps.append(
            feature_selection.SelectKBest(
                feature_selection.f_regression, k=trial.suggest_int("columns", 1, 10)
            )
        )
    name = trial.suggest_categorical("model", ["svm", "tree", "neighbours", "linear"])
    if name == "svm":
        kernel = trial.suggest_categorical("kernel", ["rbf", "poly"])
        more = {"degree": trial.suggest_int("degree", 1, 4)} if kernel == "poly" else {}
        model = svm.SVR(
            kernel=kernel,
            C=trial.suggest_float("C", 1e-1, 1e3, log=True),
            gamma=trial.suggest_float("gamma", 1e-4, 1.0, log=True),
            max_iter=5000,
            **more,
        )
    elif name == "tree":
        model = tree.DecisionTreeRegressor(
            max_depth=trial.suggest_int("depth", 1, 12),
            min_samples_leaf=trial.suggest_int("leaf", 1, 60, log=True),
            random_state=0,
        )
    elif name == "neighbours":
        model = neighbors.KNeighborsRegressor(
            n_neighbors=trial.suggest_int("neighbours", 1, 60, log=True),
            weights=trial.suggest_categorical("weights", ["uniform", "distance"]),
        )
    else:
        model = linear_model.ElasticNet(
            alpha=trial.suggest_float("alpha", 1e-4, 1e2, log=True),
            l1_ratio=trial.suggest_float("mix", 0.0, 1.0),
        )
    return make_pipeline(*steps, model)
