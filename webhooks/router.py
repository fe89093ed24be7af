"""
Routing: a pass over accepted events, outside any request.

Events of one item are routed in the order of their acceptance: while one of them must wait for another try,
the later ones of its item wait behind it, and those of other items go on. Only what happened to the item itself does
not wait behind what somebody said: a comment that cannot be handled never keeps people from stopping what runs. An
event that fails too often becomes a visible dead letter; a redelivery, or a person, can make it due again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog

from bot.clock import MINUTE, SECOND, Clock, Millis
from bot.domain.event import Event, Routing
from bot.domain.retry import backoff
from bot.domain.scope import item_key
from bot.errors import TracksideError
from bot.ids import new_id
from bot.scheduler.notices import EXCEEDED, WARNING
from bot.scheduler.own_pulls import OPENED
from bot.storage.contract import Store, Tx
from bot.trackers.contract import Person
from bot.views.markers import is_marked
from webhooks.access_facts import AccessFact
from webhooks.backlog import measure
from webhooks.code_facts import ChecksFact, PushFact
from webhooks.commands import parse
from webhooks.dead_letters import tell
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.fact_documents import from_document
from webhooks.fact_parts import FactKind
from webhooks.facts import CommentFact, Fact, Ping, PullRequestFact, ReviewFact, Wake
from webhooks.handlers.access import handle_access
from webhooks.handlers.checks import handle_checks
from webhooks.handlers.comments import handle_comment
from webhooks.handlers.deleted_comments import handle_deleted
from webhooks.handlers.labels import handle_history
from webhooks.handlers.own_pulls import handle_own_pull
from webhooks.handlers.reach import handle_reach
from webhooks.handlers.repositories import handle_label, handle_moved
from webhooks.handlers.reviews import handle_review
from webhooks.handlers.wakes import handle_wake
from webhooks.history import TYPE as HISTORY
from webhooks.reach import ReachFact
from webhooks.repository_facts import LabelFact, MovedFact, WorkflowFact
from webhooks.said_before import said_before
from webhooks.served import Served
from webhooks.vote_facts import CommentDeletedFact

MAX_TRIES = 12
"""Tries of one event before it is given up: with the longest wait of ten minutes, more than an hour."""
PAGE = 200
NOTICES = frozenset({WARNING, EXCEEDED})
"""Events of our own that concern no Work."""
SAID = frozenset(f"tracker.{kind.value}" for kind in (FactKind.COMMENT, FactKind.COMMENT_DELETED, FactKind.REVIEW))
"""The types of events that are what somebody said; all others are what happened to an item."""

_NO_FACTS: Mapping[str, Callable[[Desk, Event], Awaitable[Change]]] = {
    HISTORY: handle_history,
    OPENED: handle_own_pull,
}
"""What routes the events that hold no fact of the tracker, by their types."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Router:
    """Routes what is pending and due."""

    store: Store
    desk: Desk
    served: Served
    clock: Clock
    wake: Callable[[], None]

    async def run(self) -> int:
        """
        Route until nothing that is due is left. Returns how many events were routed.

        What routing accepts itself, such as the history that a wake finds, is routed too.
        """
        routed = 0
        while True:
            done = await self._round()
            if not done:
                await self.store.read(lambda tx: measure(tx, self.clock.now()))
                return routed
            routed += done
            self.wake()

    async def _round(self) -> int:
        any_waits: set[str] = set()
        happened_waits: set[str] = set()
        done = after = 0
        while page := await self._page(after):
            for event in page:
                said = event.type in SAID
                before = any_waits if said else happened_waits
                waits = event.next_at > self.clock.now() or not before.isdisjoint(event.keys)
                if not waits and await self._route(event):
                    done += 1
                    continue
                any_waits.update(event.keys)
                if not said:
                    happened_waits.update(event.keys)
            after = page[-1].seq
        return done

    async def _page(self, after: int) -> list[Event]:
        return list(await self.store.read(lambda tx: tx.events.pending(after=after, limit=PAGE)))

    async def _route(self, event: Event) -> bool:
        try:
            await self._settled(event, await self._prepare(event))
        except Exception as error:  # noqa: BLE001 - one event must never stop the others
            await self._failed(event, error)
            return False
        return True

    async def _prepare(self, event: Event) -> Change:
        if event.type in _NO_FACTS:
            return await _NO_FACTS[event.type](self.desk, event)
        if event.type in NOTICES:
            return unmatched("a notice")
        fact = from_document(event.data)
        if isinstance(fact, AccessFact | ReachFact | Ping) or await self.served.serves(fact.repository):
            return await self._heard(event, fact)
        return unmatched(f"{fact.repository.full_name} is none of the repositories that are served here")

    async def _heard(self, event: Event, fact: Fact) -> Change:
        match fact:
            case Wake() | PullRequestFact():
                return await handle_wake(self.desk, fact)
            case CommentFact() | ReviewFact():
                return await self._said(event, fact)
            case ChecksFact():
                return await handle_checks(self.desk, event, fact)
            case _:
                return _unasked(self.desk, fact)

    async def _said(self, event: Event, fact: CommentFact | ReviewFact) -> Change:
        await self._history_first(fact)
        if isinstance(fact, CommentFact):
            return await handle_comment(self.desk, event, fact)
        return await handle_review(self.desk, event, fact)

    async def _history_first(self, fact: CommentFact | ReviewFact) -> None:
        """
        Route what happened to the item before what a person says of it.

        Deliveries come in any order: a command, or a word, whose label is not read yet would find nothing to act on or
        nobody to hear it, and be used up (gh-O-02).
        """
        if fact.author.bot or is_marked(fact.body):
            return
        now = self.clock.now()
        change = await handle_wake(self.desk, Wake(repository=fact.repository, number=fact.number, delivery=""))
        await self.store.write(lambda tx: change(tx, now))
        key = item_key(fact.repository.id, fact.number)
        for entry in await self.store.read(lambda tx: tx.events.of_type_with_key(key, HISTORY)):
            if entry.routing is Routing.PENDING:
                await self._settled(entry, await handle_history(self.desk, entry))
        if parse(fact.body):
            for event, earlier in await said_before(self.desk, fact, self.clock.now()):
                await self._settled(event, await handle_comment(self.desk, event, earlier))

    async def _settled(self, event: Event, change: Change) -> None:
        now = self.clock.now()
        await self.store.write(lambda tx: _settle(tx, event, change, now))

    async def _failed(self, event: Event, error: Exception) -> None:
        note = str(error) if isinstance(error, TracksideError) else f"internal error {new_id('err')}"
        _log.warning("event_not_routed", trackside_event=event.id, type=event.type, note=note, exc_info=error)
        now = self.clock.now()
        await self.store.write(lambda tx: _postpone(tx, event, note, self.desk.me, now))


