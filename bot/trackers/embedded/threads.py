"""Opening, editing, closing and locking threads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.trackers.embedded import labels as labelling
from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import announce, find_thread
from bot.trackers.embedded.faults import invalid
from bot.trackers.embedded.history import record
from bot.trackers.embedded.repositories import require, role_of
from bot.trackers.embedded.shapes.people import Json
from bot.trackers.embedded.texts import check_body, check_title
from bot.trackers.embedded.values import Listed, Repository, Role, Thread, Window

REASONS = ("completed", "not_planned", "duplicate")
"""Why an issue may be closed."""


async def open_issue(
    act: Act, repository: Repository, *, title: str, body: str | None, labels: Sequence[str] = ()
) -> Thread:
    """
    Open an issue: one ``opened``, then one ``labeled`` for each label.

    Labels of someone without the right to set them are dropped without a word, as GitHub does.
    Raises ``RefusedError`` (422).
    """
    number = await insert(act, repository, title=title, body=body, pull=False)
    thread = await announce(act, repository, number, "opened")
    if labels and (await role_of(act, repository, act.actor)).allows(Role.TRIAGE):
        return await labelling.add(act, repository, number, labels)
    return thread


async def insert(act: Act, repository: Repository, *, title: str, body: str | None, pull: bool) -> int:
    """Add the row of a thread and return its number; tells nobody. Raises ``RefusedError`` (422)."""
    resource = "PullRequest" if pull else "Issue"
    check_title(resource, title)
    check_body(resource, body or "")
    row = await act.tx.one("repository_next_number", id=repository.id)
    assert row is not None  # noqa: S101 - the repository was found in this transaction
    number = int(row["number"])
    await act.tx.run(
        "thread_insert",
        id=await act.tx.next_id(),
        repository=repository.id,
        number=number,
        title=title.strip(),
        body=body,
        author=act.actor.id,
        pull=pull,
        now=act.now,
    )
    return number


async def edit(
    act: Act, repository: Repository, number: int, *, title: str | None = None, body: str | None = None
) -> Thread:
    """Change title or text; None leaves it. Its author may, and who may write. Raises ``RefusedError`` (403, 422)."""
    thread = await find_thread(act, repository, number)
    await _author_or(act, repository, thread, Role.WRITE)
    resource = "PullRequest" if thread.pull else "Issue"
    changes: Json = {}
    if title is not None and title.strip() != thread.title:
        check_title(resource, title)
        changes["title"] = {"from": thread.title}
    if body is not None and body != (thread.body or ""):
        check_body(resource, body)
        changes["body"] = {"from": thread.body or ""}
    if not changes:
        return thread
    new_title = title.strip() if title is not None and "title" in changes else thread.title
    await act.tx.run("thread_text", id=thread.id, title=new_title, body=body if "body" in changes else thread.body)
    await act.tx.run("thread_touch", id=thread.id, now=act.now)
    if "title" in changes:
        rename = {"rename": {"from": thread.title, "to": new_title}}
        await record(act, repository, thread, "renamed", detail=rename)
    return await announce(act, repository, number, "edited", {"changes": changes})


async def close(
    act: Act, repository: Repository, number: int, *, reason: str = "completed", commit: str | None = None
) -> Thread:
    """
    Close a thread; one that is closed already stays as it is.

    ``reason`` is one of ``REASONS`` and means something for issues only. Raises ``RefusedError`` (403, 422).
    """
    thread = await find_thread(act, repository, number)
    await _author_or(act, repository, thread, Role.TRIAGE)
    if reason not in REASONS:
        raise invalid("Issue", "state_reason")
    if not thread.open:
        return thread
    await act.tx.run("thread_close", id=thread.id, reason=None if thread.pull else reason, now=act.now, by=act.actor.id)
    await record(act, repository, thread, "closed", commit=commit)
    return await announce(act, repository, number, "closed")


async def reopen(act: Act, repository: Repository, number: int) -> Thread:
    """Open a closed thread again. Raises ``RefusedError``: 403, 422 for a merged pull request."""
    thread = await find_thread(act, repository, number)
    await _author_or(act, repository, thread, Role.TRIAGE)
    if thread.open:
        return thread
    if thread.merged_at is not None:
        raise invalid("PullRequest", "state")
    await act.tx.run("thread_reopen", id=thread.id)
    await record(act, repository, thread, "reopened")
    return await announce(act, repository, number, "reopened")


async def lock(act: Act, repository: Repository, number: int, *, locked: bool) -> Thread:
    """Lock a thread against comments, or unlock it. Raises ``RefusedError`` (403)."""
    await require(act, repository, Role.WRITE)
    thread = await find_thread(act, repository, number)
    if thread.locked == locked:
        return thread
    await act.tx.run("thread_lock", id=thread.id, locked=locked)
    await record(act, repository, thread, "locked" if locked else "unlocked")
    return await announce(act, repository, number, "locked" if locked else "unlocked")


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Which threads of a repository: ``state`` open, closed or all; all of ``labels``; changed ``since``."""

    state: str = "open"
    labels: tuple[str, ...] = ()
    since: Millis = Millis(0)
    sort: str = "created"
    descending: bool = True


async def threads_of(act: Act, repository: Repository, wanted: Filter, window: Window) -> Listed[Thread]:
    """Return issues and pull requests."""
    found = await act.tx.all(
        "threads_list",
        repository=repository.id,
        state=wanted.state,
        labels=json.dumps(wanted.labels),
        since=wanted.since,
        sort=wanted.sort,
        descending=wanted.descending,
        limit=window.limit,
        offset=window.offset,
    )
    return rows.listed(found, rows.thread)


async def _author_or(act: Act, repository: Repository, thread: Thread, needed: Role) -> None:
    if thread.author.id != act.actor.id:
        await require(act, repository, needed)
