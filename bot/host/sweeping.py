"""When to sweep, or to poll, which repository."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from bot.clock import Clock, Millis
from bot.errors import RateLimitedError, TrackerError

_log = structlog.get_logger(__name__)


class Reads(Protocol):
    """A way to read what happened in a repository: the sweep, or the poll."""

    async def run(self, name: str) -> int:
        """Read a repository, by its ``owner/name``. Returns how many facts were new; raises ``TrackerError``."""
        ...


@dataclass(kw_only=True)
class SweepPass:
    """Sweeps, or polls, each repository at the start and then every ``interval`` milliseconds."""

    sweep: Reads
    clock: Clock
    repositories: Sequence[str]
    interval: int
    wake: Callable[[], None]
    _due: dict[str, tuple[Millis, Millis]] = field(default_factory=dict)

    async def run(self) -> None:
        """Sweep what is due."""
        for name in self.repositories:
            asked, due = self._due.get(name, (Millis(0), Millis(0)))
            # A clock that was set back must not keep the bot from looking.
            if asked <= self.clock.now() < due:
                continue
            wait = self.interval
            try:
                found = await self.sweep.run(name)
            except RateLimitedError as error:
                wait = max(self.interval, error.retry_after)
                _log.warning("sweep_limited", repository=name, wait_ms=wait)
            except TrackerError as error:
                _log.warning("sweep_failed", repository=name, reason=str(error))
            else:
                _log.debug("swept", repository=name, found=found)
                if found:
                    self.wake()
            now = self.clock.now()
            self._due[name] = (now, Millis(now + wait))
