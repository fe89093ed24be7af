"""Labels of repositories, and on threads. Putting one on that is there already changes nothing and tells nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import announce, find_thread
from bot.trackers.embedded.faults import invalid, not_found
from bot.trackers.embedded.history import record
from bot.trackers.embedded.repositories import require
from bot.trackers.embedded.shapes.repositories import label_json
from bot.trackers.embedded.values import Label, Listed, Repository, Role, Thread, Window

DEFAULT_COLOR = "ededed"
MAX_NAME = 50
MAX_DESCRIPTION = 100
_COLOR = re.compile(r"[0-9a-fA-F]{6}")


async def create(
    act: Act, repository: Repository, name: str, *, color: str = DEFAULT_COLOR, description: str | None = None
) -> Label:
    """Add a label. Raises ``RefusedError``: 403 below write access, 422 when it is invalid or there already."""
    await require(act, repository, Role.WRITE)
    if await _named(act, repository, name) is not None:
        raise invalid("Label", "name", "already_exists")
    return await _insert(act, repository, name, color=color, description=description)


async def _insert(act: Act, repository: Repository, name: str, *, color: str, description: str | None) -> Label:
    if not name.strip() or len(name) > MAX_NAME:
        raise invalid("Label", "name")
    if _COLOR.fullmatch(color) is None:
        raise invalid("Label", "color")
    if len(description or "") > MAX_DESCRIPTION:
        raise invalid("Label", "description")
    label = Label(id=await act.tx.next_id(), name=name, color=color.lower(), description=description)
    await act.tx.run(
        "label_insert",
        id=label.id,
        repository=repository.id,
        name=label.name,
        color=label.color,
        description=label.description,
    )
    return label


async def _named(act: Act, repository: Repository, name: str) -> Label | None:
    row = await act.tx.one("label_by_name", repository=repository.id, name=name)
    return None if row is None else rows.label(row)


async def find(act: Act, repository: Repository, name: str) -> Label:
    """Return the label, whatever the case of its name. Raises ``RefusedError`` (404)."""
    label = await _named(act, repository, name)
    if label is None:
        raise not_found()
    return label


async def labels_of(act: Act, repository: Repository, window: Window) -> Listed[Label]:
    """Return the labels of a repository by name."""
    found = await act.tx.all("labels_list", repository=repository.id, limit=window.limit, offset=window.offset)
    return rows.listed(found, rows.label)


async def add(act: Act, repository: Repository, number: int, names: Iterable[str]) -> Thread:
    """
    Put labels on a thread; one that the repository does not have yet is made.

    Every payload shows the thread with all of them, as GitHub's does. Raises ``RefusedError`` (403, 404, 422).
    """
    await require(act, repository, Role.TRIAGE)
    thread = await find_thread(act, repository, number)
    added = [label for name in names if (label := await _put(act, repository, thread, name)) is not None]
    for label in added:
        await record(act, repository, thread, "labeled", detail=_detail(label))
    for label in added:
        await announce(act, repository, number, "labeled", {"label": label_json(act.links, repository, label)})
    return await find_thread(act, repository, number)


async def _put(act: Act, repository: Repository, thread: Thread, name: str) -> Label | None:
    label = await _named(act, repository, name)
    if label is None:
        label = await _insert(act, repository, name, color=DEFAULT_COLOR, description=None)
    return label if await act.tx.run("thread_label_put", thread=thread.id, label=label.id) else None


async def remove(act: Act, repository: Repository, number: int, name: str) -> Thread:
    """Take a label off. Raises ``RefusedError``: 403, or 404 when it is not on the thread."""
    await require(act, repository, Role.TRIAGE)
    thread = await find_thread(act, repository, number)
    label = await _named(act, repository, name)
    if label is None or not await act.tx.run("thread_label_delete", thread=thread.id, label=label.id):
        raise not_found("Label does not exist")
    await record(act, repository, thread, "unlabeled", detail=_detail(label))
    return await announce(act, repository, number, "unlabeled", {"label": label_json(act.links, repository, label)})


async def replace(act: Act, repository: Repository, number: int, names: Iterable[str]) -> Thread:
    """Make these the labels of a thread. Raises ``RefusedError`` (403, 404, 422)."""
    wanted = list(names)
    kept = {name.lower() for name in wanted}
    thread = await find_thread(act, repository, number)
    for name in thread.label_names:
        if name.lower() not in kept:
            await remove(act, repository, number, name)
    return await add(act, repository, number, wanted)


def _detail(label: Label) -> dict[str, dict[str, str]]:
    return {"label": {"name": label.name, "color": label.color}}
