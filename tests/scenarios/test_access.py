"""What the bot cannot reach any more ends its Work there, and only there."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from typing import Any

import pytest

from bot.demo.story import Thread
from bot.domain.scope import owner_id, repository_id
from bot.domain.work import WorkState
from bot.storage.contract import Tx
from tests.scenarios.playbooks import APPROVED, RECORD
from tests.scenarios.scenes import behaves, webhooks_only
from tests.scenarios.stage import Stage

FOREIGN = 999_999


async def _held(stage: Stage) -> tuple[Thread, int, int]:
    """Begin a Work that waits for a person. Returns its thread, and the ids of its repository and owner."""
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    work = (await stage.works(thread))[0]

    def owner(tx: Tx) -> int:
        return owner_id(tx.scopes.line(work.scope)[1])

    return thread, repository_id(work.scope), await stage.up.store.read(owner)


async def _hear(stage: Stage, event: str, payload: dict[str, Any]) -> None:
    sample = (await stage.deliveries("issues"))[0]
    delivery = replace(sample, guid=secrets.token_hex(16), event=event, payload=json.dumps(payload))
    assert (await stage.send(delivery)).status_code == 202
    await stage.settle()


def _payload(event: str, action: str, repository: int, owner: int) -> dict[str, Any]:
    account = {"id": owner, "login": "acme", "type": "Organization"}
    return {
        "action": action,
        "installation": {"id": 5, "account": account},
        "repositories_removed": [{"id": repository}],
        "repository": {"id": repository, "name": "greeter", "owner": account},
        "sent_as": event,
    }


# ag-F06, ag-F13
@webhooks_only
@behaves(RECORD, gates=APPROVED)
@pytest.mark.parametrize(
    ("event", "action", "why"),
    [
        ("installation", "deleted", "the app was uninstalled"),
        ("installation", "suspend", "the app was suspended"),
        ("installation_repositories", "removed", "the repository was taken from the app"),
        ("repository", "deleted", "the repository was deleted"),
    ],
)
async def test_work_out_of_reach_is_cancelled_with_the_reason(stage: Stage, event: str, action: str, why: str) -> None:
    thread, repository, owner = await _held(stage)
    await _hear(stage, event, _payload(event, action, repository, owner))
    work = (await stage.works(thread))[0]
    assert work.state is WorkState.CANCELLED
    assert work.reason == why


@webhooks_only
@behaves(RECORD, gates=APPROVED)
@pytest.mark.parametrize(
    ("event", "action"),
    [("installation", "deleted"), ("installation_repositories", "removed"), ("repository", "deleted")],
)
async def test_work_elsewhere_goes_on(stage: Stage, event: str, action: str) -> None:
    thread, _, _ = await _held(stage)
    await _hear(stage, event, _payload(event, action, FOREIGN, FOREIGN))
    assert (await stage.works(thread))[0].state is not WorkState.CANCELLED
