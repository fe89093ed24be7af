"""What was accepted is never lost: not by a failure, not by a crash, not by a tracker that hangs."""

from __future__ import annotations

import asyncio
import os
import signal as signals
import socket
import subprocess
import sys

import httpx

from bot.clock import MINUTE
from bot.demo.story import Thread
from bot.demo.world import DEVELOPER, MAINTAINER, REPOSITORY
from bot.domain.event import Event, Routing
from bot.domain.work import WorkState
from bot.trackers.embedded.courier import headers
from tests.scenarios.playbooks import APPROVED, COMMIT, RECORD, runs
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage

ISSUE = r"/repos/acme/greeter/issues/\d+"
TRIES = 12


async def _dead(stage: Stage) -> list[Event]:
    return list(await stage.up.store.read(lambda tx: tx.events.by_routing(Routing.DEAD)))


async def _approve_in_vain(stage: Stage) -> Thread:
    """Say ``/approve`` while the issue cannot be read, until it is given up."""
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    stage.faults.refuse("GET", ISSUE)
    await stage.say(thread, "/approve")
    for _ in range(TRIES):
        assert await _dead(stage) == []
        await stage.turn()
        stage.clock.advance(10 * MINUTE)
    return thread


@behaves(RECORD, gates=APPROVED)
async def test_a_command_that_cannot_be_handled_is_tried_again_later(stage: Stage) -> None:
    # ag-B02
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    fault = stage.faults.refuse("GET", ISSUE, times=4)
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert fault.met == 4
    assert runs(stage.directory) == 1


@behaves(RECORD, gates=APPROVED)
async def test_a_command_that_is_given_up_is_told_once_in_its_thread(stage: Stage) -> None:
    # ag-B02
    thread = await _approve_in_vain(stage)
    await stage.said(thread, "your comment could not be handled")
    stage.faults.heal()
    await stage.settle()
    assert sum("could not be handled" in body for body in await stage.ours(thread)) == 1
    assert [event.note for event in await _dead(stage)] == ["the tracker failed with 502"]
    assert runs(stage.directory) == 0


@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_a_delivery_that_failed_is_handled_when_it_comes_again(scene: Stage) -> None:
    # ag-A03, gh-D-05
    async with scene.bot():
        thread = await _approve_in_vain(scene)
    scene.faults.heal()
    async with scene.bot():
        await scene.settle()
        assert runs(scene.directory) == 0
        spoken = [each for each in await scene.deliveries("issue_comment", "created") if "/approve" in each.payload][-1]
        await scene.tracker.redeliver(REPOSITORY, scene.hook, spoken.id)
        await scene.ended(thread)
        assert runs(scene.directory) == 1
        await scene.tracker.redeliver(REPOSITORY, scene.hook, spoken.id)
        before = await thread.comments()
        await scene.settle()
        assert await thread.comments() == before
    assert runs(scene.directory) == 1


@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_a_delivery_is_accepted_while_the_tracker_hangs(stage: Stage) -> None:
    # ag-B01
    thread = await stage.begin()
    fault = stage.faults.hang("GET", f"{ISSUE}/events")
    turning = asyncio.create_task(stage.turn())
    await fault.reached.wait()
    (labelled,) = await stage.deliveries("issues", "labeled")
    async with asyncio.timeout(1):
        answer = await stage.post(labelled)
    assert answer.status_code == 202
    transport = httpx.ASGITransport(stage.up.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://bot.test") as client, asyncio.timeout(1):
        assert (await client.get("/healthz")).status_code == 200
    assert not turning.done()
    stage.faults.heal()
    await turning
    await stage.labelled(thread, "hold:gate")


@webhooks_only
@behaves(RECORD)
async def test_what_was_answered_survives_kill_9(scene: Stage) -> None:
    # ag-B03
    thread = await scene.begin()
    await scene.tracker.deliver_pending()
    (labelled,) = await scene.deliveries("issues", "labeled")
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        number = listening.fileno()
        child = subprocess.Popen(  # noqa: ASYNC220 - nothing else is to happen meanwhile
            [sys.executable, "-m", "tests.scenarios.acceptor", str(scene.config.data), str(number)],
            pass_fds=[number],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with child:
            assert child.stdin is not None
            child.stdin.write(scene.secret.encode())
            child.stdin.close()
            url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
            async with httpx.AsyncClient(timeout=30) as client:
                answer = await client.post(url, content=labelled.payload.encode(), headers=headers(labelled))
            os.kill(child.pid, signals.SIGKILL)
    assert answer.json()["status"] == "accepted"
    async with scene.bot():
        assert len(await scene.up.store.read(lambda tx: tx.events.pending())) == 1
        await scene.ended(thread)
    assert runs(scene.directory) == 1


@webhooks_only
@behaves(RECORD)
async def test_what_cannot_be_stored_is_refused_and_may_come_again(scene: Stage) -> None:
    # ag-B03
    async with scene.bot() as host:
        await scene.settle()
    # The store is closed: from now on nothing can be committed.
    scene.doorway.app = httpx.ASGITransport(host.app)
    thread = await scene.begin()
    await scene.tracker.deliver_pending()
    (labelled,) = await scene.deliveries("issues", "labeled")
    assert labelled.status_code == 500
    assert scene.secret not in str(labelled.response)
    async with scene.bot():
        assert await scene.up.store.read(lambda tx: tx.deliveries.get(labelled.guid)) is None
        await scene.tracker.redeliver(REPOSITORY, scene.hook, labelled.id)
        await scene.ended(thread)
    assert runs(scene.directory) == 1


@webhooks_only
@behaves(f"{RECORD}; {COMMIT}", default="review", gates=APPROVED)
async def test_older_news_that_come_late_move_nothing_back(stage: Stage) -> None:
    # ag-B05
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, "/approve")
    await stage.labelled(thread, "state:review")
    await stage.tracker.merge(REPOSITORY, 2, by=MAINTAINER)
    await stage.ended(thread)
    before = await stage.works(thread), await thread.comments(), await thread.labels()
    sent = await stage.tracker.deliveries(REPOSITORY, stage.hook)
    assert len(sent) > 10
    for delivery in sent:
        assert (await stage.post(delivery)).status_code == 202
    await stage.settle()
    assert (await stage.works(thread), await thread.comments(), await thread.labels()) == before
    assert before[0][0].state is WorkState.COMPLETED
    assert runs(stage.directory) == 1


# gh-W-01, gh-W-03
@silent_only
@behaves(RECORD)
async def test_what_happened_while_the_bot_was_down_is_found(scene: Stage) -> None:
    # ag-B05
    thread = await scene.begin()
    await scene.tracker.unlabel(REPOSITORY, thread.number, "run:work-issue", by=DEVELOPER)
    await scene.label(thread)
    async with scene.bot():
        await scene.ended(thread)
    assert runs(scene.directory) == 1
