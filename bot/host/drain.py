"""Draining: a host that is to end takes nothing new, from the moment that it is told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass(kw_only=True)
class Drain:
    """Whether this host is to end. What is under way goes on; nothing is claimed or taken over any more."""

    _stops: list[asyncio.Event] = field(default_factory=list)

    def on(self, stop: asyncio.Event) -> None:
        """Drain as soon as an event is set."""
        self._stops.append(stop)

    @property
    def begun(self) -> bool:
        """Whether nothing new is taken."""
        return any(stop.is_set() for stop in self._stops)
