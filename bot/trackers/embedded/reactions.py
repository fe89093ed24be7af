"""Reactions to issues and comments: at most one of each content by each account. They tell no webhook."""

from __future__ import annotations

from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import find_thread
from bot.trackers.embedded.faults import forbidden, invalid, not_found
from bot.trackers.embedded.repositories import role_of
from bot.trackers.embedded.shapes.issues import REACTIONS
from bot.trackers.embedded.values import Comment, Listed, Reaction, Repository, Role, Thread, Window

Subject = Thread | Comment


async def add(act: Act, repository: Repository, subject: Subject, content: str) -> tuple[Reaction, bool]:
    """Return the actor's reaction, and whether it is new. Raises ``RefusedError`` (403, 422)."""
    if content not in REACTIONS:
        raise invalid("Reaction", "content")
    thread = await find_thread(act, repository, subject.number)
    if thread.locked and not (await role_of(act, repository, act.actor)).allows(Role.WRITE):
        raise forbidden("Unable to create reaction because issue is locked.")
    found = await _find(act, subject, content)
    if found is not None:
        return found, False
    identity = await act.tx.next_id()
    await act.tx.run(
        "reaction_insert", id=identity, subject=subject.id, account=act.actor.id, content=content, now=act.now
    )
    await act.tx.run("thread_stir", id=thread.id)
    return Reaction(id=identity, account=act.actor, content=content, created_at=act.now), True


async def _find(act: Act, subject: Subject, content: str) -> Reaction | None:
    row = await act.tx.one("reaction_find", subject=subject.id, account=act.actor.id, content=content)
    return None if row is None else rows.reaction(row)


async def remove(act: Act, repository: Repository, subject: Subject, identity: int) -> None:
    """Take one of the actor's own reactions back. Raises ``RefusedError`` (403, 404)."""
    row = await act.tx.one("reaction_by_id", subject=subject.id, id=identity)
    if row is None:
        raise not_found()
    if rows.reaction(row).account.id != act.actor.id:
        raise forbidden("You can only delete your own reactions.")
    await act.tx.run("reaction_delete", id=identity)
    thread = await find_thread(act, repository, subject.number)
    await act.tx.run("thread_stir", id=thread.id)


async def of_subject(act: Act, subject: Subject, content: str | None, window: Window) -> Listed[Reaction]:
    """Return the reactions to an issue or comment, oldest first; of one ``content``, or of any."""
    found = await act.tx.all(
        "reactions_list", subject=subject.id, content=content, limit=window.limit, offset=window.offset
    )
    return rows.listed(found, rows.reaction)
