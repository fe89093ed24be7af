"""What failed is tried again later, each on its own, so that it keeps nothing else from being done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import structlog

from bot.clock import MINUTE, SECOND, Clock, Millis
from bot.domain.retry import backoff

K = TypeVar("K", bound=Hashable)

MOST = 5 * MINUTE
"""The longest wait before another try, in milliseconds."""


_log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class Postponed(Generic[K]):
    """What waits for another try, by its identity. A restart forgets it: then all of it is tried at once."""

    clock: Clock
    _later: dict[K, tuple[int, Millis, Millis]] = field(default_factory=dict)

    async def attempt(self, key: K, step: Callable[[], Awaitable[object]]) -> None:
        """Take a step for one of them, unless it is too early for another try; what it raises stops nothing else."""
        if self.waits(key):
            return
        try:
            await step()
        except Exception as error:  # noqa: BLE001 - one that fails must never stop the others (ag-G07)
            wait = self.failed(key)
            _log.warning("row_postponed", row=key, wait_ms=wait, exc_info=error)
        else:
            self.succeeded(key)

    def waits(self, key: K) -> bool:
        """Whether it is too early for another try."""
        _, failed, until = self._later.get(key, (0, Millis(0), Millis(0)))
        # A clock that was set back puts nothing off for longer.
        return failed <= self.clock.now() < until

    def failed(self, key: K) -> int:
        """Put it off, longer each time. Returns for how many milliseconds."""
        now = self.clock.now()
        tries = self._later.get(key, (0, Millis(0), Millis(0)))[0] + 1
        wait = backoff(tries, base=SECOND, most=MOST)
        # What was not tried again for so long is gone.
        self._later = {each: later for each, later in self._later.items() if now < later[2] + MOST}
        self._later[key] = (tries, now, Millis(now + wait))
        return wait

    def succeeded(self, key: K) -> None:
        """Forget that it ever failed."""
        self._later.pop(key, None)
