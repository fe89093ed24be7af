"""
Having sent again what did not arrive. The tracker never does it by itself.

A delivery that comes again has its old id, so that one which had arrived after all is known. The sweep finds most of
what deliveries tell; this also brings back the facts that no list of the tracker has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import prometheus_client

from bot.clock import DAY, Clock, Millis
from bot.metrics import REGISTRY
from bot.storage.contract import Store
from bot.trackers.deliveries import Attempt, Redeliver

OLDEST = 3 * DAY
"""How long the tracker keeps a delivery that can be sent again, in milliseconds."""
MOST_TIMES = 2
"""How often one delivery is asked for: what does not arrive then never will, such as one that is signed otherwise."""
MOST_AT_ONCE = 50

_ASKED = prometheus_client.Counter(
    "trackside_redeliveries", "Deliveries that were asked for again since they had failed", registry=REGISTRY
)


@dataclass(kw_only=True)
class Redelivery:
    """Asks for what failed, and what is not in the store."""

    store: Store
    tracker: Redeliver
    clock: Clock
    _read: int = 0
    _again: dict[int, Attempt] = field(default_factory=dict)
    _asked: set[int] = field(default_factory=set)

    async def run(self) -> int:
        """Ask for what has failed since the last time. Returns how many; raises ``TrackerError``."""
        since = Millis(self.clock.now() - OLDEST)
        attempts = await self.tracker.attempts(since, after=self._read)
        kept = {number: each for number, each in self._again.items() if each.delivered_at >= since}
        self._again = kept | {each.id: each for each in attempts if each.again}
        failed = await self._failed(attempts)
        now, later = failed[:MOST_AT_ONCE], failed[MOST_AT_ONCE:]
        for attempt in now:
            await self.tracker.redeliver(attempt.id)
            self._asked.add(attempt.id)
            _ASKED.inc()
        # What is left for later is read once more then, and with it what comes after it.
        self._read = later[0].id - 1 if later else max([self._read, *(each.id for each in attempts)])
        self._asked = {number for number in self._asked if number > self._read}
        return len(now)

    async def _failed(self, attempts: Iterable[Attempt]) -> list[Attempt]:
        """Return the latest attempts of what has arrived by none of them, and is worth another one, oldest first."""
        times = Counter(each.guid for each in self._again.values())
        latest = {attempt.guid: attempt for attempt in attempts}
        arrived = {attempt.guid for attempt in attempts if attempt.arrived}
        missing = [
            each
            for each in latest.values()
            if each.guid not in arrived and each.id not in self._asked and times[each.guid] < MOST_TIMES
        ]
        known = await self.store.read(
            lambda tx: {each.guid for each in missing if tx.deliveries.get(each.guid) is not None}
        )
        return sorted((each for each in missing if each.guid not in known), key=lambda each: each.id)
