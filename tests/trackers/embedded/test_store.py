"""Transactions of the tracker's database: whole or not at all, one after the other."""

from __future__ import annotations

import asyncio
from importlib import resources
from pathlib import Path

import pytest

from bot.trackers.embedded.statements import statements
from bot.trackers.embedded.store import Store, open_store
from tests.trackers.embedded.conftest import REPO, World


async def _add(store: Store, login: str, reached: asyncio.Event | None = None) -> None:
    async with store.transaction() as tx:
        identity = await tx.next_id()
        await tx.run("account_insert", id=identity, login=login, name=None, kind="User", now=0)
        if reached is not None:
            reached.set()
            await asyncio.Event().wait()


async def _logins(store: Store) -> list[str]:
    async with store.transaction() as tx:
        return [row["login"] for row in await tx.all("accounts_all")]


async def test_a_cancelled_change_leaves_nothing_and_blocks_nobody(tmp_path: Path) -> None:
    async with open_store(tmp_path / "t.db") as store:
        reached = asyncio.Event()
        cancelled = asyncio.create_task(_add(store, "ada", reached))
        await reached.wait()
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        await _add(store, "ben")

        assert await _logins(store) == ["ben"]


async def test_changes_at_the_same_time_are_done_one_after_the_other(world: World) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One")
    await world.told()

    await asyncio.gather(*(world.tracker.label(REPO, 1, "bug", by="ada") for _ in range(5)))
    comments = await asyncio.gather(*(world.tracker.comment(REPO, 1, f"{n}", by="ada") for n in range(5)))

    assert len({comment.id for comment in comments}) == 5
    assert sorted(await world.told()) == ["issue_comment.created"] * 5 + ["issues.labeled"]


def test_every_statement_is_used() -> None:
    package = resources.files("bot.trackers.embedded")
    code = "".join(file.read_text() for file in package.iterdir() if file.name.endswith(".py"))

    assert [name for name in statements() if f'"{name}"' not in code] == []
