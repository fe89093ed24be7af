"""What is called otherwise is the same: repositories are known by their ids."""

from __future__ import annotations

from bot.demo.story import Thread
from bot.demo.world import DEVELOPER, MAINTAINER, REPOSITORY
from bot.domain.work import WorkState
from bot.views.markers import marked_as
from tests.scenarios.playbooks import COMMIT, RECORD, runs
from tests.scenarios.scenes import behaves, webhooks_only
from tests.scenarios.stage import Stage

NEW = "acme/welcomer"


# gh-K-09, ag-F06
@behaves(f"{RECORD}; {COMMIT}", default="help")
async def test_work_goes_on_in_a_repository_that_is_renamed_under_it(stage: Stage) -> None:
    """The settings have its old name still; the item keeps its key, and what is said under the new name is heard."""
    thread = await stage.begin()
    await stage.labelled(thread, "state:help")
    await stage.settle()
    (before,) = await stage.works(thread)
    await stage.tracker.grant(REPOSITORY, MAINTAINER, "admin")
    await stage.tracker.rename(REPOSITORY, "welcomer", by=MAINTAINER)
    await stage.settle()
    await stage.tracker.comment(NEW, thread.number, "Please say wrold.", by=MAINTAINER)
    renamed = Thread(stage.people[DEVELOPER], NEW, thread.number)

    async def again() -> bool:
        (work,) = await stage.works(thread)
        return work.attempts == 2 and work.state is WorkState.WAITING

    await stage.until("run again", again)
    await stage.labelled(renamed, "state:help")
    (after,) = await stage.works(thread)
    assert (after.item, after.scope, after.run) == (before.item, before.scope, before.run)
    assert runs(stage.directory) == 2
    assert await stage.up.store.read(lambda tx: tx.scopes.get(after.scope).name) == NEW  # type: ignore[union-attr]
    await stage.tracker.unlabel(NEW, thread.number, "run:work-issue", by=DEVELOPER)
    await stage.ended(thread)


# ag-J05
@webhooks_only
@behaves(RECORD, default="help")
async def test_the_status_comment_that_somebody_deletes_is_written_anew_once(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "state:help")
    await stage.settle()

    async def stickies() -> list[int]:
        comments = await thread.comments()
        return [each["id"] for each in comments if (marked_as(each["body"]) or "").startswith("sticky")]

    (first,) = await stickies()
    await stage.tracker.grant(REPOSITORY, MAINTAINER, "admin")
    await stage.tracker.delete_comment(REPOSITORY, first, by=MAINTAINER)
    await stage.settle()
    (second,) = await stickies()
    assert second != first
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    assert await stickies() == [second]
