"""What a sampler remembers between asks. All of it can be rebuilt from the storage and the seed.

Only the waiting times are this worker's own: they decide which trials it considers dead or about
to ask. Two workers may differ in this and then plan differently, which the protocol allows.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from optuna import Study
from threadpoolctl import ThreadpoolController

from optuna_bkop._batch.startup import StartupLattice
from optuna_bkop._coordination.liveness import Watch
from optuna_bkop._coordination.pace import Worker
from optuna_bkop._model.fit import FitCache
from optuna_bkop._model.fitted import Fitted
from optuna_bkop._model.objectives import FittedObjectives
from optuna_bkop._study.trial_cache import TrialCache, study_key


@dataclass
class Memory:
    """Caches of one sampler.

    Attributes:
        trials: Finished trials.
        fits: Hyperparameters of the last fits.
        fitted: A key of the data, and the models that were fitted to them last, stored by what
            `reading_of` returns: True for models with a second, short length scale, False for
            models without, None for both. None before the first fit.
        lattices: Startup lattices by number of startup trials and dimension.
        watches: Watches that measure the ages of running trials, by the key of their study.
        last_ask: Duration of the last ask in seconds, without waits for other trials' plans; 0
            before the first ask.
        n_fallbacks: Number of asks in a row in which the model failed.
        exhausted: Keys of the studies for which a warning said that all points have been
            evaluated.
    """

    trials: TrialCache = field(default_factory=TrialCache)
    fits: FitCache = field(default_factory=FitCache)
    fitted: tuple[object, dict[bool | None, Fitted | FittedObjectives]] | None = None
    lattices: dict[tuple[int, int], StartupLattice] = field(default_factory=dict)
    watches: dict[Hashable, Watch] = field(default_factory=dict)
    last_ask: float = 0.0
    n_fallbacks: int = 0
    exhausted: set[Hashable] = field(default_factory=set)
    _threads: ThreadpoolController | None = None
    _token: str = field(default_factory=lambda: secrets.token_hex(4))

    def lattice(self, n_startup: int, dim: int) -> StartupLattice:
        """Return the lattice for ``n_startup`` trials with ``dim`` parameters; searched once."""
        key = n_startup, dim
        if key not in self.lattices:
            self.lattices[key] = StartupLattice.build(n_startup, dim)
        return self.lattices[key]

    def worker(self, study_name: str) -> Worker:
        """Return what identifies this sampler in this process, even if the process was forked."""
        return Worker.of(study_name, f"{self._token}{os.getpid():x}")

    def watch(self, study: Study) -> Watch:
        """Return the watch of a study, which measures the ages of its running trials."""
        return self.watches.setdefault(study_key(study), Watch())

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Run BLAS on one core, and restore the setting afterwards.

        BLAS would spread even small products over all cores. That slows them down and takes cores
        from objectives that run in other threads. threadpoolctl is the portable way to limit it.
        """
        if self._threads is None:
            # SciPy may bring a BLAS of its own, which can be limited only once it is loaded.
            import scipy.linalg  # noqa: F401

            self._threads = ThreadpoolController()
        with self._threads.limit(limits=1, user_api="blas"):
            yield
