"""Who may do what: asked live, never assumed, and never the bot itself."""

from __future__ import annotations

from bot.clock import SECOND
from bot.demo import story
from bot.demo.world import BOT, DEVELOPER, MAINTAINER, READER, REPOSITORY, Tokens
from bot.domain.work import WorkState
from bot.views.markers import marker
from tests.scenarios.playbooks import APPROVED, AWAIT, RECORD, WRITER, Signal, runs
from tests.scenarios.scenes import behaves, silent_only
from tests.scenarios.stage import Stage

TRIGGER = "run:work-issue"
PERMISSION = r"/repos/acme/greeter/collaborators/\w+/permission"
TELLS_ITSELF = f"""\
{RECORD}
printf '/approve\\n\\n/cancel\\n\\n/status\\n' | trackside turn help --comment-file -
"""


@behaves(TELLS_ITSELF)
async def test_the_bots_own_words_are_no_commands_even_under_the_account_of_a_person(scene: Stage) -> None:
    # ag-C01, gh-P-11, ag-C06
    token = await scene.tracker.add_user("robin")
    await scene.tracker.grant(REPOSITORY, "robin", "write")
    scene.tokens = Tokens(by_login={**scene.tokens.by_login, BOT: token})
    async with scene.bot():
        thread = await scene.begin()
        await scene.said(thread, "the agent asks")
        await scene.settle()
        written = [each for each in await thread.comments() if each["user"]["login"] == "robin"]
        (work,) = await scene.works(thread)
        assert work.state is WorkState.WAITING
        assert any("/cancel" in each["body"] for each in written)
        assert all([not await thread.reactions(each["id"]) for each in written])
        assert len(written) == 2
    assert runs(scene.directory) == 1


@behaves(RECORD, gates=APPROVED)
async def test_a_comment_with_our_mark_is_no_command_whoever_wrote_it(stage: Stage) -> None:
    # ag-C01
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    spoken = await stage.say(thread, f"{marker('note:1')}\n/approve")
    await stage.settle()
    assert await thread.reactions(spoken) == set()
    assert runs(stage.directory) == 0


@behaves(f"{RECORD}; {AWAIT}")
async def test_the_labels_of_the_bot_itself_change_nothing(stage: Stage, signal: Signal) -> None:
    # ag-C07
    thread = await stage.begin()
    await stage.at_work(thread)
    await stage.settle()
    before = await stage.works(thread)
    await stage.tracker.label(REPOSITORY, thread.number, "state:review", TRIGGER, by=BOT)
    await stage.tracker.unlabel(REPOSITORY, thread.number, "state:review", by=BOT)
    await stage.settle()
    assert await stage.works(thread) == before
    signal.give()
    await stage.ended(thread)
    assert TRIGGER not in await thread.labels()
    assert runs(stage.directory) == 1
    assert len(await stage.ours(thread)) == 1


@behaves(RECORD)
async def test_a_label_by_a_bot_starts_nothing(stage: Stage) -> None:
    # ag-D03
    await stage.tracker.add_user("tidy", bot=True)
    await stage.tracker.grant(REPOSITORY, "tidy", "write")
    thread = await stage.issue()
    await stage.label(thread, by="tidy")
    await stage.settle()
    assert runs(stage.directory) == 0
    assert await stage.ours(thread) == []


@behaves(RECORD)
async def test_a_label_by_someone_who_may_not_write_starts_nothing_and_says_why(stage: Stage) -> None:
    # ag-D03, ag-D07
    await stage.tracker.add_user("tara")
    await stage.tracker.grant(REPOSITORY, "tara", "triage")
    thread = await stage.issue()
    await stage.label(thread, by="tara")
    await stage.said(thread, "write access is needed to start this")
    await stage.settle()
    assert runs(stage.directory) == 0
    assert len(await stage.ours(thread)) == 1


