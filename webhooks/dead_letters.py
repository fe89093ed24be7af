"""
A dead letter is told in its thread, once: whoever said something learns that it was given up (ag-B02).

Wakes are not told of. They say nothing themselves, and the sweep looks at their items again.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.event import Event
from bot.storage.contract import Tx
from bot.trackers.contract import Person
from bot.views.reply import Reply, ReplyCode
from webhooks.answers import reply_note
from webhooks.fact_documents import from_document
from webhooks.fact_parts import RepositoryRef
from webhooks.facts import CommentFact, ReviewFact
from webhooks.history import TYPE as HISTORY
from webhooks.history import actor_of, ensure_item, repository_of

_KINDS = {"labeled": "the label that you put on", "unlabeled": "the label that you took off"}


@dataclass(frozen=True, kw_only=True)
class _Lost:
    repository: RepositoryRef
    number: int
    person: Person | None
    what: str


def tell(tx: Tx, event: Event, reason: str, *, me: Person) -> None:
    """Queue the reply for an event that was given up. ``me`` is never told, so that no answer follows an answer."""
    lost = _lost(event)
    if lost is None or lost.person is None or lost.person.bot or lost.person.id == me.id:
        return
    key = ensure_item(tx, lost.repository, lost.number)
    details = {"what": lost.what, "explanation": reason}
    reply = Reply(code=ReplyCode.GIVEN_UP, login=lost.person.login, details=details)
    tx.notes.add(reply_note(key, reply, source=f"dead/{event.natural_key}"))


def _lost(event: Event) -> _Lost | None:
    try:
        if event.type == HISTORY:
            return _Lost(
                repository=repository_of(event),
                number=int(str(event.data["number"])),
                person=actor_of(event),
                what=_KINDS.get(str(event.data["kind"]), "what you changed"),
            )
        fact = from_document(event.data)
    except ValueError:
        # The row makes no sense, which may be why it was given up: nobody knows whom to tell.
        return None
    if not isinstance(fact, CommentFact | ReviewFact):
        return None
    what = "your comment" if isinstance(fact, CommentFact) else "your review"
    return _Lost(repository=fact.repository, number=fact.number, person=fact.author, what=what)
