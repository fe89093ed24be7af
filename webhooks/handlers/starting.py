"""A person's wish for a run, and what becomes of it: a new Work, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.branch import branch_name, review_branch
from bot.domain.event import Event, Routing
from bot.domain.permission import Permission
from bot.domain.scope import branch_key, item_key, repository_scope
from bot.domain.work import Starter, Work, WorkState
from bot.errors import TrackerMissingError
from bot.ids import WorkId, new_id
from bot.playbook.playbook import Playbook
from bot.scheduler.router import open_work
from bot.storage.contract import Tx
from bot.storage.threads import Note, NoteKind
from bot.trackers.contract import Issue
from bot.views.reply import Reply, ReplyCode
from webhooks.answers import reply_note
from webhooks.current_text import current_text
from webhooks.desk import Change, Desk, Routed, unmatched
from webhooks.fact_parts import RepositoryRef
from webhooks.history import ensure_item


@dataclass(frozen=True, kw_only=True)
class Wish:
    """
    That ``playbook`` is run on an item, with the authority of ``starter``.

    ``event`` is what tells of it, and the first input of the Work. ``by_label`` is whether a label on the item says so,
    which then has to stay there; without one, nobody is there to be answered.
    """

    event: Event
    repository: RepositoryRef
    number: int
    playbook: Playbook
    starter: Starter
    by_label: bool


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where a new Work works: its branch, the pull request that it goes on with, and the keys that find it."""

    branch: str
    pull_request: int | None
    keys: tuple[str, ...]


async def start(desk: Desk, wish: Wish) -> Change:
    """Return the change that opens the Work, or says why not. Raises ``TrackerError``."""
    repository, playbook = wish.repository, wish.playbook
    issue = await desk.tracker.issue(repository.full_name, wish.number)
    if not issue.open or (wish.by_label and not playbook.asked_for(issue.labels)):
        return unmatched("the item is closed, or does not carry the label any more")
    if playbook.reviews != issue.is_pull_request:
        return _wrong_kind(wish, issue)
    if not playbook.gates and await _may_start(desk, wish) is False:
        return _not_allowed(wish)
    place = await _place(desk, wish, issue)
    work = await _new_work(desk, wish, issue, place)

    def change(tx: Tx, now: Millis) -> Routed:
        key = ensure_item(tx, repository, wish.number)
        fresh = replace(work, created_at=now, updated_at=now)
        live = tx.works.live(key, playbook.name)
        if live is not None:
            return _already(tx, wish, live)
        opened = open_work(tx, fresh, wish.event, keys=place.keys, kind="label" if wish.by_label else "pull_request")
        if wish.by_label:
            tx.notes.add(Note(item=key, kind=NoteKind.EYES, source=wish.event.natural_key))
        return Routed(routing=Routing.ROUTED, note="" if opened is None else f"started {opened.id}")

    return change


async def _may_start(desk: Desk, wish: Wish) -> bool:
    return await desk.authority.permission(wish.repository, wish.starter) >= Permission.WRITE


def _already(tx: Tx, wish: Wish, live: Work) -> Routed:
    login = wish.starter.login
    if wish.by_label:
        reply = Reply(code=ReplyCode.ALREADY_RUNNING, login=login, details={"playbook": live.playbook})
        tx.notes.add(reply_note(live.item, reply, source=f"already/{live.id}/{login}"))
    return Routed(routing=Routing.ROUTED, note=f"{live.id} is live already")


def _not_allowed(wish: Wish) -> Change:
    details = {"explanation": "write access is needed to start this"}
    reply = Reply(code=ReplyCode.NOT_ALLOWED, login=wish.starter.login, details=details)
    return _refused(wish, reply, source=wish.event.natural_key, note=f"{wish.starter.login} may not start this")


def _wrong_kind(wish: Wish, issue: Issue) -> Change:
    """Answer once that a playbook is about the other kind of item."""
    wanted, name = ("pull requests", "an issue") if wish.playbook.reviews else ("issues", "a pull request")
    reply = Reply(
        code=ReplyCode.WRONG_KIND,
        login=wish.starter.login,
        details={"playbook": wish.playbook.name, "wanted": wanted, "found": name},
    )
    source = f"kind/{item_key(wish.repository.id, issue.number)}/{wish.playbook.name}"
    return _refused(wish, reply, source=source, note=f"{wish.playbook.name} is for {wanted}, and this is {name}")


def _refused(wish: Wish, reply: Reply, *, source: str, note: str) -> Change:
    def change(tx: Tx, _now: Millis) -> Routed:
        if wish.by_label:
            key = ensure_item(tx, wish.repository, wish.number)
            tx.notes.add(reply_note(key, reply, source=source))
        return Routed(routing=Routing.UNMATCHED, note=note)

    return change


async def _place(desk: Desk, wish: Wish, issue: Issue) -> _Place:
    repository, key = wish.repository.id, item_key(wish.repository.id, issue.number)
    if issue.is_pull_request:
        pull = await desk.tracker.pull_request(wish.repository.full_name, issue.number)
        # What happens to a branch of the same name in the repository itself is nothing to one of a fork.
        head = () if pull.from_fork else (branch_key(repository, pull.head_ref),)
        return _Place(branch=review_branch(issue.number), pull_request=None, keys=(key, *head))
    branch, pull_request = await _continued(desk, wish, issue, key)
    made = () if pull_request is None else (item_key(repository, pull_request),)
    return _Place(branch=branch, pull_request=pull_request, keys=(key, branch_key(repository, branch), *made))


async def _continued(desk: Desk, wish: Wish, issue: Issue, key: str) -> tuple[str, int | None]:
    """Return the branch and pull request to go on with: those of the run before, while that one is open."""
    earlier = await desk.store.read(lambda tx: tx.works.latest(key, wish.playbook.name))
    fresh = branch_name(issue.number, issue.title)
    if earlier is None:
        return fresh, None
    if earlier.pull_request is None:
        return earlier.branch, None
    try:
        pull = await desk.tracker.pull_request(wish.repository.full_name, earlier.pull_request)
    except TrackerMissingError:
        return f"{fresh}-{earlier.run + 1}", None
    return (earlier.branch, pull.number) if pull.open else (f"{fresh}-{earlier.run + 1}", None)


async def _new_work(desk: Desk, wish: Wish, issue: Issue, place: _Place) -> Work:
    return Work(
        id=WorkId(new_id("wrk")),
        scope=repository_scope(wish.repository.id),
        kind=wish.playbook.kind.value,
        playbook=wish.playbook.name,
        item=item_key(wish.repository.id, issue.number),
        number=issue.number,
        run=1,
        state=WorkState.READY,
        status=None,
        starter=wish.starter,
        instructions=await current_text(desk.tracker, wish.repository.full_name, issue),
        branch=place.branch,
        pull_request=place.pull_request,
        by_label=wish.by_label,
        created_at=Millis(0),
        updated_at=Millis(0),
    )
