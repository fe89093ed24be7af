"""
Repositories out of reach: their Work ends, and nothing is asked of the tracker, which would refuse.

The delivery is believed as it is: an app can still read a public repository that was taken from it, so asking
would not tell.
"""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Routing
from bot.domain.scope import owner_scope, repository_scope
from bot.domain.work import Gone, Work
from bot.ids import ScopeId
from bot.scheduler.cancel import lose
from bot.storage.contract import Tx
from webhooks.access_facts import AccessFact, Lost
from webhooks.desk import Change, Routed

_REASONS = {
    Lost.UNINSTALLED: Gone.UNINSTALLED,
    Lost.SUSPENDED: Gone.SUSPENDED,
    Lost.REMOVED: Gone.REMOVED,
    Lost.DELETED: Gone.DELETED,
}


def handle_access(fact: AccessFact) -> Change:
    """Return the change that cancels the live Work of the repositories."""
    reason = _REASONS[fact.lost]
    repositories = frozenset(repository_scope(repository) for repository in fact.repositories)

    def change(tx: Tx, now: Millis) -> Routed:
        lost = [work for work in tx.works.all_live() if _within(tx, work, fact.owner, repositories)]
        for work in lost:
            lose(tx, work.id, reason, now=now)
        note = f"{reason.value}; Work cancelled: {len(lost)}"
        return Routed(routing=Routing.ROUTED if lost else Routing.UNMATCHED, note=note)

    return change


def _within(tx: Tx, work: Work, owner: int, repositories: frozenset[ScopeId]) -> bool:
    return work.scope in repositories if repositories else owner_scope(owner) in tx.scopes.line(work.scope)
