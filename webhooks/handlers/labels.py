"""Labels start and stop Work; closing ends it."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import Millis
from bot.domain.branch import branch_name
from bot.domain.event import Event, Routing
from bot.domain.permission import Permission
from bot.domain.scope import branch_key, item_key, repository_scope
from bot.domain.work import Starter, Work, WorkState
from bot.errors import TrackerMissingError
from bot.ids import WorkId, new_id
from bot.playbook.playbook import Playbook
from bot.scheduler.cancel import cancel, complete_elsewhere
from bot.scheduler.router import open_work
from bot.storage.contract import Tx
from bot.storage.threads import Note, NoteKind
from bot.trackers.contract import Issue, Person
from bot.views.instructions import instructions_of
from bot.views.reply import Reply, ReplyCode
from webhooks.answers import reply_note
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.fact_parts import RepositoryRef
from webhooks.history import actor_of, ensure_item, repository_of


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
        return unmatched("no playbook has this label")
    actor = actor_of(event)
    if actor is None or actor.bot or actor.id == desk.me.id:
        return unmatched("a label by a bot or an unknown account starts nothing")
    repository = repository_of(event)
    issue = await desk.tracker.issue(repository.full_name, number)
    if not issue.open or not playbook.asked_for(issue.labels) or issue.is_pull_request:
        return unmatched("the item is closed, is a pull request, or does not carry the label any more")
    if not playbook.gates and await _may_start(desk, repository, actor) is False:
        return _not_allowed(repository, number, actor, event)
    branch, pull_request = await _continued(desk, repository, issue, playbook)
    work = _new_work(issue, repository, playbook, actor, branch=branch, pull_request=pull_request)

    def change(tx: Tx, now: Millis) -> Routed:
        key = ensure_item(tx, repository, number)
        fresh = replace(work, created_at=now, updated_at=now)
        live = tx.works.live(key, playbook.name)
        if live is not None:
            reply = Reply(code=ReplyCode.ALREADY_RUNNING, login=actor.login, details={"playbook": playbook.name})
            tx.notes.add(reply_note(key, reply, source=f"already/{live.id}/{actor.login}"))
            return Routed(routing=Routing.ROUTED, note=f"{live.id} is live already")
        keys = [key, branch_key(repository.id, work.branch)]
        if work.pull_request is not None:
            keys.append(item_key(repository.id, work.pull_request))
        opened = open_work(tx, fresh, event, keys=tuple(keys), kind="label")
        tx.notes.add(Note(item=key, kind=NoteKind.EYES, source=event.natural_key))
        return Routed(routing=Routing.ROUTED, note="" if opened is None else f"started {opened.id}")

    return change


async def _may_start(desk: Desk, repository: RepositoryRef, actor: Person) -> bool:
    return await desk.authority.permission(repository.full_name, actor.login) >= Permission.WRITE


def _not_allowed(repository: RepositoryRef, number: int, actor: Person, event: Event) -> Change:
    def change(tx: Tx, _now: Millis) -> Routed:
        key = ensure_item(tx, repository, number)
        reply = Reply(
            code=ReplyCode.NOT_ALLOWED,
            login=actor.login,
            details={"explanation": "write access is needed to start this"},
        )
        tx.notes.add(reply_note(key, reply, source=event.natural_key))
        return Routed(routing=Routing.UNMATCHED, note=f"{actor.login} may not start this")

    return change


async def _continued(desk: Desk, repository: RepositoryRef, issue: Issue, playbook: Playbook) -> tuple[str, int | None]:
    """Return the branch and pull request to go on with: those of the run before, while that one is open."""
    key = item_key(repository.id, issue.number)
    earlier = await desk.store.read(lambda tx: tx.works.latest(key, playbook.name))
    fresh = branch_name(issue.number, issue.title)
    if earlier is None:
        return fresh, None
    if earlier.pull_request is None:
        return earlier.branch, None
    try:
        pull = await desk.tracker.pull_request(repository.full_name, earlier.pull_request)
    except TrackerMissingError:
        return f"{fresh}-{earlier.run + 1}", None
    return (earlier.branch, pull.number) if pull.open else (f"{fresh}-{earlier.run + 1}", None)


def _new_work(
    issue: Issue,
    repository: RepositoryRef,
    playbook: Playbook,
    actor: Person,
    *,
    branch: str,
    pull_request: int | None,
) -> Work:
    return Work(
        id=WorkId(new_id("wrk")),
        scope=repository_scope(repository.id),
        kind=playbook.kind.value,
        playbook=playbook.name,
        item=item_key(repository.id, issue.number),
        number=issue.number,
        run=1,
        state=WorkState.READY,
        status=None,
        starter=Starter(id=actor.id, login=actor.login),
        instructions=instructions_of(issue),
        branch=branch,
        pull_request=pull_request,
        created_at=Millis(0),
        updated_at=Millis(0),
    )


def _unlabeled(desk: Desk, event: Event, number: int) -> Change:
    label = _label(event)
    playbook = desk.playbook_for_label(label)
    if playbook is None:
        return unmatched("no playbook has this label")
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
        if work.pull_request is not None:
            pull = await desk.tracker.pull_request(repository.full_name, work.pull_request)
            merged |= {work.id} if pull.merged else set()
    what = "the pull request was closed" if issue.is_pull_request else "the issue was closed"

    def change(tx: Tx, now: Millis) -> Routed:
        for work in tx.works.live_by_key(key):
            if work.id in merged:
                reason = f"pull request #{work.pull_request} merged"
                complete_elsewhere(tx, work.id, by=by, reason=reason, now=now)
            else:
                cancel(tx, work.id, by=by, reason=what, now=now)
        return Routed(routing=Routing.ROUTED, note=what)

    return change


def _label(event: Event) -> str | None:
    label = event.data.get("label")
    return label if isinstance(label, str) else None
