"""What checks of a pull request bring about, and what the bot's own checks there say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.demo.story import Thread
from bot.demo.world import MAINTAINER, REPOSITORY
from bot.domain.hold import BRAKE
from bot.trackers.embedded.apps import Manifest
from bot.trackers.embedded.values import Pull
from bot.trackers.github.credentials import AppIdentity
from bot.trackers.github.permissions import EVENTS, PERMISSIONS
from tests.scenarios.conftest import assert_nothing_left
from tests.scenarios.playbooks import COMMIT, RECORD, WRITER, Agent, runs
from tests.scenarios.scenes import webhooks_only
from tests.scenarios.stage import Stage
from tests.trackers.github.apps import pem

WORKS = f"{RECORD}; echo $TRACKSIDE_ATTEMPT > attempt; git add --all; {COMMIT}"
PATIENT = Agent(script=WORKS, default="review", waits="[review, comment, checks]", gates=WRITER)
waits_for_checks = pytest.mark.parametrize("agent", [PATIENT], ids=[""])
OWNER = REPOSITORY.partition("/")[0]


async def in_review(stage: Stage, *, attempt: int = 1) -> Pull:
    """Turn the wheel until an attempt has published, and return the pull request."""

    async def waits() -> bool:
        works = await stage.up.store.read(lambda tx: tx.works.recent())
        return bool(works) and (works[0].attempts, works[0].state.value) == (attempt, "waiting")

    await stage.until(f"attempt {attempt} waits for review", waits)
    await stage.settle()
    found = await stage.people[MAINTAINER].call("GET", f"/repos/{REPOSITORY}/pulls?state=all")
    return await stage.tracker.pull(REPOSITORY, found[0]["number"])


async def statuses(stage: Stage, head: str) -> dict[str, str]:
    """Return what the bot says of a commit, by a token."""
    found = await stage.tracker.statuses(REPOSITORY, head)
    return {each.claim.context: each.claim.state for each in found if each.claim.context.startswith("trackside/")}


async def ci(stage: Stage, head: str, state: str, *, context: str = "ci/tests") -> None:
    """Let the continuous integration say how a commit is."""
    await stage.tracker.report_status(REPOSITORY, head, state, by=MAINTAINER, context=context)


def prompt(directory: Path, attempt: int) -> str:
    return (directory / f"prompt-{attempt}").read_text(encoding="utf-8")


@waits_for_checks
async def test_failing_checks_start_the_next_attempt_which_is_told_and_passing_ones_do_not(stage: Stage) -> None:
    thread = await stage.begin()
    first = (await in_review(stage)).head_sha
    await ci(stage, first, "pending", context="ci/lint")
    await ci(stage, first, "failure")
    await stage.settle()
    assert runs(stage.directory) == 1, "one of them has not ended"

    await ci(stage, first, "success", context="ci/lint")
    second = await in_review(stage, attempt=2)

    told = prompt(stage.directory, 2)
    assert f"1 of 2 checks of commit {first[:12]} failed:" in told
    assert "ci/tests (failure)" in told
    assert "kind=checks trusted=no" in told
    await ci(stage, second.head_sha, "success")
    await stage.settle()
    assert runs(stage.directory) == 2
    # A gate that nobody had to be asked for, and where the Work stands.
    assert await statuses(stage, second.head_sha) == {"trackside/start": "success", "trackside/turn": "success"}
    await stage.tracker.merge(REPOSITORY, second.number, by=MAINTAINER)
    await stage.ended(thread)
    (turn,) = [
        each
        for each in await stage.tracker.statuses(REPOSITORY, second.head_sha)
        if each.claim.context == "trackside/turn"
    ]
    assert (turn.claim.state, turn.claim.description) == ("success", "Done")


# ag-C10
@webhooks_only
@waits_for_checks
async def test_three_failing_heads_in_a_row_hold_the_work_until_a_person_looks(stage: Stage) -> None:
    thread = await stage.begin()
    for attempt in (1, 2, 3):
        await ci(stage, (await in_review(stage, attempt=attempt)).head_sha, "failure")
    await stage.labelled(thread, "hold:operator")
    await stage.settle()

    assert runs(stage.directory) == 3
    (work,) = await stage.works(thread)
    (hold,) = await stage.up.store.read(lambda tx: tx.holds.open(work.id))
    assert hold.holder == BRAKE
    assert await thread.says("3 failing commits in a row")
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    head = (await stage.tracker.pull(REPOSITORY, work.pull_request or 0)).head_sha
    assert (await statuses(stage, head))["trackside/turn"] == "failure"


@pytest.fixture
async def app(scene: Stage) -> AsyncIterator[Stage]:
    """Set a stage where the bot is an App; it is up."""
    manifest = Manifest(name="Trackside", url="https://bot.test", permissions=dict(PERMISSIONS), events=list(EVENTS))
    made, keys = await scene.tracker.add_app(OWNER, manifest, pem=pem())
    await scene.tracker.install(made.slug, OWNER)
    scene.app = AppIdentity(id=made.id, key=keys.pem)
    async with scene.bot():
        yield scene
        await scene.settle()
        await assert_nothing_left(scene)


async def check_runs(stage: Stage, head: str) -> dict[str, str]:
    found = await stage.tracker.check_runs(REPOSITORY, head)
    return {each.name: each.conclusion or each.status for each in found}


@webhooks_only
@waits_for_checks
async def test_an_app_shows_check_runs_on_the_head_and_moves_them_with_it(app: Stage) -> None:
    thread: Thread = await app.begin()
    pull = await in_review(app)
    assert await check_runs(app, pull.head_sha) == {"trackside/start": "success", "trackside/turn": "neutral"}
    made = len(await app.deliveries("check_run", "created"))

    # A person pushes: the checks belong on the new head, and are not written twice.
    await app.tracker.commit(REPOSITORY, pull.head_ref, {"more.txt": "more"}, by=MAINTAINER)
    await app.tracker.refresh(REPOSITORY)
    await app.settle()
    moved = await app.tracker.pull(REPOSITORY, pull.number)
    assert moved.head_sha != pull.head_sha
    assert await check_runs(app, moved.head_sha) == {"trackside/start": "success", "trackside/turn": "neutral"}
    assert len(await app.deliveries("check_run", "created")) == made + 2
    assert runs(app.directory) == 1, "our own checks wake nobody"

    await app.tracker.merge(REPOSITORY, pull.number, by=MAINTAINER)
    await app.ended(thread)
    assert (await check_runs(app, moved.head_sha))["trackside/turn"] == "success"