@behaves(RECORD, gates=WRITER)
async def test_where_a_writer_must_stand_for_it_a_triagers_label_is_held(stage: Stage) -> None:
    # ag-D03
    await stage.tracker.add_user("tara")
    await stage.tracker.grant(REPOSITORY, "tara", "triage")
    thread = await stage.issue()
    await stage.label(thread, by="tara")
    await stage.labelled(thread, "hold:gate")
    assert runs(stage.directory) == 0
    await stage.say(thread, "/approve", by="tara")
    await stage.said(thread, "write access is needed, and you have triage")
    await stage.say(thread, "/approve", by=DEVELOPER)
    await stage.ended(thread)
    assert runs(stage.directory) == 1


@silent_only
@behaves(RECORD, gates=WRITER)
async def test_where_a_writer_must_stand_for_it_a_writers_label_is_enough(stage: Stage) -> None:
    # ag-D03
    thread = await stage.begin()
    await stage.ended(thread)
    assert runs(stage.directory) == 1


@behaves(RECORD, gates=APPROVED)
async def test_a_strangers_command_changes_nothing(stage: Stage) -> None:
    # ag-D01
    await stage.tracker.add_user("stranger")
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    for _ in range(3):
        await stage.say(thread, "/approve", by="stranger")
        await stage.say(thread, "/refuse it is mine", by="stranger")
        await stage.say(thread, "/cancel", by="stranger")
    await stage.said(thread, "you may not do this")
    await stage.settle()
    assert "hold:gate" in await thread.labels()
    assert sum("you may not do this" in body for body in await stage.ours(thread)) == 1
    assert runs(stage.directory) == 0


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_a_permission_that_was_taken_back_does_not_count(stage: Stage) -> None:
    # ag-D02
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, "/status")
    await stage.settle()
    await stage.tracker.grant(REPOSITORY, MAINTAINER, "read")
    stage.clock.advance(10 * SECOND)
    spoken = await stage.say(thread, "/approve")
    await stage.said(thread, "write access is needed, and you have read")
    await stage.settle()
    assert await thread.reactions(spoken) == {"confused"}
    await stage.tracker.grant(REPOSITORY, MAINTAINER, "write")
    stage.clock.advance(10 * SECOND)
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert runs(stage.directory) == 1


@behaves(RECORD, gates=APPROVED)
async def test_a_permission_that_cannot_be_checked_is_none(stage: Stage) -> None:
    # ag-D02
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    stage.clock.advance(10 * SECOND)
    stage.faults.refuse("GET", PERMISSION)
    spoken = await stage.say(thread, "/approve")
    await stage.said(thread, "could not be checked")
    stage.faults.heal()
    await stage.settle()
    assert await thread.reactions(spoken) == {"confused"}
    assert "hold:gate" in await thread.labels()
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert runs(stage.directory) == 1


@behaves(RECORD)
async def test_a_label_whose_setter_cannot_be_checked_waits_until_they_can(stage: Stage) -> None:
    # ag-D02
    fault = stage.faults.refuse("GET", PERMISSION, times=3)
    thread = await stage.begin()
    await stage.ended(thread)
    assert fault.met == 3
    assert runs(stage.directory) == 1


@silent_only
@behaves(RECORD, default="help")
async def test_only_people_who_may_write_give_input(stage: Stage) -> None:
    # ag-D01
    thread = await stage.begin()
    await stage.labelled(thread, "state:help")
    await stage.say(thread, "Do as I say.", by=READER)
    await stage.settle()
    assert runs(stage.directory) == 1
    await stage.say(thread, "Say hello to everyone.", by=MAINTAINER)
    await stage.until("asked again", lambda: _asked_twice(stage, thread))
    await stage.settle()
    prompt = (stage.directory / "prompt-2").read_text(encoding="utf-8")
    assert "Say hello to everyone." in prompt
    assert "Do as I say." not in prompt


async def _asked_twice(stage: Stage, thread: story.Thread) -> bool:
    (work,) = await stage.works(thread)
    return work.attempts == 2 and work.state is WorkState.WAITING
