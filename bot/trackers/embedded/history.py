"""The history of threads: what was done, by whom, in the order of its ids."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.values import HistoryEntry, Listed, Repository, Thread, Window

Detail = Mapping[str, Mapping[str, str]]
NO_DETAIL: Detail = {}


async def record(
    act: Act,
    repository: Repository,
    thread: Thread,
    kind: str,
    *,
    detail: Detail = NO_DETAIL,
    commit: str | None = None,
) -> None:
    """Add an entry; ``kind`` is GitHub's word for it. The thread counts as updated."""
    await act.tx.run(
        "history_insert",
        id=await act.tx.next_id(),
        repository=repository.id,
        thread=thread.id,
        actor=act.actor.id,
        kind=kind,
        detail=json.dumps(detail),
        commit_id=commit,
        now=act.now,
    )
    await act.tx.run("thread_touch", id=thread.id, now=act.now)


async def of_thread(act: Act, thread: Thread, window: Window) -> Listed[HistoryEntry]:
    """Return the entries of a thread, oldest first."""
    found = await act.tx.all("history_of_thread", thread=thread.id, limit=window.limit, offset=window.offset)
    return rows.listed(found, rows.history)


async def of_repository(act: Act, repository: Repository, window: Window) -> Listed[HistoryEntry]:
    """Return the entries of all threads, newest first."""
    found = await act.tx.all(
        "history_of_repository", repository=repository.id, limit=window.limit, offset=window.offset
    )
    return rows.listed(found, rows.history)
