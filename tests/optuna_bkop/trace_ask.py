"""Traces one planning ask: which rooms of optuna_bkop it enters, in which order.

``python tests/optuna_bkop/trace_ask.py`` prints the entries, the calls between rooms, and every
call that goes from a lower room to a higher one (there must be none).
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

#: The rooms from top to bottom. Rooms of one row do not call each other.
LAYERS = (
    ("sampler",),
    ("_suggest",),
    ("_memory",),
    ("_batch", "_coordination", "_theory"),
    ("_model", "_study"),
    ("_domain", "_readings"),
    ("_settings", "_checks", "_seeds", "_arrays"),
)
HEIGHT = {room: -depth for depth, row in enumerate(LAYERS) for room in row}


class Trace:
    """Records calls between the rooms while it is active."""

    def __init__(self) -> None:
        import optuna_bkop

        self._root = str(Path(optuna_bkop.__file__).parent)
        #: The rooms that `_suggest` enters, in order, each with the function that is called.
        self.entries: list[tuple[str, str]] = []
        #: Number of calls from one room to another.
        self.doors: Counter[tuple[str, str]] = Counter()

    def _room(self, frame: FrameType) -> str | None:
        name = frame.f_code.co_filename
        if not name.startswith(self._root):
            return None
        return Path(name[len(self._root) + 1 :]).parts[0].removesuffix(".py")

    def _see(self, frame: FrameType, event: str, argument: Any) -> None:
        room = self._room(frame) if event == "call" else None
        if room is None:
            return
        caller = frame.f_back
        while caller is not None and self._room(caller) is None:
            caller = caller.f_back
        if caller is None:
            return
        source = self._room(caller)
        if source is not None and source != room:
            self.doors[source, room] += 1
            if source == "_suggest" and room in ("_study", "_coordination", "_model", "_batch"):
                self.entries.append((room, frame.f_code.co_name))

    def __enter__(self) -> Trace:
        sys.setprofile(self._see)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(None)

    @property
    def upward(self) -> list[tuple[str, str]]:
        """Doors that lead from a lower room to a higher one."""
        return [(a, b) for a, b in self.doors if HEIGHT[a] < HEIGHT[b]]


def trace_planning_ask() -> Trace:
    """Trace an ask that fits and plans, in a mixed space with constraints and failures."""
    import optuna

    from optuna_bkop import BKOPSampler
    from tests.support.constraints import set_constraint

    study = optuna.create_study(sampler=BKOPSampler(n_startup_trials=6, batch_size=3, seed=0))

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0.0, 1.0)
        n = trial.suggest_int("n", 1, 100_000, log=True)
        c = trial.suggest_categorical("c", ["a", "b"])
        set_constraint(trial, "sum", x + n / 100_000 - 1.2)
        if trial.number == 4:
            raise RuntimeError
        return (x - 0.3) ** 2 + abs(n - 50) / 1000 + (c == "b")

    study.optimize(objective, n_trials=12, catch=RuntimeError)
    trial = study.ask()
    with Trace() as trace:
        trial.suggest_float("x", 0.0, 1.0)
    return trace


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = trace_planning_ask()
    out = ["_suggest enters:"]
    out += [f"  {room:14} {function}" for room, function in found.entries]
    out += ["calls between rooms:"]
    out += [f"  {a:14} -> {b:14} {n:6}" for (a, b), n in sorted(found.doors.items())]
    out += [f"from a lower room to a higher one: {found.upward or 'none'}"]
    sys.stdout.write("\n".join(out) + "\n")
