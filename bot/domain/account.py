"""
Accounts at providers: when a provider's limit is reached, it is the account that pauses, for all Work that uses it.

::

    (no row) ──deferred──▶ PAUSED ──time, or new credentials──▶ RELEASED ──an attempt ends well enough──▶ (no row)
                             ▲                                     │
                             └────────────────deferred─────────────┘
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import SECOND, Millis

STAGGER = 10 * SECOND
"""How far apart Work starts on an account that was released, until one attempt shows that it is usable again."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """
    A provider's account as it is configured.

    ``credentials`` is a digest of what it is used with, to notice when that changes. Raises ``ValueError`` when one of
    them is empty: a pause could then never be told from its end.
    """

    name: str
    credentials: str

    def __post_init__(self) -> None:
        if not self.name or not self.credentials:
            raise ValueError("an account has a name and a digest of its credentials")


@dataclass(frozen=True, kw_only=True)
class Pause:
    """
    An account that is paused, or was and has not been proven usable since.

    ``until`` None means until its ``credentials`` change. ``released_at`` is when the pause ended, ``probed_at`` when
    the last Work started after that.
    """

    account: str
    until: Millis | None
    reason: str
    credentials: str
    paused_at: Millis
    released_at: Millis | None = None
    probed_at: Millis | None = None

    def over(self, credentials: str | None, now: Millis) -> bool:
        """Whether the pause ends; ``credentials`` are those in force, None when the account is not known here."""
        if self.until is not None:
            return self.until <= now
        return credentials is not None and credentials != self.credentials

    def next_start(self) -> Millis:
        """Return when the next Work may start on an account that was released."""
        return Millis(0) if self.probed_at is None else Millis(self.probed_at + STAGGER)


def joined(earlier: Pause | None, fresh: Pause) -> Pause:
    """
    Return the pause that holds when an account is paused again: an earlier end never shortens it.

    One that had been released begins anew, and so does one whose credentials have changed since. A pause that a run of
    another account asked for knows none, and says nothing of that.
    """
    if earlier is None or earlier.released_at is not None:
        return fresh
    if earlier.credentials and fresh.credentials and earlier.credentials != fresh.credentials:
        return fresh
    if earlier.until is None or (fresh.until is not None and fresh.until <= earlier.until):
        return earlier
    credentials = fresh.credentials or earlier.credentials
    return replace(earlier, until=fresh.until, reason=fresh.reason, credentials=credentials)
