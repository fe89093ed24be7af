"""
What was said of a Work before a command, found before the command is carried out.

Deliveries are lost, and come in any order. A hold and its release must not change places, whichever is heard of first:
a release that was said before a hold lifts nothing, and one that was said after it leaves nothing held.
"""

from __future__ import annotations

from bot.clock import HOUR, Millis
from bot.domain.event import Event, Routing
from bot.ids import EventId, new_id
from bot.storage.contract import Tx
from webhooks.desk import Desk
from webhooks.fact_documents import from_document
from webhooks.facts import CommentFact, ReviewFact
from webhooks.intake import accept_facts, fact_event
from webhooks.sweep import OVERLAP, comments_mark, numbers_of

UNSWEPT = HOUR
"""How far back to look in a repository that was never swept."""


async def said_before(desk: Desk, fact: CommentFact | ReviewFact, now: Millis) -> list[tuple[Event, CommentFact]]:
    """
    Return the comments about the same Work that are older than this and not routed yet, oldest first, all accepted.

    Only what was said since the last sweep is asked for: what is older is known. Raises ``TrackerError``.
    """
    said_at = fact.created_at if isinstance(fact, CommentFact) else fact.submitted_at
    mark, numbers = await desk.store.read(
        lambda tx: (tx.cursors.get(comments_mark(fact.repository.id)), _threads(tx, fact))
    )
    since = said_at - UNSWEPT if mark is None else min(int(mark), said_at) - OVERLAP
    comments = await desk.tracker.comments_since(fact.repository.full_name, Millis(since))
    facts = [
        CommentFact.of(fact.repository, each, on_pull_request=False)
        for each in comments
        if each.number in numbers and _before(each.created_at, each.id, fact, said_at)
    ]
    facts.sort(key=lambda each: (each.created_at, each.comment_id))
    events = [fact_event(each, EventId(new_id("evt"))) for each in facts]
    await desk.store.write(lambda tx: accept_facts(tx, events, now))
    found = await desk.store.read(lambda tx: [tx.events.by_natural_key(each.natural_key) for each in events])
    return [(each, _fact(each)) for each in found if each is not None and each.routing is Routing.PENDING]


def _threads(tx: Tx, fact: CommentFact | ReviewFact) -> set[int]:
    """Return the numbers of the threads in which people talk about the same Work."""
    live = [work for key in fact.keys for work in tx.works.live_by_key(key)]
    return {fact.number} | numbers_of(live)


def _before(created_at: Millis, identity: int, fact: CommentFact | ReviewFact, said_at: Millis) -> bool:
    # The tracker tells whole seconds; within one, its ids tell the order of comments.
    return identity < fact.comment_id if isinstance(fact, CommentFact) else created_at < said_at


def _fact(event: Event) -> CommentFact:
    fact = from_document(event.data)
    if not isinstance(fact, CommentFact):
        raise TypeError(f"event {event.id} is accepted under the key of a comment, and is none")
    return fact
