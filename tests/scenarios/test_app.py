"""The bot as a GitHub App: all that it does, it does by tokens that end within the hour."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from bot.clock import HOUR, MINUTE, SECOND
from bot.demo.story import Thread
from bot.demo.world import DEVELOPER, MAINTAINER, REPOSITORY
from bot.trackers.embedded.apps import Manifest
from bot.trackers.github.credentials import AppIdentity
from bot.trackers.github.permissions import EVENTS, PERMISSIONS
from tests.scenarios.conftest import assert_nothing_left
from tests.scenarios.playbooks import AWAIT, COMMIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage
from tests.trackers.github.apps import pem

APP = "trackside-acme[bot]"
FARM = "zoo/farm"
WORKS = f"{RECORD}; {AWAIT}; echo done > work; git add --all; {COMMIT}"


@pytest.fixture
def installations() -> dict[str, int]:
    """Keep the installations of the App, by owner."""
    return {}


@pytest.fixture
async def app(scene: Stage, installations: dict[str, int]) -> AsyncIterator[Stage]:
    """Set a stage where the bot is an App, which is installed on two accounts; it is up."""
    manifest = Manifest(
        name="Trackside acme", url="https://bot.test", permissions=dict(PERMISSIONS), events=list(EVENTS)
    )
    await scene.tracker.create_repository("zoo", "farm", {"README.md": "# Farm\n"})
    await scene.tracker.grant(FARM, DEVELOPER, "write")
    made, keys = await scene.tracker.add_app("acme", manifest, pem=pem())
    for owner in ("acme", "zoo"):
        installations[owner] = (await scene.tracker.install(made.slug, owner)).id
    scene.app = AppIdentity(id=made.id, key=keys.pem)
    scene.served = (REPOSITORY, FARM)
    async with scene.bot():
        yield scene
        await scene.settle()
        await assert_nothing_left(scene)


async def in_the_other(stage: Stage) -> Thread:
    """Open an issue on the other account, with the label that starts work on it."""
    opened = await stage.tracker.open_issue(FARM, by=DEVELOPER, title="Feed the hens")
    await stage.tracker.label(FARM, opened.number, "run:work-issue", by=DEVELOPER)
    return Thread(stage.people[DEVELOPER], FARM, opened.number)


def mints(stage: Stage) -> int:
    """Return how many tokens the bot has asked for."""
    return sum(1 for _, path in stage.faults.seen if re.fullmatch(r"/app/installations/\d+/access_tokens", path))


# ag-I01, gh-K-01
@webhooks_only
@behaves(WORKS, default="review")
async def test_a_run_that_outlives_its_token_ends_in_a_pull_request(app: Stage, signal: Signal) -> None:
    await app.turn()
    app.clock.advance(54 * MINUTE)
    thread = await app.begin()
    await app.at_work(thread)
    before = mints(app)
    for _ in range(6):
        app.clock.advance(20 * SECOND)
        await app.turn()
    signal.give()
    await app.labelled(thread, "state:review")
    await app.settle()

    assert runs(app.directory) == 1
    assert mints(app) > before
    (pull,) = await app.people[MAINTAINER].call("GET", f"/repos/{REPOSITORY}/pulls?state=all")
    assert pull["user"]["login"] == APP
    comments = await thread.comments()
    assert {comment["user"]["login"] for comment in comments} == {APP}
    assert comments[-1]["body"]
    assert "ghs_" not in str(comments)
    await app.tracker.merge(REPOSITORY, pull["number"], by=MAINTAINER)
    await app.ended(thread)


# ag-I03, gh-R-02
@silent_only
@behaves(default="done")
async def test_a_limit_at_one_account_leaves_the_other_alone(app: Stage) -> None:
    limit = app.faults.slow_down("POST", "/repos/acme/.*", retry_after=3600, times=None)
    here, there = await app.begin(), await in_the_other(app)
    await app.labelled(there, "state:done")
    await app.settle()
    assert await here.comments() == []
    # Told once to wait, it does not knock again.
    assert limit.met == 1

    app.faults.heal()
    app.clock.advance(2 * HOUR)
    await app.labelled(here, "state:done")


@silent_only
@behaves(default="done")
async def test_a_suspended_installation_leaves_the_other_alone_and_is_gone_on_with(
    app: Stage, installations: dict[str, int]
) -> None:
    await app.turn()
    await app.tracker.suspend(installations["acme"])
    here, there = await app.begin(), await in_the_other(app)
    await app.labelled(there, "state:done")
    assert "state:done" not in await here.labels()

    await app.tracker.suspend(installations["acme"], suspended=False)
    await app.labelled(here, "state:done")