def _unasked(desk: Desk, fact: Fact) -> Change:
    """Return the change of a fact about which nothing is asked of the tracker."""
    match fact:
        case AccessFact():
            change = handle_access(fact)
        case ReachFact():
            change = handle_reach(fact)
        case CommentDeletedFact():
            change = handle_deleted(fact)
        case MovedFact():
            change = handle_moved(fact)
        case LabelFact():
            change = handle_label(desk, fact)
        case WorkflowFact():
            change = unmatched(f"recorded: nothing waits for run {fact.run}")
        case PushFact():
            change = unmatched(f"recorded: a push to {fact.ref}")
        case _:
            change = unmatched("nothing to do")
    return change


def _settle(tx: Tx, event: Event, change: Change, now: Millis) -> Routed | None:
    current = tx.events.get(event.id)
    if current is None or current.routing is not Routing.PENDING:
        # Another process routed it between our reading and this transaction.
        return None
    routed = change(tx, now)
    tx.events.settle(event, routed.routing, routed.note)
    return routed


def _postpone(tx: Tx, event: Event, note: str, me: Person, now: Millis) -> None:
    if event.tries + 1 >= MAX_TRIES:
        if tx.events.settle(event, Routing.DEAD, note):
            tell(tx, event, note, me=me)
        return
    wait = backoff(event.tries + 1, base=SECOND, most=10 * MINUTE)
    tx.events.postpone(event, until=Millis(now + wait), note=note)
