"""A mutant: one exact text of one file, and what replaces it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class OutOfDateError(Exception):
    """The text of a mutant does not occur exactly once in its file."""


@dataclass(frozen=True)
class Mutant:
    """A small change that breaks the project.

    Attributes:
        name: What is broken, in a few words. Unique.
        file: The changed file, relative to the root of the project.
        text: The replaced text. It occurs exactly once in the file.
        replacement: The text in its place.
        tests: The test files that are expected to see the change, relative to the root.
    """

    name: str
    file: str
    text: str
    replacement: str
    tests: tuple[str, ...]

    def mutated(self, root: Path) -> str:
        """Return the changed content of the file.

        Raises:
            OutOfDateError: If the file is missing or the text does not occur exactly once.
        """
        path = root / self.file
        content = path.read_text(encoding="utf-8") if path.exists() else ""
        count = content.count(self.text)
        if count != 1:
            raise OutOfDateError(
                f"The mutant '{self.name}' is out of date: its text occurs {count} times in "
                f"{self.file}, and must occur once:\n{self.text}"
            )
        return content.replace(self.text, self.replacement)


def mutant_of(
    name: str, where: tuple[str, tuple[str, ...]], text: str, replacement: str
) -> Mutant:
    """Return a mutant, with ``where`` the changed file and the tests that should see it."""
    file, tests = where
    return Mutant(name, file, text, replacement, tests)
