"""A mutant: one deliberate break of the bot, as a few replacements of text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, kw_only=True)
class Patch:
    """``old`` stands once in ``file``, and becomes ``new``."""

    file: str
    old: str
    new: str

    def occurrences(self, root: Path = ROOT) -> int:
        """Return how often ``old`` stands in the file below ``root``."""
        path = root / self.file
        return path.read_text(encoding="utf-8").count(self.old) if path.exists() else 0

    def apply(self, root: Path) -> None:
        """Change the file below ``root``. Raises ``ValueError`` when the text does not stand there once."""
        if self.occurrences(root) != 1:
            raise ValueError(f"{self.file} does not hold once: {self.old}")
        path = root / self.file
        path.write_text(path.read_text(encoding="utf-8").replace(self.old, self.new), encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """
    A break, and what is expected to find it.

    ``tests`` are files of the suite of which one test must fail; ``invariants`` are those of which a simulation finds
    one violated, empty when no simulation is expected to get there.
    """

    name: str
    patches: tuple[Patch, ...]
    tests: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()
