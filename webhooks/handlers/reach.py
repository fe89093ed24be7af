"""What was refused in a repository may be allowed now: its parked threads are tried again at once."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Routing
from bot.domain.scope import owner_scope, repository_scope
from bot.storage.contract import Tx
from webhooks.desk import Change, Routed
from webhooks.reach import ReachFact

SWEEP_ASKED = "sweep-asked"
"""Under this it is stored by which delivery a sweep of everything was asked for last."""


def handle_reach(fact: ReachFact) -> Change:
    """Return the change that makes the parked threads of the repositories due."""
    scopes = [repository_scope(each) for each in fact.repositories] or [owner_scope(fact.owner)]

    def change(tx: Tx, _now: Millis) -> Routed:
        # What happened while it was out of reach was told to nobody.
        tx.cursors.put(SWEEP_ASKED, fact.delivery)
        threads = sum(tx.threads.unpark_scope(scope) for scope in scopes)
        return Routed(routing=Routing.ROUTED if threads else Routing.UNMATCHED, note=f"threads tried again: {threads}")

    return change
