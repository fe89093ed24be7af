from __future__ import annotations
import pytest
from bot.demo.world import BOT, DEVELOPER, MAINTAINER, READER, REPOSITORY, Tokens
from tests.scenarios.playbooks import APPROVED, AWAIT, RECORD, WRITER, TWO, Signal, runs
from tests.scenarios.scenes import behaves
from tests.scenarios.stage import Stage

TRIGGER="run:work-issue"

@behaves(RECORD, gates=APPROVED)
async def test_queued_approvals(scene: Stage) -> None:
    async with scene.bot():
        thread = await scene.begin()
        await scene.labelled(thread, "hold:gate")
        await scene.settle()
    await scene.say(thread, "/approve")
    await scene.say(thread, "/approve")
    await scene.tracker.edit_issue(REPOSITORY, thread.number, by=DEVELOPER, body="evil")
    async with scene.bot():
        if scene.webhooks: scene.clock.advance(3_700_000)
        await scene.settle()
        await scene.settle()
        print("OUT", scene.webhooks, [(w.state,w.attempts) for w in await scene.works(thread)])
        for o in await scene.ours(thread): print("   ", o[:150].replace("\n","|"))
        await scene.say(thread, "/cancel")
        await scene.ended(thread)

@behaves(f"{RECORD}; {AWAIT}")
async def test_own_unlabel_as_person(scene: Stage, signal: Signal) -> None:
    token = await scene.tracker.add_user("robin", bot=False)
    await scene.tracker.grant(REPOSITORY, "robin", "write")
    scene.tokens = Tokens(by_login={**scene.tokens.by_login, BOT: token})
    async with scene.bot():
        thread = await scene.begin()
        await scene.labelled(thread, "state:building")
        await scene.tracker.unlabel(REPOSITORY, thread.number, TRIGGER, by="robin")
        await scene.settle()
        signal.give()
        await scene.settle()
        print("OUT", [(w.state, w.reason) for w in await scene.works(thread)])

@behaves(RECORD, gates=WRITER)
async def test_own_label_as_person(scene: Stage) -> None:
    token = await scene.tracker.add_user("robin", bot=False)
    await scene.tracker.grant(REPOSITORY, "robin", "write")
    scene.tokens = Tokens(by_login={**scene.tokens.by_login, BOT: token})
    async with scene.bot():
        thread = await scene.issue()
        await scene.label(thread, by="robin")
        await scene.settle()
        print("OUT", [(w.state, w.reason,w.attempts) for w in await scene.works(thread)])
