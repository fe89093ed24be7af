"""When to ask for deliveries that failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import structlog

from bot.clock import Clock, Millis
from bot.errors import RateLimitedError, TrackerError

_log = structlog.get_logger(__name__)


class AsksAgain(Protocol):
    """A way to have sent again what failed."""

    async def run(self) -> int:
        """Ask for it. Returns for how many; raises ``TrackerError``."""
        ...


@dataclass(kw_only=True)
class RedeliverPass:
    """Asks at the start, and then every ``interval`` milliseconds."""

    redelivery: AsksAgain
    clock: Clock
    interval: int
    _asked: Millis = Millis(0)
    _due: Millis = Millis(0)

    async def run(self) -> None:
        """Ask if it is due."""
        # A clock that was set back must not keep the bot from looking.
        if self._asked <= self.clock.now() < self._due:
            return
        wait = self.interval
        try:
            if found := await self.redelivery.run():
                _log.info("redelivery_asked_for", deliveries=found)
        except RateLimitedError as error:
            wait = max(wait, error.retry_after)
            _log.warning("redelivery_limited", wait_ms=wait)
        except TrackerError as error:
            # What was lost is found by the sweep too.
            _log.warning("redelivery_failed", reason=str(error))
        now = self.clock.now()
        self._asked, self._due = now, Millis(now + wait)
