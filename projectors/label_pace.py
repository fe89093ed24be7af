"""
How often the labels of one item are written.

Somebody else, mostly another bot, may undo each label that is put on or taken off, and be undone in turn, for ever
(gh-L-10). A label that has to be put right again and again is a quarrel: it ends with the labels of the item left as
they are for a while. And of an item that changes fast, only so many changes a minute are shown at all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.clock import HOUR, MINUTE, Clock, Millis

MOST_A_MINUTE = 30
"""Label writes to one item within a minute."""
MOST_REPAIRS = 5
"""How often labels of an item are put right again within ``LATELY``."""
LATELY = 10 * MINUTE
FREEZE = HOUR
"""How long the labels of an item are left alone after a quarrel."""


@dataclass(frozen=True)
class _Write:
    at: Millis
    label: str
    added: bool
    repair: bool


@dataclass(kw_only=True)
class LabelPace:
    """Remembers the label writes of the last ten minutes, by item; a restart forgets them."""

    clock: Clock
    _writes: dict[str, deque[_Write]] = field(default_factory=dict)
    _frozen: dict[str, Millis] = field(default_factory=dict)
    _later: dict[str, Millis] = field(default_factory=dict)

    def frozen_until(self, item: str) -> Millis | None:
        """Return until when the labels of an item are left as they are after a quarrel, or None."""
        until = self._frozen.get(item)
        return until if until is not None and until > self.clock.now() else None

    def wait(self, item: str) -> Millis | None:
        """Return when the labels of an item may be written again, or None when they may be now; it is noted."""
        now = self.clock.now()
        until = self.frozen_until(item)
        if until is None:
            last_minute = [write.at for write in self._lately(item, now) if write.at > now - MINUTE]
            if len(last_minute) < MOST_A_MINUTE:
                return None
            until = Millis(last_minute[-MOST_A_MINUTE] + MINUTE)
        self._later[item] = until
        return until

    def note(self, item: str, names: Iterable[str], *, added: bool) -> bool:
        """Note that labels were written. Returns whether the item's labels are left alone from now on."""
        now = self.clock.now()
        writes = self._lately(item, now)
        for name in names:
            label = name.casefold()
            before = [write.added for write in writes if write.label == label]
            # What we wrote stands until somebody else changes it.
            writes.append(_Write(now, label, added, repair=bool(before) and before[-1] is added))
        self._writes[item] = writes
        if sum(write.repair for write in writes) <= MOST_REPAIRS:
            return False
        del self._writes[item]
        self._frozen[item] = self._later[item] = Millis(now + FREEZE)
        return True

    def due(self) -> list[str]:
        """Return the items whose labels may be written again, each once."""
        now = self.clock.now()
        found = [item for item, until in self._later.items() if until <= now]
        for item in found:
            del self._later[item]
            self._frozen.pop(item, None)
        for item in [item for item, writes in self._writes.items() if writes[-1].at <= now - LATELY]:
            del self._writes[item]
        return found

    def _lately(self, item: str, now: Millis) -> deque[_Write]:
        # What lies ahead was noted before the clock was set back.
        return deque(write for write in self._writes.get(item, ()) if now - LATELY < write.at <= now)
