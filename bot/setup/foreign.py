"""Whether another Trackside writes into the same threads."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.clock import DAY, Millis
from bot.setup.finding import Finding, fine, warning
from bot.storage.contract import Tx
from bot.views.foreign import seen

LATELY = 7 * DAY
"""For how long what another instance wrote is worth a warning, in milliseconds."""


def foreign_writer(tx: Tx, now: Millis) -> Finding:
    """Look whether comments of another instance were met that are not old."""
    found = seen(tx)
    if found is None or found.at <= now - LATELY:
        return fine("instance", "no other Trackside was seen lately to write with the bot's account")
    day = datetime.fromtimestamp(found.at / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    text = f"another Trackside, {found.instance}, wrote into {found.place} with the bot's account on {day}"
    return warning(
        "instance", text, "let only one bot serve a repository: stop one of them, or take the repository out"
    )
