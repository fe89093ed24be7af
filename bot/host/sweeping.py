"""When to sweep which repository."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import structlog

from bot.clock import Clock, Millis
from bot.errors import RateLimitedError, TrackerError
from webhooks.sweep import Sweep

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class SweepPass:
    """Sweeps each repository at the start and then every ``interval`` milliseconds."""

    sweep: Sweep
    clock: Clock
    repositories: Sequence[str]
    interval: int
    wake: Callable[[], None]
    _due: dict[str, Millis] = field(default_factory=dict)

    async def run(self) -> None:
        """Sweep what is due."""
        for name in self.repositories:
            if self._due.get(name, Millis(0)) > self.clock.now():
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
            self._due[name] = Millis(self.clock.now() + wait)
