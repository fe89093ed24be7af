"""Labels by which the bot shows where its Work stands, changed by somebody else: they are put right (gh-L-01)."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Event, Routing
from bot.domain.scope import item_key
from bot.storage.contract import Tx
from bot.views.labels import looks_ours
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.history import actor_of, repository_of


def put_right(desk: Desk, event: Event, number: int, label: str | None) -> Change:
    """
    Return the change that shows the labels of an item anew.

    What the bot wrote itself is no news, and where all has ended people tidy up as they like.
    """
    actor = actor_of(event)
    if label is None or not looks_ours(label):
        return unmatched("no playbook has this label")
    if actor is not None and actor.id == desk.me.id:
        return unmatched("our own label")
    key = item_key(repository_of(event).id, number)

    def change(tx: Tx, _now: Millis) -> Routed:
        if not tx.works.live_by_key(key):
            return Routed(routing=Routing.UNMATCHED, note="nothing is live")
        tx.threads.touch(key)
        return Routed(routing=Routing.ROUTED, note=f"{label} is put right")

    return change
