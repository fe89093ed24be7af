"""Labels start and stop Work; closing ends it."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Event, Routing
from bot.domain.scope import item_key
from bot.domain.work import Starter
from bot.ids import WorkId
from bot.scheduler.cancel import cancel, complete_elsewhere
from bot.storage.contract import Tx
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.handlers.starting import Wish, start
from webhooks.handlers.state_labels import put_right
from webhooks.history import actor_of, repository_of


async def handle_history(desk: Desk, event: Event) -> Change:
    """Route one entry of an item's history, by its kind."""
    number = int(str(event.data["number"]))
    match event.data["kind"]:
        case "labeled":
            return await _labeled(desk, event, number)
        case "unlabeled":
            return _unlabeled(desk, event, number)
        case _:
            return await _closed(desk, event, number)


async def _labeled(desk: Desk, event: Event, number: int) -> Change:
    # Armed by the label that was added, never by the set that the item carries (ag-A05).
    label = _label(event)
    playbook = desk.playbook_for_label(label)
    if playbook is None:
        return put_right(desk, event, number, label)
    actor = actor_of(event)
    if actor is None or actor.bot or actor.id == desk.me.id:
        return unmatched("a label by a bot or an unknown account starts nothing")
    wish = Wish(
        event=event,
        repository=repository_of(event),
        number=number,
        playbook=playbook,
        starter=Starter(id=actor.id, login=actor.login),
        by_label=True,
    )
    return await start(desk, wish)


def _unlabeled(desk: Desk, event: Event, number: int) -> Change:
    label = _label(event)
    playbook = desk.playbook_for_label(label)
    if playbook is None:
        return put_right(desk, event, number, label)
    actor = actor_of(event)
    if actor is not None and (actor.bot or actor.id == desk.me.id):
        # The bot takes the trigger label off itself when a Work has ended, perhaps with the account of a person.
        return unmatched("a bot took the label off")
    repository = repository_of(event)

    def change(tx: Tx, now: Millis) -> Routed:
        live = tx.works.live(item_key(repository.id, number), playbook.name)
        if live is None:
            return Routed(routing=Routing.UNMATCHED, note="nothing is live")
        by = "" if actor is None else actor.login
        cancel(tx, live.id, by=by, reason=f"the label {label} was taken off", now=now)
        return Routed(routing=Routing.ROUTED, note=f"cancelled {live.id}")

    return change


async def _closed(desk: Desk, event: Event, number: int) -> Change:
    repository = repository_of(event)
    key = item_key(repository.id, number)
    actor = actor_of(event)
    by = "" if actor is None else actor.login
    live = await desk.store.read(lambda tx: tx.works.live_by_key(key))
    if not live:
        return unmatched("nothing is live")
    issue = await desk.tracker.issue(repository.full_name, number)
    if issue.open:
        return unmatched("it is open again")
    merged: set[WorkId] = set()
    for work in live:
        if work.pull is not None:
            pull = await desk.tracker.pull_request(repository.full_name, work.pull)
            merged |= {work.id} if pull.merged else set()
    what = "the pull request was closed" if issue.is_pull_request else "the issue was closed"

    def change(tx: Tx, now: Millis) -> Routed:
        for work in tx.works.live_by_key(key):
            if work.id in merged:
                reason = f"pull request #{work.pull} merged"
                complete_elsewhere(tx, work.id, by=by, reason=reason, now=now)
            else:
                cancel(tx, work.id, by=by, reason=what, now=now)
        return Routed(routing=Routing.ROUTED, note=what)

    return change


def _label(event: Event) -> str | None:
    label = event.data.get("label")
    return label if isinstance(label, str) else None
