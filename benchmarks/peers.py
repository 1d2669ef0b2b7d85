"""Names and descriptions of samplers, turned into optimisers.

A sampler is described as `module:callable?key=value&key2=value`, where values are JSON or else
plain strings. The callable returns an Optuna sampler or an `Optimiser`; it is also given those of
`seed`, `n_startup_trials` and `dim` that it takes and the description does not set.
"""

from __future__ import annotations

import inspect
import json
import platform
from dataclasses import dataclass
from importlib import import_module, metadata, util
from typing import Any

import optuna

from benchmarks.asktell import Optimiser, OptunaOptimiser


@dataclass(frozen=True)
class Peer:
    """A named sampler: its description and the packages it needs beyond Optuna."""

    description: str
    packages: tuple[str, ...] = ()


PEERS = {
    "random": Peer("optuna.samplers:RandomSampler"),
    "qmc": Peer("optuna.samplers:QMCSampler?scramble=true&warn_independent_sampling=false"),
    "tpe": Peer("optuna.samplers:TPESampler"),
    "cmaes": Peer("optuna.samplers:CmaEsSampler?warn_independent_sampling=false", ("cmaes",)),
    "gp": Peer("optuna.samplers:GPSampler?warn_independent_sampling=false", ("torch",)),
    "bkop": Peer("optuna_bkop:BKOPSampler", ("optuna_bkop",)),
    "botorch-qlognei": Peer(
        "benchmarks.peer_botorch:BoTorch?acquisition=qlognei", ("torch", "gpytorch", "botorch")
    ),
    "botorch-qucb": Peer(
        "benchmarks.peer_botorch:BoTorch?acquisition=qucb", ("torch", "gpytorch", "botorch")
    ),
    "hebo": Peer("benchmarks.peer_hebo:Hebo", ("torch", "gpytorch", "hebo")),
    "vizier": Peer("benchmarks.peer_vizier:Vizier", ("jax", "vizier")),
}


class SamplerError(Exception):
    """A description that cannot be turned into a callable."""


def describe(name: str) -> Peer:
    """Return the peer of that name, or the one that `module:callable` describes."""
    if name in PEERS:
        return PEERS[name]
    if ":" not in name:
        choices = ", ".join(PEERS)
        raise SamplerError(f"a sampler is module:callable or one of {choices}, got {name!r}.")
    return Peer(name, (name.partition(":")[0].partition(".")[0],))


def load(peer: Peer) -> tuple[Any, dict[str, Any]]:
    """Return the callable of a peer and the keyword arguments of its description.

    The packages are imported here, so that no import is counted as the sampler's time.

    Raises:
        SamplerError: When a package, the module or the callable is missing, or the query is not
            made of `key=value`.
    """
    target, _, query = peer.description.partition("?")
    kwargs: dict[str, Any] = {}
    for item in query.split("&") if query else []:
        key, equals, value = item.partition("=")
        if not key.isidentifier() or not equals:
            raise SamplerError(f"`key=value` expected after `?`, got {item!r}.")
        try:
            kwargs[key] = json.loads(value)
        except json.JSONDecodeError:
            kwargs[key] = value
    module, _, attribute = target.partition(":")
    for package in peer.packages:
        if util.find_spec(package) is None:
            raise SamplerError(f"{package} is not installed.")
    try:
        for package in peer.packages:
            import_module(package)
        return getattr(import_module(module), attribute), kwargs
    except (ImportError, AttributeError) as error:
        raise SamplerError(f"{error}.") from error


def make(name: str, **given: Any) -> Any:
    """Call what a sampler's name or description stands for.

    Args:
        name: A key of `PEERS` or a description.
        **given: Keyword arguments that are passed on if they are taken and not described.
    """
    factory, kwargs = load(describe(name))
    taken = inspect.signature(factory).parameters
    return factory(**{key: value for key, value in given.items() if key in taken} | kwargs)


def build(name: str, *, dim: int, seed: int, startup: int) -> Optimiser:
    """Return a fresh optimiser of `dim` parameters.

    Args:
        name: A key of `PEERS` or a description.
        dim: Number of parameters.
        seed: Passed on as `seed`.
        startup: Passed on as `n_startup_trials`.
    """
    made = make(name, seed=seed, n_startup_trials=startup, dim=dim)
    if isinstance(made, optuna.samplers.BaseSampler):
        return OptunaOptimiser(made, dim)
    if isinstance(made, Optimiser):
        return made
    raise TypeError(f"{name} must make an Optuna sampler or an Optimiser, got {type(made)}.")


def versions(name: str) -> dict[str, str]:
    """Return the versions of Python and of the packages that a sampler uses."""
    found = {"python": platform.python_version()}
    distributions = metadata.packages_distributions()
    # With greenlet, GPSampler takes two thirds of the time.
    for package in ("optuna", "numpy", "scipy", "greenlet", *describe(name).packages):
        if package in distributions:
            found[package] = metadata.version(distributions[package][0])
    return found
