"""
What every tracker must do, asked through the contract alone.

A tracker under test is given as a ``Stage``: a repository with a person who may do everything, one who may only
read, and the bot. What people do there is done by the stage; what the bot sees and does goes through ``Tracker``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pytest

from bot.clock import Millis
from bot.domain.permission import Permission
from bot.errors import TrackerError, TrackerMissingError
from bot.trackers.contract import Reaction, Tracker, Verdict

REPO = "acme/shop"


class Stage(Protocol):
    """A tracker under test, and what people do in it."""

    @property
    def tracker(self) -> Tracker: ...

    async def open_issue(self, title: str, *, labels: Sequence[str] = ()) -> int: ...

    async def comment(self, number: int, body: str) -> None: ...

    async def unlabel(self, number: int, label: str) -> None: ...

    async def close(self, number: int) -> None: ...

    async def push(self, branch: str, name: str) -> str: ...

    async def merge(self, number: int) -> None: ...

    async def approve(self, number: int, commit: str) -> None: ...

    async def reactions(self, number: int) -> dict[str, int]: ...


class TrackerContract:
    """The suite. A subclass gives the fixture ``stage``."""

    async def test_the_bot_knows_itself_and_its_repository(self, stage: Stage) -> None:
        me = await stage.tracker.me()
        repository = await stage.tracker.repository(REPO)

        assert (me.login, me.bot) == ("trackside[bot]", True)
        assert (repository.full_name, repository.default_branch) == (REPO, "main")
        assert repository.id > 0
        assert repository.owner_id > 0

    # ag-I11
    async def test_who_can_be_assigned_is_and_nobody_is_told_who_cannot(self, stage: Stage) -> None:
        number = await stage.open_issue("Broken")
        assert await stage.tracker.assign(REPO, number, "Ada") is True
        for login in ("trackside[bot]", "ben", "nobody"):
            assert await stage.tracker.assign(REPO, number, login) is False
        assert (await stage.tracker.issue(REPO, number)).assignees == ("ada",)

        await stage.tracker.unassign(REPO, number, "ben")
        assert (await stage.tracker.issue(REPO, number)).assignees == ("ada",)
        await stage.tracker.unassign(REPO, number, "ADA")
        assert (await stage.tracker.issue(REPO, number)).assignees == ()

    # ag-D02
    async def test_a_permission_is_told_live(self, stage: Stage) -> None:
        logins = ("ada", "ben", "nobody", "..")

        found = [await stage.tracker.permission(REPO, login) for login in logins]

        assert found == [Permission.ADMIN, Permission.READ, Permission.NONE, Permission.NONE]

    async def test_an_issue_is_read_as_it_is_now(self, stage: Stage) -> None:
        number = await stage.open_issue("Größe", labels=["run:work"])
        before = await stage.tracker.issue(REPO, number)
        await stage.close(number)
        after = await stage.tracker.issue(REPO, number)

        assert (before.title, before.open, before.labels, before.author.login) == ("Größe", True, ("run:work",), "ada")
        assert (after.open, before.is_pull_request) == (False, False)
        assert after.updated_at > before.updated_at

    async def test_what_is_not_there_is_missing(self, stage: Stage) -> None:
        with pytest.raises(TrackerMissingError):
            await stage.tracker.issue(REPO, 999)
        with pytest.raises(TrackerMissingError):
            await stage.tracker.repository("acme/none")
        with pytest.raises(TrackerMissingError):
            await stage.tracker.update_comment(REPO, 999, "text")

    async def test_open_issues_of_a_label_are_listed(self, stage: Stage) -> None:
        first = await stage.open_issue("One", labels=["run:work"])
        await stage.open_issue("Two", labels=["bug"])
        third = await stage.open_issue("Three", labels=["bug", "run:work"])
        closed = await stage.open_issue("Four", labels=["run:work"])
        await stage.close(closed)

        found = await stage.tracker.issues(REPO, label="run:work")

        assert [issue.number for issue in found] == [first, third]

    async def test_history_is_read_after_a_cursor(self, stage: Stage) -> None:
        number = await stage.open_issue("One", labels=["run:work"])
        await stage.unlabel(number, "run:work")
        await stage.close(number)

        events = await stage.tracker.issue_events(REPO, number)
        later = await stage.tracker.issue_events(REPO, number, after=events[0].id)

        assert [(event.kind, event.label) for event in events] == [
            ("labeled", "run:work"),
            ("unlabeled", "run:work"),
            ("closed", None),
        ]
        assert [event.id for event in events] == sorted(event.id for event in events)
        assert list(later) == list(events[1:])
        assert {event.actor.login for event in events if event.actor} == {"ada"}

    # ag-J04
    async def test_all_comments_of_a_long_thread_are_read(self, stage: Stage) -> None:
        number = await stage.open_issue("One")
        bodies = [f"Comment {place}" for place in range(102)]
        for body in bodies:
            await stage.comment(number, body)

        found = await stage.tracker.comments(REPO, number)

        assert [comment.body for comment in found] == bodies
        assert {comment.number for comment in found} == {number}

    async def test_comments_since_a_moment_are_those_of_all_threads(self, stage: Stage) -> None:
        first, second = await stage.open_issue("One"), await stage.open_issue("Two")
        await stage.comment(first, "early")
        (early,) = await stage.tracker.comments(REPO, first)
        await stage.comment(second, "late")

        everything = await stage.tracker.comments_since(REPO, Millis(0))
        late = await stage.tracker.comments_since(REPO, Millis(early.updated_at + 1_000))
        exactly = await stage.tracker.comments_since(REPO, early.updated_at)

        assert [(comment.number, comment.body) for comment in everything] == [(first, "early"), (second, "late")]
        assert [comment.body for comment in late] == ["late"]
        assert len(exactly) == 2

    async def test_issues_since_a_moment_are_those_that_were_updated(self, stage: Stage) -> None:
        first, second = await stage.open_issue("One"), await stage.open_issue("Two")
        await stage.comment(first, "now it is the later one")
        updated = (await stage.tracker.issue(REPO, first)).updated_at

        everything = await stage.tracker.issues_since(REPO, Millis(0))
        exactly = await stage.tracker.issues_since(REPO, updated)
        later = await stage.tracker.issues_since(REPO, Millis(updated + 1_000))

        assert [issue.number for issue in everything] == [second, first]
        assert first in {issue.number for issue in exactly}
        assert later == []

    async def test_a_comment_is_posted_and_edited(self, stage: Stage) -> None:
        number = await stage.open_issue("One")
        posted = await stage.tracker.create_comment(REPO, number, "first\n\n`code` 🎈")
        await stage.tracker.update_comment(REPO, posted.id, "second")

        (found,) = await stage.tracker.comments(REPO, number)

        assert (posted.body, posted.number, posted.author.bot) == ("first\n\n`code` 🎈", number, True)
        assert (found.id, found.body) == (posted.id, "second")

    async def test_labels_are_ensured_added_and_taken_off(self, stage: Stage) -> None:
        number = await stage.open_issue("One")
        for color in ("ededed", "ff0000"):
            await stage.tracker.ensure_label(REPO, "state:a/b", color=color, description="Shown")
        await stage.tracker.add_labels(REPO, number, ["state:a/b"])
        await stage.tracker.add_labels(REPO, number, ["state:a/b"])
        with_label = await stage.tracker.issue(REPO, number)
        for _ in range(2):
            await stage.tracker.remove_label(REPO, number, "state:a/b")
        without = await stage.tracker.issue(REPO, number)

        assert with_label.labels == ("state:a/b",)
        assert without.labels == ()

    async def test_a_label_that_cannot_be_is_refused(self, stage: Stage) -> None:
        with pytest.raises(TrackerError) as caught:
            await stage.tracker.ensure_label(REPO, "odd", color="no color", description="")

        assert caught.value.status == 422

    async def test_a_reaction_may_be_repeated(self, stage: Stage) -> None:
        number = await stage.open_issue("One")
        posted = await stage.tracker.create_comment(REPO, number, "text")
        for _ in range(2):
            await stage.tracker.react_to_issue(REPO, number, Reaction.EYES)
            await stage.tracker.react_to_comment(REPO, posted.id, Reaction.THUMBS_UP)

        assert await stage.reactions(number) == {"eyes": 1}

    async def test_a_pull_request_is_opened_found_and_merged(self, stage: Stage) -> None:
        tip = await stage.push("fix", "a.txt")
        before = await stage.tracker.find_pull_request(REPO, head_ref="fix")
        opened = await stage.tracker.create_pull_request(
            REPO, head_ref="fix", base_ref="main", title="Fix", body="text", draft=True
        )
        edited = await stage.tracker.update_pull_request(REPO, opened.number, title="Better", body="more")
        found = await stage.tracker.find_pull_request(REPO, head_ref="fix")

        assert before is None
        assert (opened.head_ref, opened.head_sha, opened.base_ref, opened.draft) == ("fix", tip, "main", True)
        assert (edited.title, edited.body) == ("Better", "more")
        assert found == edited

    async def test_a_merged_pull_request_is_found_too(self, stage: Stage) -> None:
        await stage.push("fix", "a.txt")
        opened = await stage.tracker.create_pull_request(
            REPO, head_ref="fix", base_ref="main", title="Fix", body="", draft=False
        )
        await stage.merge(opened.number)
        found = await stage.tracker.find_pull_request(REPO, head_ref="fix")
        read = await stage.tracker.pull_request(REPO, opened.number)

        assert found is not None
        assert (found.number, found.open, found.merged) == (opened.number, False, True)
        assert (read.open, read.merged) == (False, True)

    async def test_a_second_pull_request_of_a_branch_is_refused(self, stage: Stage) -> None:
        await stage.push("fix", "a.txt")
        document = {"head_ref": "fix", "base_ref": "main", "title": "Fix", "body": ""}
        await stage.tracker.create_pull_request(REPO, **document, draft=False)

        with pytest.raises(TrackerError) as caught:
            await stage.tracker.create_pull_request(REPO, **document, draft=False)

        assert caught.value.status == 422

    async def test_a_review_is_read_with_its_commit(self, stage: Stage) -> None:
        tip = await stage.push("fix", "a.txt")
        opened = await stage.tracker.create_pull_request(
            REPO, head_ref="fix", base_ref="main", title="Fix", body="", draft=False
        )
        await stage.approve(opened.number, tip)

        (review,) = await stage.tracker.reviews(REPO, opened.number)

        assert (review.verdict, review.commit, review.author.login) == (Verdict.APPROVED, tip, "ada")
        assert review.number == opened.number
