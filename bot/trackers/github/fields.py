"""Reading JSON narrowly: a field that is in use has the type that it must have, and nobody looks at the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Never

from bot.clock import SECOND, Millis
from bot.errors import TrackerError


@dataclass(frozen=True)
class Fields:
    """One JSON object of an answer. Each method raises ``TrackerError`` for a field that cannot be used."""

    document: Mapping[str, object]

    @staticmethod
    def of(value: object) -> Fields:
        """Return the fields of a JSON value, which must be an object."""
        if not isinstance(value, dict):
            raise TrackerError(f"the tracker answered with {_kind(value)} where an object was due")
        return Fields(value)

    def text(self, name: str) -> str:
        """Return a text that must be there."""
        value = self.document.get(name)
        return value if isinstance(value, str) else self._unusable(name)

    def text_or_none(self, name: str) -> str | None:
        """Return a text, or None when it is null or missing."""
        return None if self.document.get(name) is None else self.text(name)

    def number(self, name: str) -> int:
        """Return a whole number that must be there."""
        value = self.document.get(name)
        # JSON's true is an int to Python.
        return value if isinstance(value, int) and not isinstance(value, bool) else self._unusable(name)

    def flag(self, name: str) -> bool:
        """Return whether a field is true; one that is missing is not."""
        value = self.document.get(name, False)
        return value if isinstance(value, bool) else self._unusable(name)

    def child(self, name: str) -> Fields:
        """Return an object that must be there."""
        value = self.document.get(name)
        return Fields(value) if isinstance(value, dict) else self._unusable(name)

    def child_or_none(self, name: str) -> Fields | None:
        """Return an object, or None when it is null or missing."""
        return None if self.document.get(name) is None else self.child(name)

    def items(self, name: str) -> list[object]:
        """Return a list that must be there."""
        value = self.document.get(name)
        return value if isinstance(value, list) else self._unusable(name)

    def list_or_empty(self, name: str) -> list[object]:
        """Return a list, which is empty when it is null or missing."""
        return [] if self.document.get(name) is None else self.items(name)

    def moment(self, name: str) -> Millis:
        """Return a moment such as ``2026-12-01T12:00:00Z``."""
        try:
            moment = datetime.fromisoformat(self.text(name))
        except ValueError:
            return self._unusable(name)
        return Millis(round(moment.timestamp() * SECOND)) if moment.tzinfo else self._unusable(name)

    def _unusable(self, name: str) -> Never:
        raise TrackerError(f"the tracker answered with {_kind(self.document.get(name))} for {name!r}")


def _kind(value: object) -> str:
    return "nothing" if value is None else f"an unusable {type(value).__name__}"
