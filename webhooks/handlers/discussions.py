"""A line of a pull request was commented on: its review is read, in case nothing else tells of it."""

from __future__ import annotations

from bot.domain.event import NewEvent
from bot.ids import EventId, new_id
from webhooks.desk import Desk
from webhooks.facts import ReviewFact, Wake
from webhooks.intake import fact_event


async def review_told_of(desk: Desk, fact: Wake) -> list[NewEvent]:
    """
    Return the review that a comment on a line belongs to, to be accepted, unless it is known or concerns no Work.

    A review with many comments comes as many deliveries: only the first of them asks. Raises ``TrackerError``.
    """
    if fact.review is None:
        return []
    known = f"review:{fact.repository.id}/{fact.review}"
    if await desk.store.read(
        lambda tx: (
            tx.events.by_natural_key(known) is not None or not any(tx.works.live_by_key(key) for key in fact.keys)
        )
    ):
        return []
    name = fact.repository.full_name
    found = [each for each in await desk.tracker.reviews(name, fact.number) if each.id == fact.review]
    if not found:
        # Its author is still at it: it is told when it is submitted.
        return []
    pull = await desk.tracker.pull_request(name, fact.number)
    told = ReviewFact.of(fact.repository, found[0], pull, from_fork=fact.branch is None)
    return [fact_event(told, EventId(new_id("evt")))]
