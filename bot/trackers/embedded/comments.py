"""Comments in threads."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import Millis
from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import find_thread
from bot.trackers.embedded.faults import forbidden, invalid, not_found
from bot.trackers.embedded.hooks import emit
from bot.trackers.embedded.repositories import require, role_of
from bot.trackers.embedded.shapes.issues import comment_json, issue_json
from bot.trackers.embedded.shapes.people import Json
from bot.trackers.embedded.texts import check_body
from bot.trackers.embedded.values import AccountKind, Comment, Listed, Repository, Role, Thread, Window

_BEGINNING = Millis(0)


async def add(act: Act, repository: Repository, number: int, body: str) -> Comment:
    """Write a comment. Raises ``RefusedError``: 403 when the thread is locked, 422 when it is blank or too long."""
    thread = await find_thread(act, repository, number)
    _check(body)
    if thread.locked and not await _may_write_when_locked(act, repository):
        raise forbidden("Unable to create comment because issue is locked.")
    identity = await act.tx.next_id()
    await act.tx.run(
        "comment_insert",
        id=identity,
        repository=repository.id,
        thread=thread.id,
        author=act.actor.id,
        body=body,
        now=act.now,
    )
    await act.tx.run("thread_touch", id=thread.id, now=act.now)
    comment = await find(act, repository, identity)
    await _tell(act, repository, comment, "created")
    return comment


async def _may_write_when_locked(act: Act, repository: Repository) -> bool:
    # GitHub lets people with write access in, but not apps.
    if act.actor.kind is AccountKind.BOT:
        return False
    return (await role_of(act, repository, act.actor)).allows(Role.WRITE)


async def edit(act: Act, repository: Repository, identity: int, body: str) -> Comment:
    """Replace a comment's text. Its author may, and who may write. Raises ``RefusedError`` (403, 404, 422)."""
    comment = await find(act, repository, identity)
    await _own_or_write(act, repository, comment)
    _check(body)
    if body == comment.body:
        return comment
    thread = await find_thread(act, repository, comment.number)
    await act.tx.run("comment_update", id=identity, body=body, now=act.now)
    await act.tx.run("thread_touch", id=thread.id, now=act.now)
    edited = await find(act, repository, identity)
    await _tell(act, repository, edited, "edited", {"changes": {"body": {"from": comment.body}}})
    return edited


async def delete(act: Act, repository: Repository, identity: int) -> None:
    """Delete a comment for good. Raises ``RefusedError`` (403, 404)."""
    comment = await find(act, repository, identity)
    await _own_or_write(act, repository, comment)
    thread = await find_thread(act, repository, comment.number)
    await act.tx.run("reactions_delete", subject=identity)
    await act.tx.run("comment_delete", id=identity)
    await act.tx.run("thread_touch", id=thread.id, now=act.now)
    await _tell(act, repository, comment, "deleted")


async def find(act: Act, repository: Repository, identity: int) -> Comment:
    """Return the comment. Raises ``RefusedError`` (404)."""
    row = await act.tx.one("comment_by_id", repository=repository.id, id=identity)
    if row is None:
        raise not_found()
    return rows.comment(row)


async def of_thread(act: Act, thread: Thread, window: Window, *, since: Millis = _BEGINNING) -> Listed[Comment]:
    """Return a thread's comments, oldest first, of those changed since."""
    found = await act.tx.all(
        "comments_of_thread", thread=thread.id, since=since, limit=window.limit, offset=window.offset
    )
    return rows.listed(found, rows.comment)


@dataclass(frozen=True, kw_only=True)
class CommentFilter:
    """Which comments of a repository, and in which order: ``sort`` is created or updated."""

    since: Millis = Millis(0)
    sort: str = "created"
    descending: bool = False


async def of_repository(act: Act, repository: Repository, wanted: CommentFilter, window: Window) -> Listed[Comment]:
    """Return the comments of all threads."""
    found = await act.tx.all(
        "comments_of_repository",
        repository=repository.id,
        since=wanted.since,
        sort=wanted.sort,
        descending=wanted.descending,
        limit=window.limit,
        offset=window.offset,
    )
    return rows.listed(found, rows.comment)


def _check(body: str) -> None:
    if not body.strip():
        raise invalid("IssueComment", "body", "missing_field", "Body cannot be blank")
    check_body("IssueComment", body)


async def _own_or_write(act: Act, repository: Repository, comment: Comment) -> None:
    if comment.author.id != act.actor.id:
        await require(act, repository, Role.WRITE)


async def _tell(act: Act, repository: Repository, comment: Comment, action: str, extra: Json | None = None) -> None:
    thread = await find_thread(act, repository, comment.number)
    body: Json = {
        "issue": issue_json(act.links, repository, thread),
        "comment": comment_json(act.links, repository, comment),
    }
    await emit(act, repository, "issue_comment", action, {**body, **(extra or {})})
