"""Values as they usually are; a test names only what it is about."""

from __future__ import annotations

from typing import Any

from bot.clock import MINUTE, SECOND, Millis
from bot.domain.admission import Limits, Refused, Terms
from bot.domain.brake import Brakes
from bot.domain.event import Event, NewEvent, Routing
from bot.domain.execution import Binding
from bot.domain.retry import RetryPolicy
from bot.domain.scope import ROOT, Scope, ScopeKind, item_key, owner_scope, repository_scope
from bot.domain.work import Instructions, Starter, Work, WorkState
from bot.ids import EventId, ExecutionId, HoldId, WorkId
from bot.scheduler.claim import BudgetHeld, Candidate, Claimed, ClaimRequest, GateHeld, Moved, candidate, claim
from bot.scheduler.router import open_work
from bot.storage.contract import Tx
from tests.clock import START
from tests.storage.twice import Writable

LEASE = 60 * SECOND
TIMEOUT = 60 * MINUTE
REVISION = "revision-1"
UNLIMITED = Limits(default=1_000, pools=())
UNBRAKED = Brakes(starts=1_000_000, repository_starts=1_000_000)
TERMS = Terms(pool="agents", limits=UNLIMITED, brakes=UNBRAKED)


def make_binding(**changes: Any) -> Binding:
    usual: dict[str, Any] = {
        "executor": "agent",
        "pool": "agents",
        "config": {"model": "small"},
        "timeout": TIMEOUT,
        "retry": RetryPolicy(),
        "generation": "generation-1",
    }
    return Binding(**{**usual, **changes})


def make_event(natural_key: str = "event", **changes: Any) -> NewEvent:
    usual: dict[str, Any] = {
        "id": EventId(f"evt-{natural_key}"),
        "source": "tracker",
        "type": "tracker.comment",
        "natural_key": natural_key,
    }
    return NewEvent(**{**usual, **changes})


def make_work(number: int = 1, *, repository: int = 1, **changes: Any) -> Work:
    usual: dict[str, Any] = {
        "id": WorkId(f"wrk-{repository}-{number}"),
        "scope": repository_scope(repository),
        "kind": "work-issue",
        "playbook": "work-issue",
        "item": item_key(repository, number),
        "number": number,
        "run": 1,
        "state": WorkState.READY,
        "status": None,
        "starter": Starter(id=7, login="ada"),
        "instructions": Instructions(title="Fix it", body="It is broken.", author="ada", revision=REVISION),
        "branch": f"trackside/{number}",
        "created_at": START,
        "updated_at": START,
    }
    return Work(**{**usual, **changes})


def put_place(tx: Tx, number: int = 1, *, repository: int = 1, owner: int = 1) -> str:
    """Store the scopes of an item and the item, and return its key."""
    above, here = owner_scope(owner), repository_scope(repository)
    tx.scopes.put(Scope(id=above, parent=ROOT, kind=ScopeKind.OWNER, name=f"owner-{owner}"))
    tx.scopes.put(Scope(id=here, parent=above, kind=ScopeKind.REPOSITORY, name=f"owner-{owner}/repo-{repository}"))
    key = item_key(repository, number)
    tx.items.ensure(key, here, number)
    return key


def put_event(tx: Tx, natural_key: str, *, now: Millis, routing: Routing = Routing.ROUTED, **changes: Any) -> Event:
    """Accept an event that was not accepted before."""
    event = tx.events.accept(make_event(natural_key, **changes), now, routing=routing)
    assert event is not None, f"{natural_key} was accepted before"
    return event


def put_work(tx: Tx, work: Work, *, owner: int = 1, keys: tuple[str, ...] | None = None) -> Work | None:
    """Store a Work as the router does, with a label as its first input; its item is its key unless others are given."""
    put_place(tx, work.number, repository=int(work.scope.partition(":")[2]), owner=owner)
    event = put_event(tx, f"label/{work.id}", now=work.created_at)
    return open_work(tx, work, event, keys=(work.item,) if keys is None else keys, kind="label")


async def ready_work(
    store: Writable[Tx], number: int = 1, *, owner: int = 1, keys: tuple[str, ...] | None = None, **changes: Any
) -> Work:
    """Store a Work that may start."""
    opened = await store.write(lambda tx: put_work(tx, make_work(number, **changes), owner=owner, keys=keys))
    assert opened is not None
    return opened


def make_request(found: Candidate, **changes: Any) -> ClaimRequest:
    """Return the request of a host whose gates were asked and all allowed the start."""
    name = f"{found.work.id}-{found.work.attempts + 1}"
    usual: dict[str, Any] = {
        "candidate": found,
        "binding": make_binding(),
        "terms": TERMS,
        "owner": "host-a",
        "lease": LEASE,
        "revision": REVISION,
        "running": "building",
        "asked": True,
        "held": None,
        "execution": ExecutionId(f"exe-{name}"),
        "hold": HoldId(f"hld-{name}"),
        "event": EventId(f"evt-{name}"),
    }
    return ClaimRequest(**{**usual, **changes})


async def try_claim(
    store: Writable[Tx], work: WorkId, *, now: Millis, **changes: Any
) -> Claimed | GateHeld | BudgetHeld | Refused | Moved:
    """Read a candidate, then claim it, as a host does."""
    limits, pool = changes.pop("limits", UNLIMITED), changes.get("binding", make_binding()).pool
    terms = changes.setdefault("terms", Terms(pool=pool, limits=limits, brakes=UNBRAKED))
    found = await store.read(lambda tx: candidate(tx, work, now, terms=terms))
    if isinstance(found, Refused):
        return found
    return await store.write(lambda tx: claim(tx, make_request(found, **changes), now))


async def claim_one(store: Writable[Tx], work: WorkId, *, now: Millis, **changes: Any) -> Claimed:
    """Claim a Work that nothing holds back."""
    answer = await try_claim(store, work, now=now, **changes)
    assert isinstance(answer, Claimed), answer
    return answer
