"""What the bot writes is there once, fits, disturbs nobody, and gets there in the end."""

from __future__ import annotations

import sqlite3

from bot.clock import MINUTE
from bot.demo import story
from bot.demo.world import BOT, DEVELOPER, MAINTAINER, READER, REPOSITORY
from bot.views.markers import marker
from projectors.size import COMMENT_LIMIT, size
from tests.projectors.reader import live
from tests.scenarios.playbooks import APPROVED, AWAIT, COMMIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage

COMMENTS = r"/repos/acme/greeter/issues/\d+/comments"
LONG = "printf 'word \\360\\237\\230\\200\\n%.0s' $(seq 10000) | trackside turn done --comment-file -"
"""Says 80,000 characters, some of which count twice."""
RUDE = """\
printf '%s' 'Hello @mika, see #1 and `@dana`.

Fixes #1, user@example.com, a/@b' | trackside turn review --comment-file -
"""


@silent_only
@behaves(LONG)
async def test_what_is_too_long_is_posted_with_a_visible_cut(stage: Stage) -> None:
    # ag-J01
    thread = await stage.begin()
    await stage.ended(thread)
    (sticky,) = await stage.ours(thread)
    assert COMMENT_LIMIT - 2_000 < size(sticky) <= COMMENT_LIMIT
    assert "Cut here:" in sticky
    assert "\ufffd" not in sticky


@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_the_sticky_comment_is_found_by_its_mark_when_its_id_was_lost(scene: Stage) -> None:
    # ag-J04
    async with scene.bot():
        thread = await scene.begin()
        await scene.labelled(thread, "hold:gate")
        await scene.settle()
        posted = await scene.ours(thread)
    with sqlite3.connect(scene.config.data / "trackside.db") as database:
        gone = database.execute("DELETE FROM thread_comments WHERE key LIKE 'sticky:%'")
        assert gone.rowcount == 1
    database.close()
    await scene.tracker.set_hook_active(REPOSITORY, scene.hook, active=False)
    for number in range(250):
        await scene.say(thread, f"Comment {number}.", by=READER)
    await scene.tracker.set_hook_active(REPOSITORY, scene.hook, active=True)
    async with scene.bot():
        await scene.settle()
        await scene.say(thread, "/approve")
        await scene.ended(thread)
        comments = await scene.tracker.comments(REPOSITORY, thread.number)
        ours = [each.body for each in comments if each.author.login == BOT]
    assert len(ours) == len(posted) == 2
    assert "**Done**" in ours[0]


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_our_mark_in_a_comment_of_others_makes_it_not_ours(stage: Stage) -> None:
    # ag-J04
    thread = await stage.issue()
    scope = (await stage.people[DEVELOPER].call("GET", f"/repos/{REPOSITORY}"))["id"]
    forged = f"{marker(f'sticky:item:{scope}/{thread.number}')}\nAll is well."
    await stage.say(thread, forged, by=READER)
    stage.faults.lose("POST", COMMENTS, times=2)
    await stage.label(thread)
    await stage.until("held", lambda: story.held(thread))
    await stage.settle()
    assert [each["body"] for each in await thread.comments() if each["user"]["login"] == READER] == [forged]
    assert len(await stage.ours(thread)) == 2


@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_a_comment_whose_answer_was_lost_is_not_posted_twice(stage: Stage) -> None:
    # gh-W-05
    fault = stage.faults.lose("POST", COMMENTS, times=3)
    thread = await stage.begin()
    await stage.until("held", lambda: story.held(thread))
    await stage.settle()
    assert len(await stage.ours(thread)) == 2
    await stage.say(thread, "/help")
    await stage.said(thread, "Write one of these")
    await stage.settle()
    assert fault.met == 3
    assert len(await stage.ours(thread)) == 3


@webhooks_only
@behaves(f"{COMMIT}; {RUDE}", gates=APPROVED)
async def test_what_the_agent_says_calls_nobody_and_closes_nothing(stage: Stage) -> None:
    # ag-J08
    other = await stage.issue("Another one")
    thread = await stage.begin()
    await stage.until("held", lambda: story.held(thread))
    await stage.say(thread, "/approve")
    await stage.labelled(thread, "state:review")
    await stage.settle()
    sticky = (await stage.ours(thread))[0]
    assert "user@example.com" in sticky
    assert "`@dana`" in sticky
    assert set(live(sticky)) <= {"#3"}  # its own pull request
    pull = await stage.tracker.thread(REPOSITORY, 3)
    assert set(live(pull.body or "")) == {f"#{thread.number}"}
    await stage.tracker.merge(REPOSITORY, 3, by=MAINTAINER)
    await stage.ended(thread)
    assert (await stage.tracker.thread(REPOSITORY, other.number)).open
    assert not (await stage.tracker.thread(REPOSITORY, thread.number)).open


@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_a_locked_thread_waits_and_goes_on_with_the_next_change(stage: Stage) -> None:
    # ag-J06
    thread = await stage.issue()
    await stage.tracker.lock(REPOSITORY, thread.number, by=MAINTAINER)
    await stage.label(thread)
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    assert await stage.ours(thread) == []
    parked = await stage.up.store.read(lambda tx: tx.threads.parked())
    assert len(parked) == 1
    assert "lock" in str(parked[0].parked).lower()
    requests = stage.faults.count("POST", COMMENTS)
    stage.clock.advance(60 * MINUTE)
    await stage.settle()
    assert stage.faults.count("POST", COMMENTS) == requests
    await stage.tracker.lock(REPOSITORY, thread.number, by=MAINTAINER, locked=False)
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert "**Done**" in (await stage.ours(thread))[0]
    assert runs(stage.directory) == 1


@silent_only
@behaves(f"{RECORD}; {AWAIT}")
async def test_a_thread_that_cannot_be_written_to_holds_up_no_work(stage: Stage, signal: Signal) -> None:
    # gh-C-03
    fault = stage.faults.refuse("POST", COMMENTS)
    thread = await stage.begin()
    await stage.at_work(thread)
    signal.give()
    await stage.labelled(thread, "state:done")
    assert fault.met > 0
    assert await stage.ours(thread) == []
    stage.faults.heal()
    stage.clock.advance(10 * MINUTE)
    await stage.said(thread, "**Done**")
    await stage.settle()
    assert len(await stage.ours(thread)) == 1


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_a_deleted_sticky_comment_is_written_anew_once(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.until("held", lambda: story.held(thread))
    await stage.settle()
    (sticky,) = [each["id"] for each in await thread.comments() if "trackside:sticky" in each["body"]]
    await stage.tracker.delete_comment(REPOSITORY, sticky, by=MAINTAINER)
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert sum("trackside:sticky" in body for body in await stage.ours(thread)) == 1


@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_labels_that_the_tracker_finds_invalid_keep_nothing_else_from_being_shown(stage: Stage) -> None:
    # gh-L-09
    thread = await stage.begin()
    fault = stage.faults.refuse("POST", "/repos/acme/greeter/labels", status=422)
    await stage.said(thread, "Approval needed to start")
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert fault.met > 0
    assert "**Done**" in (await stage.ours(thread))[0]
    assert "hold:gate" not in await thread.labels()
