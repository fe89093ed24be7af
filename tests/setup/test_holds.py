"""What is held, and who may end it, as the doctor says it."""

from __future__ import annotations

import secrets
from pathlib import Path

from bot.approvals.gate import details
from bot.approvals.policy import Requirement
from bot.domain.hold import Hold, HoldKind
from bot.domain.permission import Permission
from bot.host.config import load_config
from bot.host.store import open_store
from bot.ids import HoldId
from bot.setup import local
from bot.storage.contract import Tx
from bot.storage.runner import ThreadRunner
from tests.clock import START
from tests.factories import make_work, put_work

ASKED = (
    Requirement(name="second", need=2, permission=Permission.WRITE, not_starter=True, not_author=True),
    Requirement(name="named", need=1, permission=Permission.WRITE, users=("ada", "grace")),
)
HOLDS: tuple[tuple[HoldKind, str, dict[str, object]], ...] = (
    (HoldKind.GATE, "approvals", details(ASKED, ())),
    (HoldKind.GATE, "freeze", {}),
    (HoldKind.OPERATOR, "ada", {}),
)


def place(tx: Tx) -> None:
    work = make_work()
    put_work(tx, work)
    for number, (kind, holder, more) in enumerate(HOLDS):
        tx.holds.place(
            Hold(
                id=HoldId(f"hld-{number}"),
                work=work.id,
                kind=kind,
                holder=holder,
                reason=f"reason {number}",
                revision="r",
                details=more,
                placed_at=START,
            )
        )


async def test_each_open_hold_is_told_with_who_may_end_it(tmp_path: Path) -> None:
    file = tmp_path / "trackside.toml"
    file.write_text('data = "data"\nrepositories = ["o/n"]\n', encoding="utf-8")
    (tmp_path / "data").mkdir()
    config = load_config(file, {"TRACKSIDE_TOKEN": secrets.token_hex()})
    store = await open_store(config, ThreadRunner())
    await store.write(place)
    await store.close()
    found = {each.text for each in await local.database(config, START) if each.check == "hold"}
    where = "owner-1/repo-1#1 (work-issue): reason"
    both = "2 of people with write access, but not who started it or the author, and 1 of @ada or @grace"
    assert found == {
        f"{where} 0; /approve by {both}",
        f"{where} 1; only freeze ends it",
        f"{where} 2; /release by one person with write access",
    }
