"""The trace that another instance left which writes with our account (gh-L-14)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from bot.clock import Millis
from bot.storage.contract import Tx

_NAME = "foreign"


@dataclass(frozen=True, kw_only=True)
class Foreign:
    """What another instance wrote last, as far as we saw: where, such as ``owner/name#1``, and when."""

    instance: str
    place: str
    at: Millis


def saw(tx: Tx, foreign: Foreign) -> None:
    """Remember it, unless something later was seen."""
    before = seen(tx)
    if before is None or before.at < foreign.at:
        tx.cursors.put(_NAME, json.dumps(asdict(foreign)))


def seen(tx: Tx) -> Foreign | None:
    """Return the latest that was seen."""
    kept = tx.cursors.get(_NAME)
    return None if kept is None else Foreign(**json.loads(kept))
