"""What hypervolumes are compared with: a reference point and a reference front per problem.

All objectives are minimised. By default the reference point is beyond the worst values of the
front by a tenth of its extent. Some problems have one farther away (`known_fronts.FAR_POINTS`). It
stays when a front is extended by later runs, so that the front may then reach beyond it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness.arrays import Array
from benchmarks.objectives.catalogue import base_name
from benchmarks.objectives.fronts import front_of, hypervolume

#: The references of all problems, by the command `reference`.
REFERENCES = Path(__file__).with_name("references.json")
#: Smaller gaps count as this much, so that ratios stay finite.
FLOOR = 1e-6
#: Distance of the reference point from the worst values of the front, in extents of the front.
BEYOND = 0.1


@dataclass(frozen=True)
class Reference:
    """The reference of a problem.

    Attributes:
        origin: How the front was found, as a text for readers.
        ideal: The smallest value of each objective on the front `(m,)`.
        nadir: The largest value of each objective on the front `(m,)`.
        point: The reference point `(m,)`.
        hypervolume: The hypervolume of the front.
        front: The values `(f, m)` of the front, if later runs may extend it; empty if the front is
            final, because then only its hypervolume is needed.
    """

    origin: str
    ideal: Sequence[float]
    nadir: Sequence[float]
    point: Sequence[float]
    hypervolume: float
    front: Sequence[Sequence[float]] = ()

    @property
    def extent(self) -> Array:
        """Difference between the worst and the best values of the front, `(m,)`."""
        return np.asarray(np.subtract(self.nadir, self.ideal))

    def gap(self, values: Array) -> float:
        """Return 1 - hypervolume of values `(n, m)` / that of the reference; at least `FLOOR`."""
        return max(1.0 - hypervolume(values, self.point) / self.hypervolume, FLOOR)


def reference_of(
    values: Array, origin: str, *, point: Sequence[float] | None = None, extendable: bool = False
) -> Reference:
    """Return the reference whose front is that of values `(n, m)`, to be minimised.

    Args:
        values: Values. The front consists of those that no other one dominates.
        origin: How the values were found, as a text for readers.
        point: The reference point `(m,)`. If None, a tenth of the front's extent beyond its worst
            values.
        extendable: Whether to store the values of the front, so that later runs can extend it.
            Otherwise only its hypervolume and its ends are stored.
    """
    front = front_of(values)
    ideal, nadir = front.min(axis=0), front.max(axis=0)
    if point is None:
        point = _rounded(nadir + BEYOND * (nadir - ideal))
    return Reference(
        origin=origin,
        ideal=_rounded(ideal),
        nadir=_rounded(nadir),
        point=point,
        hypervolume=float(f"{hypervolume(front, point):.8g}"),
        front=[_rounded(row) for row in front] if extendable else (),
    )


def _rounded(values: Array) -> list[float]:
    return [float(f"{value:.7g}") for value in values]


def load_references(path: Path) -> dict[str, Reference]:
    """Return the references of a JSON file by problem; an empty mapping if there is no file."""
    if not path.exists():
        return {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {name: Reference(**fields) for name, fields in stored.items()}


def save_references(path: Path, references: Mapping[str, Reference]) -> None:
    """Write references by problem to a JSON file, one line each, in place of what it has."""
    lines = [f"{json.dumps(k)}: {json.dumps(asdict(v))}" for k, v in sorted(references.items())]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def reference_for(references: Mapping[str, Reference], problem: str) -> Reference:
    """Return the reference of a problem.

    Raises:
        ValueError: When there is none.
    """
    try:
        return references[base_name(problem)]
    except KeyError:
        raise ValueError(f"there is no reference for {problem}: run `reference` first.") from None
