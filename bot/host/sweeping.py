"""When to sweep, or to poll, which repository."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import structlog
from prometheus_client import Gauge

from bot.clock import Clock, Millis
from bot.errors import CallsSpentError, RateLimitedError, TrackerError
from bot.host.calls import Calls
from bot.metrics import REGISTRY

_BEHIND = Gauge(
    "trackside_sweep_behind",
    "Repositories of which the last reading had calls for a part only, or for none",
    ["reading"],
    registry=REGISTRY,
)

_log = structlog.get_logger(__name__)


class Reads(Protocol):
    """A way to read what happened in a repository: the sweep, or the poll."""

    async def run(self, name: str) -> int:
        """Read a repository, by its ``owner/name``. Returns how many facts were new; raises ``TrackerError``."""
        ...


@dataclass(kw_only=True)
class SweepPass:
    """
    Sweeps, or polls, each repository at the start and then every ``interval`` milliseconds.

    ``calls`` are shared by the repositories: a large one takes no other one's part, and whoever was not reached comes
    first when there are calls again. ``asked`` returns a word that is another one after a sweep of everything was asked
    for.
    """

    sweep: Reads
    clock: Clock
    repositories: Sequence[str]
    interval: int
    calls: Calls
    wake: Callable[[], None]
    asked: Callable[[], Awaitable[str]]
    _heard: str = ""
    _due: dict[str, tuple[Millis, Millis]] = field(default_factory=dict)
    _behind: set[str] = field(default_factory=set)

    async def run(self) -> None:
        """Sweep what is due, as far as there are calls."""
        if (asked := await self.asked()) != self._heard:
            self._heard = asked
            self._due.clear()
        due = self._all_due()
        for place, name in enumerate(due):
            if not self.calls.share(among=len(due) - place):
                self._behind.update(due[place:])
                break
            self._behind.discard(name)
            wait = await self._read(name)
            now = self.clock.now()
            self._due[name] = (now, Millis(now + wait))
        _BEHIND.labels(self.calls.reading).set(len(self._behind))

    def _all_due(self) -> list[str]:
        now = self.clock.now()
        times = {name: self._due.get(name, (Millis(0), Millis(0))) for name in self.repositories}
        # A clock that was set back must not keep the bot from looking.
        due = [name for name, (asked, until) in times.items() if not asked <= now < until]
        return sorted(due, key=lambda name: times[name][0])

    async def _read(self, name: str) -> int:
        """Read one repository. Returns after how many milliseconds it is due again."""
        try:
            found = await self.sweep.run(name)
        except CallsSpentError:
            self._behind.add(name)
            self.wake()
        except RateLimitedError as error:
            wait = max(self.interval, error.retry_after)
            _log.warning("sweep_limited", repository=name, wait_ms=wait)
            return wait
        except TrackerError as error:
            _log.warning("sweep_failed", repository=name, reason=str(error))
        else:
            _log.debug("swept", repository=name, found=found)
            if found:
                self.wake()
        return self.interval
