"""Something about an item changed: read its history."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Routing
from bot.domain.scope import item_key
from bot.domain.work import Gone
from bot.errors import TrackerMissingError
from bot.ids import EventId, new_id
from bot.scheduler.cancel import lose
from bot.storage.contract import Tx
from webhooks.desk import Change, Desk, Routed
from webhooks.facts import PullAction, PullRequestFact, Wake
from webhooks.handlers.discussions import review_told_of
from webhooks.history import accept_history, identified
from webhooks.intake import accept_facts


async def handle_wake(desk: Desk, fact: Wake | PullRequestFact) -> Change:
    """Accept what is new in the item's history; an item that is gone ends its Work."""
    repository, number = fact.repository, fact.number
    key = item_key(repository.id, number)
    item = await desk.store.read(lambda tx: tx.items.get(key))
    try:
        entries = await desk.tracker.issue_events(
            repository.full_name, number, after=0 if item is None else item.cursor
        )
    except TrackerMissingError:
        # The same is said of everything in a repository that the bot may not see any more; that ends no Work.
        await desk.tracker.repository(repository.full_name)
        return _gone(key)
    numbered = identified(entries, lambda: EventId(new_id("evt")))
    reviews = await review_told_of(desk, fact) if isinstance(fact, Wake) else []

    def change(tx: Tx, now: Millis) -> Routed:
        accept_facts(tx, reviews, now)
        fresh = accept_history(tx, repository, number, numbered, now)
        if isinstance(fact, PullRequestFact) and fact.action is PullAction.SYNCHRONIZE:
            # The checks of ours belong on the new head.
            for item in {work.item for key in fact.keys for work in tx.works.live_by_key(key)}:
                tx.threads.touch(item)
        return Routed(routing=Routing.ROUTED, note=f"{fresh} new in the item's history")

    return change


def _gone(key: str) -> Change:
    def change(tx: Tx, now: Millis) -> Routed:
        for work in tx.works.live_by_key(key):
            lose(tx, work.id, Gone.MOVED, now=now)
        return Routed(routing=Routing.ROUTED, note="the item is gone")

    return change
