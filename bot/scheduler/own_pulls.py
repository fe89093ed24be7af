"""A pull request that a Work has opened, as an event of its own: a playbook may be started by it."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import NewEvent, Routing
from bot.domain.scope import item_key, repository_id
from bot.domain.work import Work
from bot.ids import EventId
from bot.storage.contract import Tx

OPENED = "core.pull_request.opened"


def pull_request_opened(tx: Tx, work: Work, number: int, now: Millis) -> None:
    """
    Accept that a Work has a pull request, once for each pull request: what starts by it starts once.

    The event is about the pull request, and names who started the Work that made it: with that authority it is acted
    on.
    """
    key = item_key(repository_id(work.scope), number)
    identity = f"own pull/{key}"
    tx.events.accept(
        NewEvent(
            id=EventId(identity),
            source="core",
            type=OPENED,
            natural_key=identity,
            keys=(key,),
            scope=work.scope,
            data={
                "version": 1,
                "work": work.id,
                "number": number,
                "starter": {"id": work.starter.id, "login": work.starter.login},
            },
        ),
        now,
        routing=Routing.PENDING,
    )
