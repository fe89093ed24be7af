"""What the database tells: which holds are open and who may end each, and whether another bot was met."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from bot.approvals.policy import Requirement
from bot.clock import Millis
from bot.domain.hold import Hold, HoldKind
from bot.host.config import Config
from bot.host.store import open_store
from bot.setup.finding import Finding, fine
from bot.setup.foreign import foreign_writer
from bot.storage.contract import Tx
from bot.storage.runner import ThreadRunner


async def kept(config: Config, now: Millis) -> list[Finding]:
    """Return what an up-to-date database tells: open holds, and other instances. Raises as ``open_store`` does."""
    store = await open_store(config, ThreadRunner())
    try:
        return await store.read(lambda tx: [*_open(tx), foreign_writer(tx, now)])
    finally:
        await store.close()


def _open(tx: Tx) -> Iterator[Finding]:
    for kind in HoldKind:
        for hold in tx.holds.open_of_kind(kind):
            yield fine("hold", f"{_place(tx, hold)}: {hold.reason}; {may_end(hold)}")


def _place(tx: Tx, hold: Hold) -> str:
    work = tx.works.legible(hold.work)
    item = None if work is None else tx.items.get(work.item)
    if work is None or item is None:
        return hold.work
    scope = tx.scopes.get(item.scope)
    return f"{'' if scope is None else scope.name}#{item.number} ({work.playbook})"


def may_end(hold: Hold) -> str:
    """Say who may end a hold, and by which command."""
    if hold.kind is not HoldKind.GATE:
        return "/release by one person with write access"
    asked = cast("list[dict[str, Any]]", hold.details.get("requirements", []))
    if not asked:
        return f"only {hold.holder} ends it"
    return "/approve by " + ", and ".join(_people(Requirement.from_document(each)) for each in asked)


def _people(asked: Requirement) -> str:
    who = " or ".join(f"@{user}" for user in asked.named) or f"people with {asked.permission.word} access"
    but = [
        name for excluded, name in ((asked.not_starter, "who started it"), (asked.not_author, "the author")) if excluded
    ]
    return f"{asked.need} of {who}" + (f", but not {' or '.join(but)}" if but else "")
