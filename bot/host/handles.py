"""The runs that are observed here now: what a control is sent through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.domain.execution import Fence
from bot.executors.contract import Handle


@dataclass(frozen=True, kw_only=True)
class Handles:
    """Handles by the fence under which they were made: a later epoch never finds an earlier one's (C-136)."""

    _held: dict[Fence, Handle] = field(default_factory=dict)

    def get(self, fence: Fence) -> Handle | None:
        """Return the handle of an attempt at this epoch, if it is observed here."""
        return self._held.get(fence)

    @contextmanager
    def holding(self, fence: Fence, handle: Handle) -> Iterator[Handle]:
        """Keep a handle while its run is observed."""
        self._held[fence] = handle
        try:
            yield handle
        finally:
            del self._held[fence]
