"""What a handler of events works with, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.event import Routing
from bot.playbook.playbook import Playbook
from bot.storage.contract import Store, Tx
from bot.trackers.checks import Writer
from bot.trackers.contract import Person, Reads
from bot.views.standing import Explain
from webhooks.authority import Authority


@dataclass(frozen=True, kw_only=True)
class Routed:
    """How an event ended; ``note`` says why, for people who look."""

    routing: Routing
    note: str = ""


Change = Callable[[Tx, Millis], Routed]
"""The one transaction that routes an event. What it needs from outside was fetched before it."""


def unmatched(note: str) -> Change:
    """Return the change that records an event as concerning nothing here, and why."""
    return lambda _tx, _now: Routed(routing=Routing.UNMATCHED, note=note)


@dataclass(frozen=True, kw_only=True)
class Desk:
    """
    What handlers use: the store and tracker to read, people's authority, the playbooks in force.

    ``me`` is the account that the bot acts as.
    """

    store: Store
    tracker: Reads
    authority: Authority
    playbooks: Mapping[str, Playbook]
    me: Person
    explain: Explain

    @property
    def writer(self) -> Writer:
        """As whom the bot writes checks."""
        return Writer(account=self.me.id, app=self.tracker.app)

    def playbook_for_label(self, label: str | None) -> Playbook | None:
        """Return the playbook that a label starts."""
        return next((book for book in self.playbooks.values() if book.starts_on(label)), None)
