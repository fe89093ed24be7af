"""Telling webhooks about a thread: as an issue or as a pull request, whichever it is."""

from __future__ import annotations

from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.faults import not_found
from bot.trackers.embedded.hooks import emit
from bot.trackers.embedded.shapes.issues import issue_json
from bot.trackers.embedded.shapes.people import Json
from bot.trackers.embedded.shapes.pulls import full_pull_json
from bot.trackers.embedded.values import Pull, Repository, Thread


async def find_thread(act: Act, repository: Repository, number: int) -> Thread:
    """Return the thread as it is now. Raises ``RefusedError`` (404)."""
    row = await act.tx.one("thread_by_number", repository=repository.id, number=number)
    if row is None:
        raise not_found()
    return rows.thread(row)


async def find_pull(act: Act, thread: Thread) -> Pull:
    """Return the pull request side of a thread. Raises ``RefusedError`` (404) when it is an issue only."""
    row = await act.tx.one("pull_of_thread", thread=thread.id)
    if row is None:
        raise not_found()
    return rows.pull(row)


async def announce(act: Act, repository: Repository, number: int, action: str, extra: Json | None = None) -> Thread:
    """Queue ``issues`` or ``pull_request`` with the thread as it is now, and return that."""
    thread = await find_thread(act, repository, number)
    more = extra or {}
    if not thread.pull:
        issue = issue_json(act.links, repository, thread)
        await emit(act, repository, "issues", action, {"issue": issue, **more})
        return thread
    pull = full_pull_json(act.links, repository, thread, await find_pull(act, thread))
    await emit(act, repository, "pull_request", action, {"number": number, "pull_request": pull, **more})
    return thread
