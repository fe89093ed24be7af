"""
An item's own history, read after its cursor: the one way by which labels and closes come in.

Deliveries about labels carry no id of their entry in the history, so they only wake this reading; the sweep
does the same reading. Both accept an entry under the same natural key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.clock import Millis
from bot.domain.event import Event, NewEvent, Routing
from bot.domain.scope import ROOT, Scope, ScopeKind, item_key, owner_scope, repository_scope
from bot.ids import EventId, ScopeId
from bot.storage.contract import Tx
from bot.trackers.contract import IssueEvent, Person
from webhooks.fact_parts import RepositoryRef

TYPE = "tracker.history"
KINDS = frozenset({"labeled", "unlabeled", "closed", "merged"})
"""The kinds of entries that matter here; all others are passed over."""
UNLOCKED = "unlocked"
"""The kind of entry after which a thread that could not be written to is tried again at once (ag-J06)."""


def remember_repository(tx: Tx, repository: RepositoryRef) -> ScopeId:
    """Store the scopes of a repository and of its owner, with the names of now, and return the repository's."""
    owner = owner_scope(repository.owner_id)
    scope = repository_scope(repository.id)
    tx.scopes.put(Scope(id=owner, parent=ROOT, kind=ScopeKind.OWNER, name=repository.owner))
    tx.scopes.put(Scope(id=scope, parent=owner, kind=ScopeKind.REPOSITORY, name=repository.full_name))
    return scope


def ensure_item(tx: Tx, repository: RepositoryRef, number: int) -> str:
    """Store the scopes and the item, with the names of now, and return the item's key."""
    scope = remember_repository(tx, repository)
    key = item_key(repository.id, number)
    tx.items.ensure(key, scope, number)
    return key


def history_event(repository: RepositoryRef, entry: IssueEvent, identity: EventId) -> NewEvent:
    """Return the event that an entry of an item's history is accepted as."""
    actor = entry.actor
    return NewEvent(
        id=identity,
        source="tracker",
        type=TYPE,
        natural_key=f"issue-event:{repository.id}/{entry.id}",
        keys=(item_key(repository.id, entry.number),),
        scope=repository_scope(repository.id),
        data={
            "version": 1,
            "repository": {
                "id": repository.id,
                "owner": repository.owner,
                "owner_id": repository.owner_id,
                "name": repository.name,
            },
            "number": entry.number,
            "entry": entry.id,
            "kind": entry.kind,
            "label": entry.label,
            "actor": None if actor is None else {"id": actor.id, "login": actor.login, "bot": actor.bot},
        },
    )


def accept_history(
    tx: Tx,
    repository: RepositoryRef,
    number: int,
    entries: Sequence[tuple[IssueEvent, EventId]],
    now: Millis,
) -> int:
    """
    Accept what is new in an item's history and move its cursor. Returns how many entries are to be routed.

    A label that was taken off again within what is read here is over before it was seen: it starts nothing.
    """
    key = ensure_item(tx, repository, number)
    fresh = 0
    for place, (entry, identity) in enumerate(entries):
        if entry.kind in KINDS:
            over = entry.kind == "labeled" and any(
                later.kind == "unlabeled" and later.label == entry.label for later, _ in entries[place + 1 :]
            )
            routing = Routing.UNMATCHED if over else Routing.PENDING
            accepted = tx.events.accept(history_event(repository, entry, identity), now, routing=routing)
            fresh += accepted is not None and not over
    if any(entry.kind == UNLOCKED for entry, _ in entries):
        tx.threads.unpark_item(key)
    if entries:
        tx.items.advance(key, max(entry.id for entry, _ in entries))
    return fresh


def identified(entries: Sequence[IssueEvent], new_identity: Callable[[], EventId]) -> list[tuple[IssueEvent, EventId]]:
    """Give each entry an identity, before the transaction that may run twice."""
    return [(entry, new_identity()) for entry in entries]


def actor_of(event: Event) -> Person | None:
    """Return who made an entry of the history; None when the account is gone."""
    actor = event.data.get("actor")
    return Person(**actor) if isinstance(actor, dict) else None


def repository_of(event: Event) -> RepositoryRef:
    """Return the repository of an entry. Raises ``ValueError`` when the row makes no sense."""
    repository = event.data.get("repository")
    if not isinstance(repository, dict):
        raise ValueError(f"event {event.id} names no repository")  # noqa: TRY004 - what is wrong is the stored row
    return RepositoryRef(**repository)
