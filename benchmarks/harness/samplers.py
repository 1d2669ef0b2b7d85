"""Samplers by name or description.

A description is `module:callable?key=value&key2=value`, where values are JSON or else plain
strings. The callable returns an Optuna sampler or an `Optimiser`. It is called with the described
arguments and, if it has parameters of these names and the description does not set them, with
`seed`, `n_startup_trials` and `dim`.
"""

from __future__ import annotations

import inspect
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata, util
from typing import Any

import optuna

from benchmarks.harness.asktell import Optimiser, OptunaOptimiser


@dataclass(frozen=True)
class Peer:
    """A sampler that can be chosen by name.

    Attributes:
        description: Text `module:callable?key=value`, as the module's docstring explains.
        packages: The packages that it needs besides Optuna.
    """

    description: str
    packages: tuple[str, ...] = ()


_BOTORCH_PACKAGES = ("torch", "gpytorch", "botorch")
PEERS = {
    "random": Peer("optuna.samplers:RandomSampler"),
    "qmc": Peer("optuna.samplers:QMCSampler?scramble=true&warn_independent_sampling=false"),
    "tpe": Peer("optuna.samplers:TPESampler"),
    "cmaes": Peer("optuna.samplers:CmaEsSampler?warn_independent_sampling=false", ("cmaes",)),
    "gp": Peer("optuna.samplers:GPSampler?warn_independent_sampling=false", ("torch",)),
    "nsga2": Peer("optuna.samplers:NSGAIISampler"),
    "nsga3": Peer("optuna.samplers:NSGAIIISampler"),
    "botorch": Peer(
        "optuna_integration:BoTorchSampler", (*_BOTORCH_PACKAGES, "optuna_integration")
    ),
    "bkop": Peer("optuna_bkop:BKOPSampler", ("optuna_bkop",)),
    "botorch-qlognei": Peer(
        "benchmarks.peers.botorch:BoTorch?acquisition=qlognei", _BOTORCH_PACKAGES
    ),
    "botorch-qucb": Peer("benchmarks.peers.botorch:BoTorch?acquisition=qucb", _BOTORCH_PACKAGES),
    "hebo": Peer("benchmarks.peers.hebo:Hebo", ("torch", "gpytorch", "hebo")),
    "vizier": Peer("benchmarks.peers.vizier:Vizier", ("jax", "vizier")),
}


class SamplerError(Exception):
    """A name or description that does not lead to a callable."""


def describe(name: str) -> Peer:
    """Return the peer of this name, or the one that a description describes.

    A description is not checked here, and its only package is that of its module.

    Raises:
        SamplerError: When `name` is neither a key of `PEERS` nor has a colon.
    """
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
        SamplerError: When a package, the module or the callable is missing, or an argument is not
            of the form `key=value`.
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
    """Return what the callable of a sampler returns.

    Args:
        name: A key of `PEERS` or a description.
        **given: Keyword arguments. One is passed to the callable if it has a parameter of this
            name and the description does not set it; otherwise it is ignored.

    Raises:
        SamplerError: When the name or the description does not lead to a callable.
    """
    factory, kwargs = load(describe(name))
    taken = inspect.signature(factory).parameters
    return factory(**{key: value for key, value in given.items() if key in taken} | kwargs)


def build(name: str, *, dim: int, seed: int, startup: int) -> Optimiser:
    """Return a new optimiser for the unit cube.

    Args:
        name: A key of `PEERS` or a description.
        dim: Number of parameters.
        seed: Passed as `seed`.
        startup: Number of initial points, passed as `n_startup_trials`.

    Raises:
        SamplerError: When the name or the description does not lead to a callable.
        TypeError: When the callable returns neither an Optuna sampler nor an `Optimiser`.
    """
    made = make(name, seed=seed, n_startup_trials=startup, dim=dim)
    if isinstance(made, optuna.samplers.BaseSampler):
        return OptunaOptimiser(made, dim)
    if isinstance(made, Optimiser):
        return made
    raise TypeError(f"{name} must make an Optuna sampler or an Optimiser, got {type(made)}.")


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Return the installed distributions of each package. It takes a tenth of a second."""
    return metadata.packages_distributions()


def versions(name: str) -> dict[str, str]:
    """Return the versions of Python and of the packages that a sampler uses, by package.

    These are Optuna, NumPy, SciPy, greenlet and the packages of the sampler. Those that are not
    installed are left out.
    """
    found = {"python": platform.python_version()}
    distributions = _distributions()
    # GPSampler takes two thirds of the time if greenlet is installed.
    for package in ("optuna", "numpy", "scipy", "greenlet", *describe(name).packages):
        if package in distributions:
            found[package] = metadata.version(distributions[package][0])
    return found
